/* The stimulus board of a test rig: what its parts ask of each other and of the chip. */
#ifndef BALANX_STIMULUS_H
#define BALANX_STIMULUS_H
#include <stdint.h>
#include "stimulus_messages.h"

#ifndef OUTPUTS
#define OUTPUTS 56 /* of the chain of 74HC595 */
#endif
#define CHANGES_MAX 56 /* changes that wait for their time */
#define NOTES_MAX 24   /* drives that were done and not told yet */
#define PULSES_MAX 12
#define SPIN_US 1500 /* so close to a change the loop does not sleep any more */

/* -- what the chip does */

void lines_begin(void);
void lines_set(uint8_t line, uint8_t level);  /* nothing moves before lines_show */
void lines_rest(void);                        /* all lines as after a reset */
void lines_show(void);
uint8_t servo_level(void);
uint8_t power_seen(void);

/* -- changes that wait for their time, and what was done */

void schedule_begin(void);
uint8_t schedule_add(uint32_t at_us, uint16_t id, const uint8_t *pairs, uint8_t count); /* answers a RESULT */
void schedule_clear(void);
uint8_t schedule_waiting(void);
void schedule_poll(void);            /* does what is due */
uint8_t schedule_soon(void);         /* the next change is due within SPIN_US */
uint8_t schedule_done_take(struct msg_driven *driven);

/* -- pulses of the servo line; pulse_seen is called with interrupts off */

void pulse_seen(uint32_t start_us, uint16_t width_half_us);
uint8_t pulse_take(struct msg_pulse *pulse);
uint16_t pulses_lost(void);

#endif
