/* The see-saw's motor: commands in, pulses, reports and faults out. */
#ifndef BALANX_TILT_H
#define BALANX_TILT_H
#include <stdint.h>
#include "messages.h"

void tilt_start(void);                 /* after a reset: no pulse, built-in limits */
void tilt_tick(void);                  /* once a millisecond */
void tilt_heard(void);                 /* a good frame of the host came */
uint8_t tilt_silent(void);             /* nothing heard for SILENCE_MS */
uint8_t tilt_enable(int16_t angle_cdeg); /* these answer a RESULT */
uint8_t tilt_to(int16_t angle_cdeg, uint16_t swing_ms);
void tilt_stop(void);
void tilt_disable(void);
void tilt_report_wanted(void);
uint8_t tilt_report_due(void);
void tilt_report_take(struct msg_tilt *report);

#endif
