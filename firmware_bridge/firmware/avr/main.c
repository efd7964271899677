/* The ATmega328P: who it is, why it started, and the loop that sleeps between ticks. */
#include <avr/boot.h>
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include "board.h"
#include "chip.h"
#include "core.h"
#include "limits.h"

_Static_assert(CELLS <= CELLS_MAX && F_CPU / 16 / (F_CPU / 16 / BALANX_BAUD) == BALANX_BAUD, "sizes and an exact baud rate");

/* Not in .bss: written before that is cleared. */
static volatile uint8_t s_reset_flags __attribute__((section(".noinit")));
static volatile uint16_t s_restarts __attribute__((section(".noinit")));
#define RESTARTS 0x5AFE

/* The watchdog still runs after it has bitten: it must be stopped before anything that takes time. */
void reset_begin(void) __attribute__((naked, used, section(".init3")));
void reset_begin(void) {
    s_reset_flags = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

static uint8_t s_restarted;

uint8_t board_reset_cause(void) {
    if (s_reset_flags & _BV(WDRF)) {
        return s_restarted ? RESET_CAUSE_SOFTWARE : RESET_CAUSE_WATCHDOG;
    }
    if (s_reset_flags & _BV(PORF)) {
        return RESET_CAUSE_POWER_ON; /* the brown-out flag comes with it */
    }
    if (s_reset_flags & _BV(BORF)) {
        return RESET_CAUSE_BROWN_OUT;
    }
    if (s_reset_flags & _BV(EXTRF)) {
        return RESET_CAUSE_EXTERNAL;
    }
    return RESET_CAUSE_UNKNOWN; /* a boot loader has taken the flags */
}

uint8_t board_cells(void) {
    return CELLS;
}

uint8_t board_bits(void) {
    return 1;
}

uint16_t board_reader_hz(void) {
    return 1000;
}

uint8_t board_features(void) {
    return FEATURE_SERVO | FEATURE_END_INPUTS | FEATURE_LIGHTS;
}

uint32_t board_build_id(void) {
    return BUILD_ID;
}

uint32_t board_commit_id(void) {
    return COMMIT_ID;
}

const char *board_kind(void) {
    return BOARD_KIND;
}

uint8_t board_unique_id(uint8_t *id) {
    for (uint8_t i = 0; i < 9; i++) {
        id[i] = boot_signature_byte_get(0x0F + i); /* lot, wafer and place on it */
    }
    return 9;
}

void board_margin(uint8_t cell, uint16_t *reading, uint16_t *threshold) {
    (void)cell;
    *reading = *threshold = 0;
}

uint8_t board_stored(uint8_t address) {
    return eeprom_read_byte((const uint8_t *)(uintptr_t)address);
}

void board_store(uint8_t address, uint8_t value) {
    eeprom_update_byte((uint8_t *)(uintptr_t)address, value);
}

uint8_t board_store_ready(void) {
    return eeprom_is_ready();
}

void board_restart(void) {
    s_restarts = RESTARTS;
    cli();
    for (;;) { /* until the watchdog bites: it resets the pins and the timer as well */
    }
}

int main(void) {
    s_restarted = s_restarts == RESTARTS;
    s_restarts = 0;
    wdt_enable(WDTO_120MS); /* 250 ms could be 10 % longer */
    PORTC |= SENSED_SEAT0_DOWN | SENSED_SEAT1_DOWN; /* pull-ups: an open wire is no end */
    servo_begin();
    chain_begin();
    lights_begin();
    supply_begin();
    core_start();
    line_begin();
    clock_begin();
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;) {
        uint8_t late = clock_due();
        if (late) {
            clock_take();
            core_tick();
            supply_measure();
            wdt_reset(); /* only a loop that sees the clock is alive */
        }
        core_poll(); /* after each tick: what has come must not wait for a loop that is behind */
        if (late < 2) {
            lights_show();
        }
        cli();
        if (clock_due() || line_busy()) {
            sei();
        } else {
            sleep_enable();
            sei(); /* the next instruction is done before any interrupt: none is slept over */
            sleep_cpu();
            sleep_disable();
        }
    }
}
