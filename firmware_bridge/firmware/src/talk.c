/* Frames are opened in place and obeyed; answers wait as notes until the sender is free. */
#include <string.h>
#include "talk.h"
#include "board.h"
#include "frame.h"
#include "limits.h"
#include "link.h"

#define ACKS_MAX 4 /* a host has one command under way; what falls out is asked for again */
#define PONGS_MAX 4
#define UNDER_WAY 0xFF /* no RESULT of a board */

static uint8_t s_frame[BALANX_FRAME_MAX]; /* what comes in, opened in place */
static uint8_t s_length, s_skipping;
static uint16_t s_bad_frames;
static uint16_t s_boot, s_session;
static uint16_t s_last_id;
static uint8_t s_last_result, s_has_last;
static uint8_t s_zero_due, s_hello_due;
static struct {
    uint16_t id;
    uint8_t result;
} s_acks[ACKS_MAX];
static uint8_t s_ack_count;
static uint16_t s_pongs[PONGS_MAX];
static uint8_t s_pong_count;

void talk_start(uint16_t boot) {
    s_length = s_skipping = 0;
    s_bad_frames = 0;
    s_boot = boot;
    s_session = BALANX_SESSION_UNASKED;
    s_has_last = s_ack_count = s_pong_count = 0;
    s_zero_due = s_hello_due = 1;
}

uint16_t talk_bad_frames(void) {
    return s_bad_frames;
}

uint8_t talk_is_this_life(uint16_t session, uint16_t boot) {
    return session == s_session && session != BALANX_SESSION_UNASKED && boot == s_boot;
}

/* -- commands */

static void acknowledge(uint16_t id, uint8_t result) {
    if (s_ack_count == ACKS_MAX) {
        memmove(s_acks, s_acks + 1, sizeof s_acks - sizeof s_acks[0]);
        s_ack_count--;
    }
    s_acks[s_ack_count].id = id;
    s_acks[s_ack_count].result = result;
    s_ack_count++;
}

uint8_t talk_is_new(uint16_t id) {
    if (!s_has_last || s_last_id != id) {
        return 1;
    }
    if (s_last_result != UNDER_WAY) {
        acknowledge(id, s_last_result);
    }
    return 0;
}

static void remember(uint16_t id, uint8_t result) {
    s_has_last = 1;
    s_last_id = id;
    s_last_result = result;
}

void talk_begun(uint16_t id) {
    remember(id, UNDER_WAY);
}

void talk_done(uint16_t id, uint8_t result) {
    remember(id, result);
    acknowledge(id, result);
}

void talk_ended(uint16_t id, uint8_t result) {
    if (s_last_id == id && s_last_result == UNDER_WAY) { /* else another one has been done since */
        s_last_result = result;
    }
    acknowledge(id, result);
}

/* -- what comes in */

static void take_message(const uint8_t *body) {
    if (body[0] == MSG_GET_HELLO) {
        uint16_t session = ((const struct msg_get_hello *)body)->session;
        if (session != s_session) {
            s_session = session;
            s_has_last = 0;
            link_greeted();
        }
        s_hello_due = 1;
    } else if (body[0] == MSG_PING && s_pong_count < PONGS_MAX) {
        s_pongs[s_pong_count++] = ((const struct msg_ping *)body)->token;
    }
    link_obey(body);
}

static void take_frame(void) {
    uint8_t length = frame_open(s_frame, s_length);
    const uint8_t *body = s_frame + 1;
    if (!length) {
        s_bad_frames += s_bad_frames < 0xFFFF;
        return;
    }
    uint8_t fixed = link_size_of(body[0]); /* what a newer host may say is no damage and no command */
    uint8_t size = fixed & (uint8_t)~LINK_OCTETS;
    if (size && length >= size && (fixed == size || length - size >= body[size - 1])) {
        take_message(body);
    }
}

static void take_byte(uint8_t byte) {
    if (byte) {
        if (s_length < BALANX_FRAME_MAX - 1) {
            s_frame[s_length++] = byte;
        } else if (!s_skipping) {
            s_skipping = 1;
            s_bad_frames += s_bad_frames < 0xFFFF;
        }
        return;
    }
    if (s_length && !s_skipping) {
        take_frame();
    }
    s_length = s_skipping = 0;
}

/* -- what goes out */

static uint8_t put_text(uint8_t *at, const char *text) {
    uint8_t length = (uint8_t)strlen(text);
    at[0] = length;
    memcpy(at + 1, text, length);
    return length + 1;
}

static uint8_t put_hello(uint8_t *body) {
    struct msg_hello *hello = (struct msg_hello *)body;
    hello->message = MSG_HELLO;
    hello->major = BALANX_MAJOR;
    hello->minor = BALANX_MINOR;
    hello->build_id = board_build_id();
    hello->cells = board_cells();
    hello->bits = board_bits();
    hello->reader_hz = board_reader_hz();
    hello->reset_cause = board_reset_cause();
    hello->boot = s_boot;
    hello->session = s_session;
    hello->features = link_features();
    uint8_t at = sizeof *hello;
    body[at++] = 1; /* firmware version */
    body[at++] = 0;
    body[at++] = 0;
    at += put_text(body + at, link_product());
    at += put_text(body + at, board_kind());
    body[at] = board_unique_id(body + at + 1);
    at += 1 + body[at];
    uint32_t commit = board_commit_id();
    body[at++] = commit ? sizeof commit : 0;
    for (uint8_t shift = 32; commit && shift; at++) { /* as it is written: the first byte first */
        shift -= 8;
        body[at] = (uint8_t)(commit >> shift);
    }
    return at;
}

/* Writes the most urgent message into body; returns its length, 0: nothing to say. */
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
    return link_next(body);
}

void talk_poll(void) {
    int16_t byte;
    while ((byte = board_receive()) >= 0) {
        take_byte((uint8_t)byte);
    }
    uint8_t *buffer = board_send_buffer();
    if (!buffer) {
        return;
    }
    if (s_zero_due) { /* ends whatever noise was on the line */
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
