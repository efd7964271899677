/* The stimulus board on an ATmega328P: lines out through 74HC595, the servo's pulses in through the capture input. */
/*
 * PD4 RCLK of all 74HC595     PD5 SRCLK of all     PD6 SER of the first: output n goes to the controller's input n
 * PB0 ICP1  the controller's servo signal
 * PC0, PC1  the controller's end inputs, closed to ground when their line is 1
 * PC2       the controller's RESET, held low when its line is 1
 * PC3       the power switch of the controller (high: on)     PC4  the controller's supply, high when it is there
 * PD0 RXD, PD1 TXD  the line
 */
#include <avr/boot.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include "board.h"
#include "chip.h"
#include "limits.h"
#include "link.h"
#include "stimulus.h"
#include "talk.h"

#define LATCH_PIN 4
#define SER_PIN 6
#define POWER_PIN 3
#define POWER_SEEN_PIN 4
#define OPEN_LINES 3 /* PC0..PC2: only ever pulled low, never driven high */
#define BYTES ((OUTPUTS + 7) / 8)

static uint8_t s_out[BYTES];
static uint8_t s_pulled; /* bits of PORTC's open lines */
static uint8_t s_power;
static uint16_t s_rise;
static uint32_t s_rise_us;
static volatile uint8_t s_reset_flags __attribute__((section(".noinit")));

void reset_begin(void) __attribute__((naked, used, section(".init3")));
void reset_begin(void) {
    s_reset_flags = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

uint8_t board_reset_cause(void) {
    return s_reset_flags & _BV(WDRF) ? RESET_CAUSE_WATCHDOG
         : s_reset_flags & _BV(PORF) ? RESET_CAUSE_POWER_ON
         : s_reset_flags & _BV(BORF) ? RESET_CAUSE_BROWN_OUT
         : s_reset_flags & _BV(EXTRF) ? RESET_CAUSE_EXTERNAL : RESET_CAUSE_UNKNOWN;
}

uint8_t board_cells(void) {
    return OUTPUTS;
}

uint8_t board_bits(void) {
    return 1;
}

uint16_t board_reader_hz(void) {
    return 0; /* it reads none */
}

uint32_t board_build_id(void) {
    return BUILD_ID;
}

uint32_t board_commit_id(void) {
    return 0;
}

const char *board_kind(void) {
    return "stimulus";
}

uint8_t board_unique_id(uint8_t *id) {
    for (uint8_t i = 0; i < 9; i++) {
        id[i] = boot_signature_byte_get(0x0F + i);
    }
    return 9;
}

void chain_sample(void) {
    /* the tick is only the clock here */
}

void lines_begin(void) {
    DDRD |= _BV(LATCH_PIN) | _BV(CLOCK_PIN) | _BV(SER_PIN);
    PORTC |= _BV(POWER_PIN); /* before it is driven: the board under test must not lose its supply for a moment */
    DDRC |= _BV(POWER_PIN);
    lines_rest();
    lines_show();
}

void lines_rest(void) {
    for (uint8_t i = 0; i < BYTES; i++) {
        s_out[i] = 0;
    }
    s_pulled = 0;
    s_power = 1;
}

void lines_set(uint8_t line, uint8_t level) {
    if (line < OUTPUTS) {
        uint8_t bit = _BV(line & 7);
        s_out[line >> 3] = level ? s_out[line >> 3] | bit : s_out[line >> 3] & (uint8_t)~bit;
    } else if (line == STIMULUS_LINE_POWER) {
        s_power = level;
    } else {
        uint8_t bit = _BV(line - STIMULUS_LINE_END_SEAT0);
        s_pulled = level ? s_pulled | bit : s_pulled & (uint8_t)~bit;
    }
}

void lines_show(void) {
    /* the last output goes first; a sensor that sees something pulls its input low */
    for (uint8_t i = BYTES * 8; i--;) {
        if (s_out[i >> 3] & _BV(i & 7)) {
            PORTD &= (uint8_t)~_BV(SER_PIN);
        } else {
            PORTD |= _BV(SER_PIN);
        }
        PORTD |= _BV(CLOCK_PIN);
        PORTD &= (uint8_t)~_BV(CLOCK_PIN);
    }
    PORTD |= _BV(LATCH_PIN);
    PORTD &= (uint8_t)~_BV(LATCH_PIN);
    DDRC = (uint8_t)((DDRC & (uint8_t)~(_BV(OPEN_LINES) - 1)) | s_pulled); /* their PORTC bits are 0 for ever */
    if (s_power) {
        PORTC |= _BV(POWER_PIN);
    } else {
        PORTC &= (uint8_t)~_BV(POWER_PIN);
    }
}

uint8_t servo_level(void) {
    return PINB & 1;
}

uint8_t power_seen(void) {
    return PINC >> POWER_SEEN_PIN & 1;
}

static void capture_begin(void) {
    TCCR1A = 0;
    TCCR1B = _BV(ICNC1) | _BV(ICES1) | _BV(CS11); /* half microseconds, noise canceller, rising edge first */
    TIMSK1 = _BV(ICIE1);
}

ISR(TIMER1_CAPT_vect) {
    uint16_t at = ICR1;
    if (TCCR1B & _BV(ICES1)) {
        s_rise = at;
        s_rise_us = board_us() - (uint16_t)(TCNT1 - at) / 2;
        TCCR1B &= (uint8_t)~_BV(ICES1);
    } else {
        pulse_seen(s_rise_us, at - s_rise);
        TCCR1B |= _BV(ICES1);
    }
    TIFR1 = _BV(ICF1); /* the change of edge may have set it */
}

int main(void) {
    wdt_enable(WDTO_120MS);
    lines_begin();
    schedule_begin();
    talk_start(0); /* it counts no boots */
    link_start();
    capture_begin();
    line_begin();
    clock_begin();
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;) {
        while (clock_due()) {
            clock_take();
            link_tick();
            wdt_reset();
        }
        schedule_poll();
        talk_poll();
        cli();
        if (clock_due() || line_busy() || schedule_soon()) {
            sei();
        } else {
            sleep_enable();
            sei();
            sleep_cpu();
            sleep_disable();
        }
    }
}
