/* Sizes and limits that are built in: configure may narrow them, nothing widens them. */
#ifndef BALANX_LIMITS_H
#define BALANX_LIMITS_H
#include "messages.h"

#ifdef CELLS
#define CELLS_MAX ((CELLS + 7) / 8 * 8) /* a chip knows how long its chain is */
#else
#define CELLS_MAX 128 /* inputs of the longest chain */
#endif
#ifndef BITS_MAX
#define BITS_MAX 8 /* most bits a cell; the chain of 74HC165 has 1 and saves the room */
#endif
#ifndef SEND_MAX
#define SEND_MAX BALANX_FRAME_MAX /* bytes of the longest frame that this board sends */
#endif

#define DEBOUNCE_SAMPLES 5
#define DEBOUNCE_SAMPLES_MAX 250
#define EDGES_MAX 32
#define MARGINS_MAX 60 /* pairs a frame carries */

#define RESEND_MS 100
#define PICTURE_AFTER_EDGE_MS 20
#define PICTURE_EVERY_MS 1000
#define SILENCE_MS 1000

#define NO_PULSE_MS 1000 /* after a reset */
#define ANGLE_MAX_CDEG 800
#define END_CDEG 730 /* from here on a target closes its end input */
#define SWING_MIN_MS 250
#define SLEW_CDEG_MS 12 /* steepest part of a whole swing in SWING_MIN_MS */
#define PULSE_STEP_MS 4 /* the profile is worked out this often; a period has 20 */
#define TO_LEVEL_MS 3000
#define DEADLINE_MS 2000
#define STALL_MS 250 /* after the swing's own time: the end that was left must have opened */
#define HOLD_FOR_EVER 0xFFFF
#define FEEDBACK_STALE_MS 100 /* in a motion towards an end, without a fresh reading of the end inputs */
#define DUTY_MAX_MS 20000UL /* of motion at a stretch; beyond it the motor rests as long as it moved */
#define REPORT_MOVING_MS 100
#define REPORT_IDLE_MS 5000
#define ENDS_SAMPLES 5

#define RESTART_AFTER_MS 25 /* more than a servo's period: the last pulse is whole */

#define BAD_FRAMES_EVERY_MS 5000
#define SUPPLY_MIN_MV 4200 /* the chip's own reference is 10 % wrong at most: a good 5 V never reads as low */
#define SUPPLY_MIN_MAX_MV 20000
#define SUPPLY_WELL_MV 100 /* so much above it is well again */
#define SUPPLY_LOW_MS 20
#define CHAIN_RIGHT_MIN 64 /* right answers in a row of a chain's end that is whole */
#define CHAIN_WRONG_MAX 40

#define PULSE_LEVEL_US 1500
#define PULSE_US_PER_100_CDEG 50 /* full tilt: 1500 +- 400 us */

#endif
