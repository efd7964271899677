/* Debounced readings of all cells. */
#ifndef BALANX_SCAN_H
#define BALANX_SCAN_H
#include <stdint.h>

void scan_start(void);                    /* what the first sample shows is accepted without an edge */
void scan_tick(void);                     /* looks at one sample; calls edges_add for each accepted change */
uint8_t scan_flicker(uint8_t *pairs);     /* writes (cell, count) of the worst, forgets all counts; returns pairs written */
uint8_t scan_dead_from(void);             /* first input of the first chip from which on to the end all read alike */
uint8_t scan_readings(uint8_t *packed);   /* writes all accepted readings, board_bits() a cell; returns bytes written */

#endif
