/* What the stimulus board obeys, and what it has to say beside its answers; lines that nobody watches over come to rest. */
#include "link.h"
#include "board.h"
#include "limits.h"
#include "stimulus.h"
#include "talk.h"

static uint16_t s_silent_ms; /* since the last message, stays at SILENCE_MS */
static uint8_t s_lines_due;

void link_start(void) {
    s_silent_ms = SILENCE_MS;
    s_lines_due = 0;
}

const char *link_product(void) {
    return "Balanx stimulus";
}

uint8_t link_features(void) {
    return 0;
}

void link_greeted(void) {
    /* whoever is new is told no more than anybody */
}

uint8_t link_size_of(uint8_t message) {
    switch (message) {
    case MSG_GET_HELLO: return sizeof(struct msg_get_hello);
    case MSG_PING: return sizeof(struct msg_ping);
    case MSG_DRIVE: return (sizeof(struct msg_drive) + 1) | LINK_OCTETS;
    case MSG_RELEASE: return sizeof(struct msg_release);
    case MSG_GET_LINES: return sizeof(struct msg_get_lines);
    default: return 0;
    }
}

void link_obey(const uint8_t *body) {
    s_silent_ms = 0;
    switch (body[0]) {
    case MSG_DRIVE: {
        const struct msg_drive *m = (const struct msg_drive *)body;
        const uint8_t *changes = body + sizeof *m;
        if (talk_is_new(m->id)) {
            talk_done(m->id, schedule_add(m->at_us, m->id, changes + 1, changes[0]));
        }
        break;
    }
    case MSG_RELEASE: {
        uint16_t id = ((const struct msg_release *)body)->id;
        if (talk_is_new(id)) {
            schedule_clear();
            talk_done(id, RESULT_DONE);
        }
        break;
    }
    case MSG_GET_LINES:
        s_lines_due = 1;
        break;
    }
}

void link_tick(void) {
    if (s_silent_ms < SILENCE_MS && ++s_silent_ms == SILENCE_MS) {
        schedule_clear(); /* nobody is there any more: a board under test must not be left with lines held */
    }
}

uint8_t link_next(uint8_t *body) {
    if (schedule_done_take((struct msg_driven *)body)) {
        return sizeof(struct msg_driven);
    }
    if (pulse_take((struct msg_pulse *)body)) {
        return sizeof(struct msg_pulse);
    }
    if (s_lines_due) {
        struct msg_lines *lines = (struct msg_lines *)body;
        s_lines_due = 0;
        lines->message = MSG_LINES;
        lines->servo = servo_level();
        lines->power = power_seen();
        lines->waiting = schedule_waiting();
        lines->pulses_lost = pulses_lost();
        lines->board_us = board_us();
        return sizeof *lines;
    }
    return 0;
}
