/* The whole controller, as a chip's main loop drives it. */
#ifndef BALANX_CORE_H
#define BALANX_CORE_H
#include <stdint.h>

void core_start(void); /* after each reset */
void core_tick(void);  /* once for each millisecond */
void core_restart(void); /* soon, behind the last whole pulse and the store under way */
void core_poll(void);  /* as often as possible, at least when a byte came or a frame has left */

#endif
