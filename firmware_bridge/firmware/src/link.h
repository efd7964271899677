/* What a board says and obeys beside hello, answers and pongs; talk.c asks. src/link.c is the controller's, stimulus/link.c the rig's. */
#ifndef BALANX_LINK_H
#define BALANX_LINK_H
#include <stdint.h>

#define LINK_OCTETS 0x80 /* ends in octets, whose count is the last of its fixed bytes */

void link_start(void);
void link_tick(void);                    /* once a millisecond: what takes longer than its command */
const char *link_product(void);
uint8_t link_features(void);             /* FEATURE bits of hello */
uint8_t link_size_of(uint8_t message);   /* fixed bytes, perhaps with LINK_OCTETS; 0: no message of this board */
void link_greeted(void);                 /* by a host that is new */
void link_obey(const uint8_t *body);     /* any whole message, also those that talk.c answers itself */
uint8_t link_next(uint8_t *body);        /* writes the most urgent message; its length, 0: nothing to say */

#endif
