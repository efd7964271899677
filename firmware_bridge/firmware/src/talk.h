/* One end of the line, whichever board's: frames to whole messages; hello, answers and pongs, and what the board has to say. */
#ifndef BALANX_TALK_H
#define BALANX_TALK_H
#include <stdint.h>

void talk_start(uint16_t boot);
void talk_poll(void);            /* takes what has come, begins to send what is due; never waits */
uint16_t talk_bad_frames(void);  /* damaged frames dropped since the start */
uint8_t talk_is_this_life(uint16_t session, uint16_t boot);

/* -- commands: each is done once, and answered again when it comes again */

uint8_t talk_is_new(uint16_t id);
void talk_done(uint16_t id, uint8_t result);
void talk_begun(uint16_t id);                 /* takes longer: answered by talk_ended */
void talk_ended(uint16_t id, uint8_t result);

#endif
