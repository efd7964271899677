/* What the controller obeys, and what it has to say beside its answers. */
#include <string.h>
#include "link.h"
#include "board.h"
#include "core.h"
#include "edges.h"
#include "faults.h"
#include "lights.h"
#include "limits.h"
#include "settings.h"
#include "talk.h"
#include "tilt.h"
#include "watch.h"

static uint16_t s_store_id; /* of the store under way: answered when it has ended */
static uint8_t s_margins_due, s_margins_first, s_margins_count;

void link_start(void) {
    s_margins_due = 0;
}

const char *link_product(void) {
    return "Balanx";
}

uint8_t link_features(void) {
    return board_features() | (watch_chain_checked() ? FEATURE_CHAIN_END : 0);
}

void link_greeted(void) {
    faults_again();
}

uint8_t link_size_of(uint8_t message) {
    switch (message) {
    case MSG_GET_HELLO: return sizeof(struct msg_get_hello);
    case MSG_GET_PICTURE: return sizeof(struct msg_get_picture);
    case MSG_ACK_EDGES: return sizeof(struct msg_ack_edges);
    case MSG_ENABLE_TILT: return sizeof(struct msg_enable_tilt);
    case MSG_TILT_TO: return sizeof(struct msg_tilt_to);
    case MSG_STOP_TILT: return sizeof(struct msg_stop_tilt);
    case MSG_DISABLE_TILT: return sizeof(struct msg_disable_tilt);
    case MSG_LIGHTS: return (sizeof(struct msg_lights) + 1) | LINK_OCTETS;
    case MSG_CONFIGURE: return sizeof(struct msg_configure);
    case MSG_GET_MARGINS: return sizeof(struct msg_get_margins);
    case MSG_PING: return sizeof(struct msg_ping);
    case MSG_RESTART: return sizeof(struct msg_restart);
    default: return 0;
    }
}

static void configure(uint16_t id, uint8_t key, uint16_t value) {
    if (key != CONFIG_KEY_STORE) {
        talk_done(id, settings_configure(key, value));
        return;
    }
    uint8_t result = settings_store(value);
    if (result != RESULT_DONE) {
        talk_done(id, result);
        return;
    }
    s_store_id = id;
    talk_begun(id);
}

void link_obey(const uint8_t *body) {
    tilt_heard();
    switch (body[0]) {
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
        if (talk_is_new(m->id)) {
            talk_done(m->id, tilt_enable(m->angle_cdeg));
        }
        break;
    }
    case MSG_TILT_TO: {
        const struct msg_tilt_to *m = (const struct msg_tilt_to *)body;
        if (talk_is_new(m->id)) {
            talk_done(m->id, tilt_to(m->angle_cdeg, m->swing_ms));
        }
        break;
    }
    case MSG_STOP_TILT: {
        uint16_t id = ((const struct msg_stop_tilt *)body)->id;
        if (talk_is_new(id)) {
            tilt_stop();
            talk_done(id, RESULT_DONE);
        }
        break;
    }
    case MSG_DISABLE_TILT: {
        uint16_t id = ((const struct msg_disable_tilt *)body)->id;
        if (talk_is_new(id)) {
            tilt_disable();
            talk_done(id, RESULT_DONE);
        }
        break;
    }
    case MSG_LIGHTS: {
        const struct msg_lights *m = (const struct msg_lights *)body;
        const uint8_t *palette = body + sizeof *m;
        if (talk_is_new(m->id)) {
            talk_done(m->id, lights_set(m->first, palette + 1, palette[0]));
        }
        break;
    }
    case MSG_CONFIGURE: {
        const struct msg_configure *m = (const struct msg_configure *)body;
        if (talk_is_new(m->id)) {
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
    case MSG_RESTART: {
        const struct msg_restart *m = (const struct msg_restart *)body;
        if (talk_is_this_life(m->session, m->boot)) {
            core_restart();
        }
        break;
    }
    }
}

void link_tick(void) {
    uint8_t result;
    if (settings_tick(&result)) {
        talk_ended(s_store_id, result);
        if (result == RESULT_DONE) {
            fault_over(FAULT_CODE_SETTINGS_LOST);
        }
    }
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

uint8_t link_next(uint8_t *body) {
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
