/* The stimulus board's end of the wire: the same frames as the controller's, other messages. */
#include <string.h>
#include "board.h"
#include "frame.h"
#include "limits.h"
#include "stimulus.h"

#define ACKS_MAX 8
#define PONGS_MAX 4

static uint8_t s_frame[BALANX_FRAME_MAX];
static uint8_t s_length, s_skipping;
static uint16_t s_session, s_last_id;
static uint8_t s_last_result, s_has_last;
static uint8_t s_zero_due, s_hello_due, s_lines_due;
static uint32_t s_heard_us;
static uint8_t s_heard; /* a host has been there and the lines are not at rest because of it */
static struct {
    uint16_t id;
    uint8_t result;
} s_acks[ACKS_MAX];
static uint8_t s_ack_count;
static uint16_t s_pongs[PONGS_MAX];
static uint8_t s_pong_count;

void talk_begin(void) {
    s_length = s_skipping = s_has_last = s_ack_count = s_pong_count = s_lines_due = s_heard = 0;
    s_session = BALANX_SESSION_UNASKED;
    s_zero_due = s_hello_due = 1;
}

static void acknowledge(uint16_t id, uint8_t result) {
    if (s_ack_count < ACKS_MAX) { /* what finds no room is asked for again */
        s_acks[s_ack_count].id = id;
        s_acks[s_ack_count].result = result;
        s_ack_count++;
    }
}

static void done(uint16_t id, uint8_t result) {
    s_has_last = 1;
    s_last_id = id;
    s_last_result = result;
    acknowledge(id, result);
}

static uint8_t is_new(uint16_t id) {
    if (s_has_last && s_last_id == id) {
        acknowledge(id, s_last_result);
        return 0;
    }
    return 1;
}

static void obey(const uint8_t *body, uint8_t length) {
    switch (body[0]) {
    case MSG_GET_HELLO:
        if (length >= sizeof(struct msg_get_hello)) {
            uint16_t session = ((const struct msg_get_hello *)body)->session;
            if (session != s_session) {
                s_session = session;
                s_has_last = 0;
            }
            s_hello_due = 1;
        }
        break;
    case MSG_PING:
        if (length >= sizeof(struct msg_ping) && s_pong_count < PONGS_MAX) {
            s_pongs[s_pong_count++] = ((const struct msg_ping *)body)->token;
        }
        break;
    case MSG_DRIVE: {
        const struct msg_drive *m = (const struct msg_drive *)body;
        if (length > sizeof *m && length - sizeof *m > body[sizeof *m] && is_new(m->id)) {
            done(m->id, schedule_add(m->at_us, m->id, body + sizeof *m + 1, body[sizeof *m]));
        }
        break;
    }
    case MSG_RELEASE:
        if (length >= sizeof(struct msg_release)) {
            uint16_t id = ((const struct msg_release *)body)->id;
            if (is_new(id)) {
                schedule_clear();
                done(id, RESULT_DONE);
            }
        }
        break;
    case MSG_GET_LINES:
        s_lines_due = 1;
        break;
    }
}

static void take_byte(uint8_t byte) {
    if (byte) {
        if (s_length < BALANX_FRAME_MAX - 1) {
            s_frame[s_length++] = byte;
        } else {
            s_skipping = 1;
        }
        return;
    }
    if (s_length && !s_skipping) {
        uint8_t length = frame_open(s_frame, s_length);
        if (length) {
            s_heard_us = board_us();
            s_heard = 1;
            obey(s_frame + 1, length);
        }
    }
    s_length = s_skipping = 0;
}

static uint8_t put_text(uint8_t *at, const char *text) {
    uint8_t length = (uint8_t)strlen(text);
    at[0] = length;
    memcpy(at + 1, text, length);
    return length + 1;
}

static uint8_t put_hello(uint8_t *body) {
    struct msg_hello *hello = (struct msg_hello *)body;
    memset(hello, 0, sizeof *hello);
    hello->message = MSG_HELLO;
    hello->major = BALANX_MAJOR;
    hello->minor = BALANX_MINOR;
    hello->build_id = board_build_id();
    hello->cells = OUTPUTS;
    hello->bits = 1;
    hello->reset_cause = board_reset_cause();
    hello->session = s_session;
    uint8_t at = sizeof *hello;
    body[at++] = 1; /* firmware version */
    body[at++] = 0;
    body[at++] = 0;
    at += put_text(body + at, "Balanx stimulus");
    at += put_text(body + at, "stimulus");
    body[at] = board_unique_id(body + at + 1);
    return at + 1 + body[at];
}

static uint8_t put_next(uint8_t *body) {
    if (s_hello_due) {
        s_hello_due = 0;
        return put_hello(body);
    }
    if (s_ack_count) {
        struct msg_ack *ack = (struct msg_ack *)body;
        ack->message = MSG_ACK;
        ack->id = s_acks[0].id;
        ack->result = s_acks[0].result;
        s_ack_count--;
        memmove(s_acks, s_acks + 1, s_ack_count * sizeof s_acks[0]);
        return sizeof *ack;
    }
    if (s_pong_count) {
        struct msg_pong *pong = (struct msg_pong *)body;
        pong->message = MSG_PONG;
        pong->token = s_pongs[0];
        pong->board_us = board_us();
        s_pong_count--;
        memmove(s_pongs, s_pongs + 1, s_pong_count * sizeof s_pongs[0]);
        return sizeof *pong;
    }
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

void talk_poll(void) {
    int16_t byte;
    while ((byte = board_receive()) >= 0) {
        take_byte((uint8_t)byte);
    }
    if (s_heard && board_us() - s_heard_us > SILENCE_US) {
        s_heard = 0; /* nobody is there any more: a board under test must not be left with lines held */
        schedule_clear();
    }
    uint8_t *buffer = board_send_buffer();
    if (!buffer) {
        return;
    }
    if (s_zero_due) {
        s_zero_due = 0;
        buffer[0] = 0;
        board_send(1);
        return;
    }
    uint8_t length = put_next(buffer + 1);
    if (length) {
        board_send(frame_close(buffer, length));
    }
}
