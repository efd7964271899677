/* What the board watches besides its see-saw: the chain's far end, its supply, damaged frames. */
#ifndef BALANX_WATCH_H
#define BALANX_WATCH_H
#include <stdint.h>

void watch_start(void);
void watch_tick(void);           /* once a millisecond, behind the scan */
uint8_t watch_chain_checked(void); /* the chain's far end has answered, or must */

#endif
