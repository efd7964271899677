/* The whole controller: its parts in order, and the boot number that outlives the power. */
#include "core.h"
#include "board.h"
#include "edges.h"
#include "faults.h"
#include "lights.h"
#include "limits.h"
#include "link.h"
#include "scan.h"
#include "settings.h"
#include "talk.h"
#include "tilt.h"
#include "watch.h"

static uint32_t s_now_ms;
static uint8_t s_restart_ms; /* until the restart that was asked for, 0: none */

/* Two copies are written in turn, each with a check: a power cut while one is written spoils the older one only. */
static uint8_t check_of(uint16_t boot) {
    return (uint8_t)(0xA5 ^ boot ^ (boot >> 8));
}

static uint8_t read_copy(uint8_t address, uint16_t *boot) {
    *boot = (uint16_t)(board_stored(address) | board_stored(address + 1) << 8);
    return board_stored(address + 2) == check_of(*boot);
}

static uint16_t next_boot(void) {
    uint16_t even, odd, boot = 0;
    uint8_t has_even = read_copy(0, &even), has_odd = read_copy(4, &odd);
    if (has_even && has_odd) {
        boot = (uint16_t)(even - odd) < 0x8000 ? even : odd;
    } else if (has_even) {
        boot = even;
    } else if (has_odd) {
        boot = odd;
    }
    boot++;
    uint8_t address = boot & 1 ? 4 : 0;
    board_store(address, (uint8_t)boot);
    board_store(address + 1, (uint8_t)(boot >> 8));
    board_store(address + 2, check_of(boot));
    return boot;
}

void core_start(void) {
    s_now_ms = 0;
    s_restart_ms = 0;
    uint16_t boot = next_boot();
    settings_start();
    faults_start();
    tilt_start();
    scan_start();
    edges_start(boot, s_now_ms);
    lights_start();
    talk_start(boot);
    link_start();
    watch_start();
}

void core_tick(void) {
    s_now_ms++;
    edges_tick(s_now_ms);
    scan_tick();
    tilt_tick();
    lights_tick();
    watch_tick();
    link_tick();
    if (s_restart_ms > 1) {
        s_restart_ms--;
    } else if (s_restart_ms && !settings_writing() && board_send_buffer()) { /* what is being said is said whole */
        board_restart();
    }
}

void core_restart(void) {
    tilt_disable();
    s_restart_ms = RESTART_AFTER_MS;
}

void core_poll(void) {
    talk_poll();
}
