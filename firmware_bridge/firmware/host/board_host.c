/* board.h for a computer: one board in memory, time in slots of one byte on the line. */
#include <string.h>
#include "board_host.h"
#include "board.h"
#include "core.h"
#include "lights.h"
#include "limits.h"
#include "settings.h"
#include "talk.h"

#define SLOT_US 40
#define PERIOD_US 20000
#define QUEUE_MAX 8192
#define STORED 128
#define STORE_US 3400

static struct {
    uint8_t cells, bits, features, cause;
    uint16_t reader_every_ms, until_reader_ms;
    uint8_t stored[STORED];
    uint32_t storing_us; /* until the byte being written is there */
    uint8_t chain_end, restarts;
    uint16_t supply_mv;
    uint8_t dead_from; /* inputs from here on read 0 */
    uint8_t started;
    uint8_t now[CELLS_MAX], sampled[CELLS_MAX];
    uint16_t margins[CELLS_MAX][2];
    uint8_t ends;
    uint64_t us;
    uint16_t servo_us, pulse_us, widest_us, narrowest_us;
    uint32_t first_pulse_us;
    uint8_t lights[CELLS_MAX], lights_changed;
    uint8_t in[QUEUE_MAX];
    uint16_t in_first, in_count;
    int16_t received;
    uint8_t frame[SEND_MAX];
    uint8_t frame_length, frame_sent;
    uint8_t out[QUEUE_MAX];
    uint16_t out_first, out_count;
} b;

/* -- the driver's side */

void host_fit(uint8_t cells, uint8_t bits, uint8_t features, uint16_t reader_every_ms) {
    memset(&b, 0, sizeof b);
    memset(b.stored, 0xFF, sizeof b.stored);
    b.cells = cells <= CELLS_MAX ? cells : CELLS_MAX;
    b.bits = bits;
    b.features = features;
    b.reader_every_ms = reader_every_ms;
    b.received = -1;
    b.supply_mv = 5000;
    b.dead_from = CELLS_MAX;
}

void host_reset(uint8_t cause) {
    b.cause = cause;
    b.us = 0;
    b.servo_us = b.pulse_us = 0;
    b.first_pulse_us = 0;
    b.until_reader_ms = 0;
    b.in_count = 0;
    b.received = -1;
    b.frame_length = 0;
    b.storing_us = 0;
    b.restarts = b.started = 0;
    core_start();
    b.started = 1;
}

void host_stored(uint8_t address, uint8_t value) {
    b.stored[address % STORED] = value;
}

uint8_t host_stored_at(uint8_t address) {
    return b.stored[address % STORED];
}

void host_chain(uint8_t end, uint8_t dead_from) {
    b.chain_end = end;
    b.dead_from = dead_from;
}

void host_supply(uint16_t supply_mv) {
    b.supply_mv = supply_mv;
}

void host_input(uint8_t cell, uint8_t reading) {
    b.now[cell % CELLS_MAX] = reading;
}

void host_ends(uint8_t sensed) {
    b.ends = sensed; /* ENDS_STALE may be among them */
}

void host_margin(uint8_t cell, uint16_t reading, uint16_t threshold) {
    b.margins[cell % CELLS_MAX][0] = reading;
    b.margins[cell % CELLS_MAX][1] = threshold;
}

uint16_t host_write(const uint8_t *bytes, uint16_t length) {
    uint16_t taken = 0;
    while (taken < length && b.in_count < QUEUE_MAX) {
        b.in[(b.in_first + b.in_count++) % QUEUE_MAX] = bytes[taken++];
    }
    return taken;
}

static void pulse_begins(void) {
    b.pulse_us = b.servo_us;
    if (!b.pulse_us) {
        return;
    }
    if (!b.first_pulse_us) {
        b.first_pulse_us = (uint32_t)b.us;
    }
    if (b.pulse_us > b.widest_us) {
        b.widest_us = b.pulse_us;
    }
    if (!b.narrowest_us || b.pulse_us < b.narrowest_us) {
        b.narrowest_us = b.pulse_us;
    }
}

void host_run(uint32_t slots) {
    while (slots--) {
        b.us += SLOT_US;
        if (b.frame_length) {
            if (b.out_count < QUEUE_MAX) {
                b.out[(b.out_first + b.out_count++) % QUEUE_MAX] = b.frame[b.frame_sent];
            }
            if (++b.frame_sent == b.frame_length) {
                b.frame_length = 0;
            }
        }
        if (b.in_count) {
            b.received = b.in[b.in_first];
            b.in_first = (b.in_first + 1) % QUEUE_MAX;
            b.in_count--;
        }
        if (b.us % PERIOD_US == 0) {
            pulse_begins();
        }
        if (b.us % 1000 == 0) {
            core_tick();
        }
        core_poll();
        b.storing_us -= b.storing_us < SLOT_US ? b.storing_us : SLOT_US;
        if (b.restarts) {
            host_reset(RESET_CAUSE_SOFTWARE);
        }
        if (b.lights_changed) {
            b.lights_changed = 0;
            for (uint8_t light = 0; light < b.cells; light++) {
                b.lights[light] = lights_colour(light);
            }
        }
    }
}

uint16_t host_read(uint8_t *bytes, uint16_t room) {
    uint16_t taken = 0;
    while (taken < room && b.out_count) {
        bytes[taken++] = b.out[b.out_first];
        b.out_first = (b.out_first + 1) % QUEUE_MAX;
        b.out_count--;
    }
    return taken;
}

uint16_t host_pulse_us(void) {
    return b.pulse_us;
}

uint16_t host_widest_us(void) {
    return b.widest_us;
}

uint16_t host_narrowest_us(void) {
    return b.narrowest_us;
}

uint32_t host_first_pulse_us(void) {
    return b.first_pulse_us;
}

uint8_t host_light(uint8_t light) {
    return b.lights[light % CELLS_MAX];
}

uint16_t host_bad_frames(void) {
    return talk_bad_frames();
}

/* -- board.h */

uint8_t board_cells(void) {
    return b.cells;
}

uint8_t board_bits(void) {
    return b.bits;
}

uint16_t board_reader_hz(void) {
    return 1000 / b.reader_every_ms;
}

uint8_t board_features(void) {
    return b.features;
}

uint32_t board_build_id(void) {
    return BUILD_ID;
}

uint32_t board_commit_id(void) {
    return COMMIT_ID;
}

const char *board_kind(void) {
    return "classic";
}

uint8_t board_unique_id(uint8_t *id) {
    memcpy(id, "host", 4);
    return 4;
}

uint8_t board_reset_cause(void) {
    return b.cause;
}

uint8_t board_stored(uint8_t address) {
    return b.stored[address % STORED];
}

void board_store(uint8_t address, uint8_t value) {
    b.stored[address % STORED] = value;
    b.storing_us = b.started ? STORE_US : 0;
}

uint8_t board_store_ready(void) {
    return b.storing_us == 0;
}

void board_restart(void) {
    b.restarts = 1; /* behind this slot: the core is in the middle of its tick */
}

uint32_t board_us(void) {
    return (uint32_t)b.us;
}

uint8_t board_sample(void) {
    if (b.until_reader_ms) {
        b.until_reader_ms--;
        return 0;
    }
    b.until_reader_ms = b.reader_every_ms - 1;
    memcpy(b.sampled, b.now, sizeof b.sampled);
    memset(b.sampled + b.dead_from, 0, (size_t)(CELLS_MAX - b.dead_from));
    return 1;
}

uint8_t board_chain_end(void) {
    return b.chain_end;
}

uint8_t board_inputs8(uint8_t byte) {
    uint8_t inputs = 0;
    for (uint8_t i = 0; i < 8; i++) {
        inputs |= (uint8_t)((b.sampled[8 * byte + i] != 0) << i);
    }
    return inputs;
}

uint8_t board_reading(uint8_t cell) {
    return b.sampled[cell];
}

void board_margin(uint8_t cell, uint16_t *reading, uint16_t *threshold) {
    *reading = b.margins[cell][0];
    *threshold = settings()->threshold ? settings()->threshold : b.margins[cell][1];
}

uint8_t board_ends(void) {
    return b.ends;
}

void board_servo(uint16_t pulse_us) {
    b.servo_us = pulse_us; /* counts from the next period on, as the timer's buffered register does */
}

uint16_t board_supply_mv(void) {
    return b.supply_mv;
}

void board_lights_changed(void) {
    b.lights_changed = 1;
}

int16_t board_receive(void) {
    int16_t byte = b.received;
    b.received = -1;
    return byte;
}

uint8_t *board_send_buffer(void) {
    return b.frame_length ? 0 : b.frame;
}

void board_send(uint8_t length) {
    b.frame_length = length;
    b.frame_sent = 0;
}
