/* Samples of all inputs -> accepted readings: a reading counts at the n-th equal sample in a row. */
#include <string.h>
#include "scan.h"
#include "board.h"
#include "edges.h"
#include "limits.h"
#include "settings.h"

static uint8_t s_begun;
static uint8_t s_count[CELLS_MAX];   /* equal samples in a row, of cells whose run is not accepted */
static uint8_t s_flicker[CELLS_MAX]; /* runs that ended before they were accepted, since the last picture */
static uint8_t s_run[CELLS_MAX / 8]; /* one bit a cell: what the last sample showed */
static uint8_t s_accepted[CELLS_MAX / 8];
#if BITS_MAX > 1
static uint8_t s_wide_run[CELLS_MAX]; /* the same for boards with more bits a cell */
static uint8_t s_wide_accepted[CELLS_MAX];
#endif

void scan_start(void) {
    s_begun = 0;
    memset(s_count, 0, sizeof s_count);
    memset(s_flicker, 0, sizeof s_flicker);
}

/* One cell whose sample changed or whose run is not accepted yet; returns 1 when the run becomes accepted. */
static uint8_t step(uint8_t cell, uint8_t changed, uint8_t was_pending, uint8_t is_pending) {
    if (changed) {
        if (was_pending && s_flicker[cell] < 255) {
            s_flicker[cell]++;
        }
        s_count[cell] = 1;
    } else if (s_count[cell] < 255) {
        s_count[cell]++;
    }
    return is_pending && s_count[cell] >= settings()->debounce_samples;
}

static void tick_bits(void) {
    uint8_t cells = board_cells();
    for (uint8_t byte = 0, first = 0; first < cells; byte++, first += 8) {
        uint8_t changed = board_inputs8(byte) ^ s_run[byte];
        uint8_t pending = s_run[byte] ^ s_accepted[byte];
        if (!(changed | pending)) {
            continue;
        }
        uint8_t cell = first;
        for (uint8_t mask = 1; mask && cell < cells; mask <<= 1, cell++) {
            if (!((changed | pending) & mask)) {
                continue;
            }
            s_run[byte] ^= changed & mask;
            if (step(cell, changed & mask, pending & mask, (s_run[byte] ^ s_accepted[byte]) & mask)) {
                s_accepted[byte] ^= mask;
                edges_add(cell, (s_accepted[byte] & mask) != 0);
            }
        }
    }
}

#if BITS_MAX > 1
static void tick_wide(void) {
    uint8_t cells = board_cells();
    uint8_t top = (uint8_t)((1u << board_bits()) - 1);
    for (uint8_t cell = 0; cell < cells; cell++) {
        uint8_t now = board_reading(cell) & top;
        uint8_t changed = now != s_wide_run[cell];
        uint8_t pending = s_wide_run[cell] != s_wide_accepted[cell];
        if (!(changed | pending)) {
            continue;
        }
        s_wide_run[cell] = now;
        if (step(cell, changed, pending, now != s_wide_accepted[cell])) {
            s_wide_accepted[cell] = now;
            edges_add(cell, now);
        }
    }
}
#endif

static void begin(void) {
    uint8_t cells = board_cells();
    for (uint8_t byte = 0; byte < (cells + 7) / 8; byte++) {
        uint8_t inputs = board_inputs8(byte);
        if (cells - 8 * byte < 8) {
            inputs &= (uint8_t)((1u << (cells - 8 * byte)) - 1); /* unused bits of a picture are zero */
        }
        s_run[byte] = s_accepted[byte] = inputs;
    }
#if BITS_MAX > 1
    uint8_t top = (uint8_t)((1u << board_bits()) - 1);
    for (uint8_t cell = 0; cell < cells; cell++) {
        s_wide_run[cell] = s_wide_accepted[cell] = board_reading(cell) & top;
    }
#endif
    s_begun = 1;
}

void scan_tick(void) {
    if (!board_sample()) {
        return;
    }
    if (!s_begun) {
        begin();
        return;
    }
#if BITS_MAX > 1
    if (board_bits() > 1) {
        tick_wide();
        return;
    }
#endif
    tick_bits();
}

uint8_t scan_flicker(uint8_t *pairs) {
    uint8_t cells = board_cells();
    uint8_t found = 0;
    while (found < BALANX_FLICKER_PAIRS_MAX) {
        uint8_t worst = 0;
        for (uint8_t cell = 1; cell < cells; cell++) {
            if (s_flicker[cell] > s_flicker[worst]) {
                worst = cell;
            }
        }
        if (s_flicker[worst] == 0) {
            break;
        }
        *pairs++ = worst;
        *pairs++ = s_flicker[worst];
        s_flicker[worst] = 0;
        found++;
    }
    memset(s_flicker, 0, sizeof s_flicker);
    return found;
}

uint8_t scan_readings(uint8_t *packed) {
    uint8_t cells = board_cells();
#if BITS_MAX > 1
    uint8_t bits = board_bits();
    if (bits > 1) {
        uint8_t bytes = (uint8_t)(((uint16_t)cells * bits + 7) / 8);
        memset(packed, 0, bytes);
        uint16_t at = 0;
        for (uint8_t cell = 0; cell < cells; cell++, at += bits) {
            uint16_t shifted = (uint16_t)(s_wide_accepted[cell] << (at & 7));
            packed[at >> 3] |= (uint8_t)shifted;
            if (shifted >> 8) {
                packed[(at >> 3) + 1] |= (uint8_t)(shifted >> 8);
            }
        }
        return bytes;
    }
#endif
    memcpy(packed, s_accepted, (cells + 7) / 8);
    return (cells + 7) / 8;
}

uint8_t scan_dead_from(void) {
    uint8_t byte = (board_cells() + 7) / 8;
    if (board_bits() > 1 || !byte) {
        return 0;
    }
    uint8_t dead = s_run[byte - 1] & 1 << ((board_cells() - 1) & 7) ? 0xFF : 0;
    uint8_t last = (uint8_t)(0xFF >> (8 * byte - board_cells()));
    if ((s_run[byte - 1] & last) != (dead & last)) {
        return board_cells();
    }
    for (byte--; byte && s_run[byte - 1] == dead; byte--) {
    }
    return 8 * byte;
}
