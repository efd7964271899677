/* Accepted changes -> numbered edges, sent again until acknowledged; overflow and the times of pictures. */
#include "edges.h"
#include "board.h"
#include "limits.h"
#include "scan.h"

/*
 * Numbers stand in a row and end with s_number, so an edge need not carry its own. Its time is the low half: a host that
 * lives takes an edge within a minute, and one that comes later takes a picture instead.
 */
static struct {
    uint8_t cell;
#if BITS_MAX > 1
    uint8_t reading;
#endif
    uint16_t at_ms;
} s_queue[EDGES_MAX];
static uint8_t s_first, s_count; /* ring */
static uint8_t s_sent;           /* of the s_count from s_first on, how many are out since the last round */
static uint16_t s_number, s_boot;
static uint8_t s_overflow;
static uint32_t s_now_ms, s_round_ms, s_picture_ms, s_last_picture_ms;
static uint8_t s_picture_soon, s_picture_now;

void edges_start(uint16_t boot, uint32_t now_ms) {
    s_first = s_count = s_sent = 0;
    s_number = 0;
    s_boot = boot;
    s_overflow = s_picture_now = 0;
    s_now_ms = s_round_ms = s_last_picture_ms = now_ms;
    s_picture_ms = now_ms + PICTURE_AFTER_EDGE_MS;
    s_picture_soon = 1;
}

#if BITS_MAX > 1
static void put(uint8_t at, uint8_t cell, uint8_t reading) {
    s_queue[at].cell = cell;
    s_queue[at].reading = reading;
}

static void get(uint8_t at, uint8_t *cell, uint8_t *reading) {
    *cell = s_queue[at].cell;
    *reading = s_queue[at].reading;
}
#else
/* One bit a cell lies in the cell's own byte: 32 bytes of a small chip. */
_Static_assert(CELLS_MAX <= 128, "seven bits tell the cell");

static void put(uint8_t at, uint8_t cell, uint8_t reading) {
    s_queue[at].cell = cell | (reading ? 0x80 : 0);
}

static void get(uint8_t at, uint8_t *cell, uint8_t *reading) {
    *cell = s_queue[at].cell & 0x7F;
    *reading = s_queue[at].cell >> 7;
}
#endif

static uint32_t happened(uint8_t at) {
    return s_now_ms - (uint16_t)(s_now_ms - s_queue[at].at_ms);
}

void edges_add(uint8_t cell, uint8_t reading) {
    s_number++;
    if (s_count == EDGES_MAX) {
        s_overflow = 1;
        s_count = s_sent = 0;
    }
    if (!s_overflow) {
        uint8_t at = (s_first + s_count) % EDGES_MAX;
        put(at, cell, reading);
        s_queue[at].at_ms = (uint16_t)s_now_ms;
        s_count++;
    }
    s_picture_ms = s_now_ms + PICTURE_AFTER_EDGE_MS;
    s_picture_soon = 1;
}

void edges_tick(uint32_t now_ms) {
    s_now_ms = now_ms;
    if (s_count) {
        uint32_t since = happened(s_first);
        if ((int32_t)(s_round_ms - since) > 0) {
            since = s_round_ms;
        }
        if (now_ms - since >= RESEND_MS) {
            s_sent = 0;
            s_round_ms = now_ms;
        }
    }
    if (s_picture_soon && (int32_t)(now_ms - s_picture_ms) >= 0) {
        s_picture_soon = 0;
        s_picture_now = 1;
    }
    if (now_ms - s_last_picture_ms >= PICTURE_EVERY_MS) {
        s_last_picture_ms = now_ms;
        s_picture_now = 1;
    }
}

void edges_acknowledged(uint16_t number, uint16_t boot) {
    if (boot != s_boot) {
        return;
    }
    while (s_count && (uint16_t)(number - (uint16_t)(s_number - s_count + 1)) < 0x8000) {
        s_first = (s_first + 1) % EDGES_MAX;
        s_count--;
        if (s_sent) {
            s_sent--;
        }
    }
    if (s_overflow && number == s_number) {
        s_overflow = 0;
    }
}

uint8_t edges_take(struct msg_edge *edge) {
    if (s_sent == s_count) {
        return 0;
    }
    uint8_t at = (s_first + s_sent) % EDGES_MAX;
    edge->message = MSG_EDGE;
    get(at, &edge->cell, &edge->reading);
    edge->board_us = happened(at) * 1000;
    edge->number = s_number - s_count + 1 + s_sent;
    edge->boot = s_boot;
    s_sent++;
    return 1;
}

void picture_wanted(void) {
    s_picture_now = 1;
}

uint8_t picture_due(void) {
    return s_picture_now;
}

uint8_t picture_take(uint8_t *body) {
    struct msg_picture *picture = (struct msg_picture *)body;
    picture->message = MSG_PICTURE;
    picture->number = s_number;
    picture->overflow = s_overflow;
    picture->board_us = board_us();
    picture->boot = s_boot;
    picture->bits = board_bits();
    uint8_t at = sizeof *picture;
    body[at] = scan_flicker(body + at + 1);
    at += 1 + 2 * body[at];
    body[at++] = board_cells();
    at += scan_readings(body + at);
    s_picture_now = 0;
    s_last_picture_ms = s_now_ms;
    if (s_overflow) { /* again until the host has taken one */
        s_picture_ms = s_now_ms + RESEND_MS;
        s_picture_soon = 1;
    }
    return at;
}
