/* Numbered edges that wait for the host's acknowledgement, and when a picture is due. */
#ifndef BALANX_EDGES_H
#define BALANX_EDGES_H
#include <stdint.h>
#include "messages.h"

void edges_start(uint16_t boot, uint32_t now_ms);
void edges_add(uint8_t cell, uint8_t reading);        /* accepted in this tick */
void edges_tick(uint32_t now_ms);                     /* before the scan of this tick */
void edges_acknowledged(uint16_t number, uint16_t boot);
uint8_t edges_take(struct msg_edge *edge);            /* the next edge to send, 0: none */
void picture_wanted(void);
uint8_t picture_due(void);
uint8_t picture_take(uint8_t *body);                  /* writes the picture, returns its length */

#endif
