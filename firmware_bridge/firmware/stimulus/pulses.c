/* Pulses seen on the servo line wait here until they are told; a running number shows what fell out. */
#include <string.h>
#include <util/atomic.h>
#include "stimulus.h"

static volatile struct {
    uint32_t start_us;
    uint16_t width_half_us, number;
} s_pulses[PULSES_MAX];
static volatile uint8_t s_first, s_count;
static volatile uint16_t s_number, s_lost;

void pulse_seen(uint32_t start_us, uint16_t width_half_us) {
    s_number++;
    if (s_count == PULSES_MAX) {
        s_lost++;
        return;
    }
    uint8_t at = (s_first + s_count) % PULSES_MAX;
    s_pulses[at].start_us = start_us;
    s_pulses[at].width_half_us = width_half_us;
    s_pulses[at].number = s_number;
    s_count++;
}

uint8_t pulse_take(struct msg_pulse *pulse) {
    uint8_t taken = 0;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        if (s_count) {
            taken = 1;
            pulse->message = MSG_PULSE;
            pulse->number = s_pulses[s_first].number;
            pulse->start_us = s_pulses[s_first].start_us;
            pulse->width_half_us = s_pulses[s_first].width_half_us;
            s_first = (s_first + 1) % PULSES_MAX;
            s_count--;
        }
    }
    return taken;
}

uint16_t pulses_lost(void) {
    uint16_t lost;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        lost = s_lost;
    }
    return lost;
}
