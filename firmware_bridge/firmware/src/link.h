/* The line: bytes to commands, and what there is to say to frames. */
#ifndef BALANX_LINK_H
#define BALANX_LINK_H
#include <stdint.h>

void link_start(uint16_t boot);
void link_poll(void);              /* takes what has come, begins to send what is due; never waits */
void link_tick(void);              /* once a millisecond: what takes longer than its command */
uint16_t link_bad_frames(void);    /* damaged frames dropped since the start */

#endif
