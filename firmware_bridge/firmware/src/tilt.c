/* Tilt commands -> servo pulses within limits of angle, slew and duty; end inputs, deadline, stall and silence. */
#include "tilt.h"
#include "board.h"
#include "faults.h"
#include "limits.h"
#include "settings.h"

static uint32_t s_now_ms;
static uint8_t s_armed;  /* enabled, and not ended since */
static uint8_t s_signal; /* pulses go out */
static int16_t s_from_cdeg, s_target_cdeg;
static int16_t s_pulse_cdeg; /* what the pulse says now */
static uint8_t s_pulsed;     /* and the board has been told so */
static uint32_t s_start_ms;
static uint16_t s_swing_ms;
static uint8_t s_moving, s_watched, s_left_end, s_holding;
static uint16_t s_hold_left_ms;
static uint32_t s_duty; /* milliseconds of motion not yet rested */
static uint8_t s_sensed, s_ends_run, s_ends_count, s_ends_begun;
static uint16_t s_silent_ms; /* since the last good frame, stays at SILENCE_MS */
static uint16_t s_reported_ms;
static uint8_t s_report_now;
static uint8_t s_stale_ms; /* since the last fresh reading of the end inputs, stays at its limit */

void tilt_start(void) {
    s_now_ms = 0;
    s_armed = s_signal = s_moving = s_watched = s_holding = s_left_end = s_pulsed = 0;
    s_from_cdeg = s_target_cdeg = s_pulse_cdeg = 0;
    s_start_ms = 0;
    s_swing_ms = 0;
    s_duty = 0;
    s_sensed = s_ends_run = s_ends_count = s_ends_begun = 0;
    s_silent_ms = SILENCE_MS;
    s_reported_ms = 0;
    s_report_now = s_stale_ms = 0;
    board_servo(0);
}

static uint8_t fitted(void) {
    return board_features() & FEATURE_SERVO;
}

/* The end input that a target should close, 0 if none. */
static uint8_t end_of(int16_t angle_cdeg) {
    if (!(board_features() & FEATURE_END_INPUTS)) {
        return 0;
    }
    return angle_cdeg >= END_CDEG ? SENSED_SEAT0_DOWN : angle_cdeg <= -END_CDEG ? SENSED_SEAT1_DOWN : 0;
}

/* Where the profile is: minimum jerk, u^3 (10 - 15 u + 6 u^2), in 1/32768. */
static int16_t commanded(void) {
    uint32_t gone_ms = s_now_ms - s_start_ms;
    if (!s_moving || gone_ms >= s_swing_ms) {
        return s_target_cdeg;
    }
    int32_t u = (int32_t)((gone_ms << 15) / s_swing_ms);
    int32_t u2 = (u * u) >> 15;
    int32_t u3 = (u2 * u) >> 15;
    int32_t share = (u3 * (10 * 32768L - 15 * u + 6 * u2)) >> 15;
    return (int16_t)(s_from_cdeg + (((int32_t)s_target_cdeg - s_from_cdeg) * share + 16384) / 32768);
}

/* The only place that makes pulses: limits of angle and slew hold here whatever was asked for. */
static void pulse(void) {
    int16_t wanted = commanded();
    if (wanted == s_pulse_cdeg && s_pulsed) {
        return;
    }
    s_pulsed = 1;
    if (wanted > s_pulse_cdeg + SLEW_CDEG_MS * PULSE_STEP_MS) {
        wanted = s_pulse_cdeg + SLEW_CDEG_MS * PULSE_STEP_MS;
    }
    if (wanted < s_pulse_cdeg - SLEW_CDEG_MS * PULSE_STEP_MS) {
        wanted = s_pulse_cdeg - SLEW_CDEG_MS * PULSE_STEP_MS;
    }
    if (wanted > ANGLE_MAX_CDEG) {
        wanted = ANGLE_MAX_CDEG;
    }
    if (wanted < -ANGLE_MAX_CDEG) {
        wanted = -ANGLE_MAX_CDEG;
    }
    s_pulse_cdeg = wanted;
    board_servo((uint16_t)(PULSE_LEVEL_US + (int32_t)wanted * PULSE_US_PER_100_CDEG / 100));
}

static void begin(int16_t from_cdeg, int16_t target_cdeg, uint16_t lasts_ms) {
    s_from_cdeg = from_cdeg;
    s_target_cdeg = target_cdeg;
    s_start_ms = s_now_ms;
    s_swing_ms = lasts_ms;
    s_moving = lasts_ms > 0;
    s_holding = 0;
    s_left_end = end_of(target_cdeg) == s_sensed ? 0 : s_sensed;
    s_watched = s_moving && end_of(target_cdeg);
    s_signal = 1;
    s_pulsed = 0;
    s_report_now = 1;
    pulse();
}

static uint8_t beyond_limit(int16_t angle_cdeg) {
    int16_t limit_cdeg = (int16_t)settings()->angle_limit_cdeg;
    return angle_cdeg > limit_cdeg || angle_cdeg < -limit_cdeg;
}

uint8_t tilt_enable(int16_t angle_cdeg) {
    if (!fitted()) {
        return RESULT_UNKNOWN;
    }
    if (s_now_ms < NO_PULSE_MS) {
        return RESULT_TOO_SOON;
    }
    if (settings_locked()) {
        return RESULT_LOCKED;
    }
    if (angle_cdeg != BALANX_ANGLE_UNKNOWN_CDEG &&
        beyond_limit(angle_cdeg)) {
        return RESULT_OUT_OF_LIMITS;
    }
    if (s_armed && s_signal) {
        return RESULT_DONE;
    }
    s_armed = 1;
    if (angle_cdeg == BALANX_ANGLE_UNKNOWN_CDEG) {
        /* only an end input can tell where the board stands; without one the servo itself has to find level */
        int16_t from = s_sensed == SENSED_SEAT0_DOWN ? ANGLE_MAX_CDEG : s_sensed == SENSED_SEAT1_DOWN ? -ANGLE_MAX_CDEG : 0;
        s_pulse_cdeg = from;
        begin(from, 0, TO_LEVEL_MS);
    } else {
        s_pulse_cdeg = angle_cdeg;
        begin(angle_cdeg, angle_cdeg, 0);
    }
    return RESULT_DONE;
}

uint8_t tilt_to(int16_t angle_cdeg, uint16_t swing_ms) {
    if (!fitted()) {
        return RESULT_UNKNOWN;
    }
    if (!s_armed) {
        return RESULT_NOT_ENABLED;
    }
    if (beyond_limit(angle_cdeg)) {
        return RESULT_OUT_OF_LIMITS;
    }
    if (swing_ms < settings()->swing_min_ms) {
        return RESULT_TOO_FAST;
    }
    if (s_moving) {
        return RESULT_BUSY;
    }
    if (s_duty >= DUTY_MAX_MS) {
        fault_tell(FAULT_CODE_DUTY_LIMIT, (uint16_t)((s_duty - DUTY_MAX_MS) / 1000 + 1));
        return RESULT_DUTY_LIMIT;
    }
    begin(s_target_cdeg, angle_cdeg, swing_ms);
    return RESULT_DONE;
}

void tilt_stop(void) {
    if (s_moving) {
        s_target_cdeg = commanded();
        s_moving = s_watched = 0;
        s_report_now = 1;
    }
}

void tilt_disable(void) {
    if (!fitted()) {
        return;
    }
    tilt_stop();
    if (s_signal || s_armed) {
        s_report_now = 1;
    }
    s_signal = s_armed = s_watched = s_holding = 0;
    board_servo(0);
}

static void ends_tick(void) {
    if (!(board_features() & FEATURE_END_INPUTS)) {
        return;
    }
    uint8_t now = board_ends();
    if (now & ENDS_STALE) {
        s_stale_ms += s_stale_ms < FEEDBACK_STALE_MS;
        return;
    }
    s_stale_ms = 0;
    if (!s_ends_begun) {
        s_ends_begun = 1;
        s_sensed = s_ends_run = now;
        return;
    }
    if (now != s_ends_run) {
        s_ends_run = now;
        s_ends_count = 0;
    }
    if (s_ends_run == s_sensed || ++s_ends_count < ENDS_SAMPLES) {
        return;
    }
    s_sensed = s_ends_run;
    s_ends_count = 0;
    s_report_now = 1;
    if (s_sensed == (SENSED_SEAT0_DOWN | SENSED_SEAT1_DOWN)) {
        /* no board stands at both ends: nothing that follows could be believed */
        fault_tell(FAULT_CODE_BOTH_ENDS, 0);
        tilt_disable();
    }
}

static void watch(uint32_t gone_ms) {
    if (!s_watched) {
        return;
    }
    uint16_t shown_ms = gone_ms > 0xFFFF ? 0xFFFF : (uint16_t)gone_ms;
    if (s_left_end && !(s_sensed & s_left_end)) {
        s_left_end = 0;
    }
    if (s_stale_ms == FEEDBACK_STALE_MS) {
        fault_tell(FAULT_CODE_FEEDBACK_STALE, FEEDBACK_STALE_MS);
        tilt_disable();
    } else if (s_left_end && gone_ms >= (uint32_t)s_swing_ms + STALL_MS) {
        fault_tell(FAULT_CODE_TILT_STALLED, shown_ms);
        tilt_disable();
    } else if (gone_ms >= s_swing_ms && gone_ms >= settings()->deadline_ms) {
        s_watched = 0;
        if (s_sensed != end_of(s_target_cdeg)) {
            fault_tell(FAULT_CODE_TILT_DEADLINE, shown_ms);
            tilt_disable();
        }
    }
}

void tilt_tick(void) {
    s_now_ms++;
    s_reported_ms++;
    if (s_silent_ms < SILENCE_MS && ++s_silent_ms == SILENCE_MS && s_armed) {
        tilt_disable();
        fault_tell(FAULT_CODE_HOST_SILENT, 0);
    }
    ends_tick();
    uint32_t gone_ms = s_now_ms - s_start_ms;
    if (s_moving) {
        s_duty++;
        if (gone_ms >= s_swing_ms) {
            s_moving = 0;
            s_report_now = 1;
            s_hold_left_ms = settings()->hold_ms;
            s_holding = s_hold_left_ms != HOLD_FOR_EVER;
        } else if (s_reported_ms >= REPORT_MOVING_MS) {
            s_report_now = 1;
        }
    } else if (s_duty) {
        s_duty--;
    }
    watch(gone_ms);
    if (s_holding && !s_hold_left_ms--) {
        s_holding = 0;
        s_signal = 0;
        s_report_now = 1;
        board_servo(0);
    }
    if (s_signal && s_now_ms % PULSE_STEP_MS == 0) {
        pulse();
    }
    if (s_reported_ms >= REPORT_IDLE_MS) {
        s_report_now = 1;
    }
}

void tilt_heard(void) {
    s_silent_ms = 0;
}

uint8_t tilt_silent(void) {
    return s_silent_ms >= SILENCE_MS;
}

void tilt_report_wanted(void) {
    s_report_now = 1;
}

uint8_t tilt_report_due(void) {
    return s_report_now;
}

void tilt_report_take(struct msg_tilt *report) {
    s_report_now = 0;
    s_reported_ms = 0;
    report->message = MSG_TILT;
    report->commanded_cdeg = commanded();
    report->sensed = s_sensed;
    report->moving = s_moving;
    report->enabled = s_signal;
    report->supply_mv = fitted() ? board_supply_mv() : 0;
    report->board_us = board_us();
}
