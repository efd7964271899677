/* The line: host frames are opened in place and obeyed; answers wait as notes until the sender is free. */
#include <string.h>
#include "link.h"
#include "board.h"
#include "core.h"
#include "edges.h"
#include "faults.h"
#include "frame.h"
#include "lights.h"
#include "limits.h"
#include "settings.h"
#include "tilt.h"
#include "watch.h"

#define ACKS_MAX 4  /* a host has one command under way; what falls out is asked for again */
#define PONGS_MAX 4

static uint8_t s_frame[BALANX_FRAME_MAX]; /* what comes in, opened in place */
static uint8_t s_length, s_skipping;
static uint16_t s_bad_frames;
static uint16_t s_boot, s_session;
static uint16_t s_last_id;
static uint8_t s_last_result, s_has_last;
static uint16_t s_store_id; /* of the store under way: answered when it has ended */
static uint8_t s_zero_due, s_hello_due, s_margins_due;
static uint8_t s_margins_first, s_margins_count;
static struct {
    uint16_t id;
    uint8_t result;
} s_acks[ACKS_MAX];
static uint8_t s_ack_count;
static uint16_t s_pongs[PONGS_MAX];
static uint8_t s_pong_count;

void link_start(uint16_t boot) {
    s_length = s_skipping = 0;
    s_bad_frames = 0;
    s_boot = boot;
    s_session = BALANX_SESSION_UNASKED;
    s_has_last = s_ack_count = s_pong_count = s_margins_due = 0;
    s_zero_due = s_hello_due = 1;
}

uint16_t link_bad_frames(void) {
    return s_bad_frames;
}

/* -- what comes in */

static void acknowledge(uint16_t id, uint8_t result) {
    if (s_ack_count == ACKS_MAX) {
        memmove(s_acks, s_acks + 1, sizeof s_acks - sizeof s_acks[0]);
        s_ack_count--;
    }
    s_acks[s_ack_count].id = id;
    s_acks[s_ack_count].result = result;
    s_ack_count++;
}

/* Whether a command is to be done; one that was done is only answered again. */
static uint8_t is_new(uint16_t id) {
    if (!s_has_last || s_last_id != id) {
        return 1;
    }
    if (!settings_writing() || s_store_id != id) {
        acknowledge(id, s_last_result);
    }
    return 0;
}

static void done(uint16_t id, uint8_t result) {
    s_has_last = 1;
    s_last_id = id;
    s_last_result = result;
    acknowledge(id, result);
}

static void configure(uint16_t id, uint8_t key, uint16_t value) {
    if (key != CONFIG_KEY_STORE) {
        done(id, settings_configure(key, value));
        return;
    }
    uint8_t result = settings_store(value);
    if (result != RESULT_DONE) {
        done(id, result);
        return;
    }
    s_has_last = 1;
    s_last_id = s_store_id = id;
}

/* Fixed bytes of a host's message with its number, 0: no such message. */
static uint8_t size_of(uint8_t message) {
    switch (message) {
    case MSG_GET_HELLO: return sizeof(struct msg_get_hello);
    case MSG_GET_PICTURE: return sizeof(struct msg_get_picture);
    case MSG_ACK_EDGES: return sizeof(struct msg_ack_edges);
    case MSG_ENABLE_TILT: return sizeof(struct msg_enable_tilt);
    case MSG_TILT_TO: return sizeof(struct msg_tilt_to);
    case MSG_STOP_TILT: return sizeof(struct msg_stop_tilt);
    case MSG_DISABLE_TILT: return sizeof(struct msg_disable_tilt);
    case MSG_LIGHTS: return sizeof(struct msg_lights) + 1;
    case MSG_CONFIGURE: return sizeof(struct msg_configure);
    case MSG_GET_MARGINS: return sizeof(struct msg_get_margins);
    case MSG_PING: return sizeof(struct msg_ping);
    case MSG_RESTART: return sizeof(struct msg_restart);
    default: return 0;
    }
}

static void obey(const uint8_t *body) {
    switch (body[0]) {
    case MSG_GET_HELLO: {
        uint16_t session = ((const struct msg_get_hello *)body)->session;
        if (session != s_session) {
            s_session = session;
            s_has_last = 0;
            faults_again();
        }
        s_hello_due = 1;
        break;
    }
    case MSG_GET_PICTURE:
        picture_wanted();
        tilt_report_wanted(); /* a host that has just come up knows neither */
        break;
    case MSG_ACK_EDGES: {
        const struct msg_ack_edges *m = (const struct msg_ack_edges *)body;
        edges_acknowledged(m->number, m->boot);
        break;
    }
    case MSG_ENABLE_TILT: {
        const struct msg_enable_tilt *m = (const struct msg_enable_tilt *)body;
        if (is_new(m->id)) {
            done(m->id, tilt_enable(m->angle_cdeg));
        }
        break;
    }
    case MSG_TILT_TO: {
        const struct msg_tilt_to *m = (const struct msg_tilt_to *)body;
        if (is_new(m->id)) {
            done(m->id, tilt_to(m->angle_cdeg, m->swing_ms));
        }
        break;
    }
    case MSG_STOP_TILT: {
        uint16_t id = ((const struct msg_stop_tilt *)body)->id;
        if (is_new(id)) {
            tilt_stop();
            done(id, RESULT_DONE);
        }
        break;
    }
    case MSG_DISABLE_TILT: {
        uint16_t id = ((const struct msg_disable_tilt *)body)->id;
        if (is_new(id)) {
            tilt_disable();
            done(id, RESULT_DONE);
        }
        break;
    }
    case MSG_LIGHTS: {
        const struct msg_lights *m = (const struct msg_lights *)body;
        const uint8_t *palette = body + sizeof *m;
        if (is_new(m->id)) {
            done(m->id, lights_set(m->first, palette + 1, palette[0]));
        }
        break;
    }
    case MSG_CONFIGURE: {
        const struct msg_configure *m = (const struct msg_configure *)body;
        if (is_new(m->id)) {
            configure(m->id, m->key, m->value);
        }
        break;
    }
    case MSG_GET_MARGINS: {
        const struct msg_get_margins *m = (const struct msg_get_margins *)body;
        s_margins_first = m->first;
        s_margins_count = m->count;
        s_margins_due = 1;
        break;
    }
    case MSG_PING:
        if (s_pong_count < PONGS_MAX) {
            s_pongs[s_pong_count++] = ((const struct msg_ping *)body)->token;
        }
        break;
    case MSG_RESTART: {
        const struct msg_restart *m = (const struct msg_restart *)body;
        if (m->session == s_session && m->session != BALANX_SESSION_UNASKED && m->boot == s_boot) {
            core_restart();
        }
        break;
    }
    }
}

static void take_frame(void) {
    uint8_t length = frame_open(s_frame, s_length);
    const uint8_t *body = s_frame + 1;
    if (!length) {
        s_bad_frames += s_bad_frames < 0xFFFF;
        return;
    }
    uint8_t size = size_of(body[0]); /* what a newer host may say is no damage and no command */
    if (!size || length < size || (body[0] == MSG_LIGHTS && length - size < body[size - 1])) {
        return;
    }
    tilt_heard();
    obey(body);
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

void link_tick(void) {
    uint8_t result;
    if (settings_tick(&result)) {
        if (s_last_id == s_store_id) {
            s_last_result = result;
        }
        acknowledge(s_store_id, result);
        if (result == RESULT_DONE) {
            fault_over(FAULT_CODE_SETTINGS_LOST);
        }
    }
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
    hello->features = board_features() | (watch_chain_checked() ? FEATURE_CHAIN_END : 0);
    uint8_t at = sizeof *hello;
    body[at++] = 1; /* firmware version */
    body[at++] = 0;
    body[at++] = 0;
    at += put_text(body + at, "Balanx");
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

static uint8_t put_margins(uint8_t *body) {
    uint8_t cells = board_cells();
    uint8_t count = 0; /* a board without margins says so by telling none */
    body[0] = MSG_MARGINS;
    body[1] = s_margins_first;
#if SEND_MAX >= BALANX_FRAME_MAX
    if ((board_features() & FEATURE_MARGINS) && s_margins_first < cells) {
        count = s_margins_count < MARGINS_MAX ? s_margins_count : MARGINS_MAX;
        if (count > cells - s_margins_first) {
            count = cells - s_margins_first;
        }
    }
    for (uint8_t i = 0, at = 3; i < count; i++, at += 4) {
        uint16_t reading, threshold;
        board_margin(s_margins_first + i, &reading, &threshold);
        memcpy(body + at, &reading, 2);
        memcpy(body + at + 2, &threshold, 2);
    }
#else
    (void)cells;
#endif
    body[2] = count;
    return 3 + 4 * count;
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
    if (fault_take((struct msg_fault *)body)) {
        return sizeof(struct msg_fault);
    }
    if (edges_take((struct msg_edge *)body)) {
        return sizeof(struct msg_edge);
    }
    if (picture_due()) { /* behind its edges: a host does not believe one that is ahead of them */
        return picture_take(body);
    }
    if (s_margins_due) {
        s_margins_due = 0;
        return put_margins(body);
    }
    if (tilt_report_due()) {
        tilt_report_take((struct msg_tilt *)body);
        return sizeof(struct msg_tilt);
    }
    return 0;
}

void link_poll(void) {
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
