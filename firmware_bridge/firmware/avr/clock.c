/* Timer 0: a tick each millisecond, in which the sensors are read; microseconds since the start. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>
#include "board.h"
#include "chip.h"

static volatile uint32_t s_us;
static volatile uint8_t s_due; /* ticks that the core has not seen */

void clock_begin(void) {
    TCCR0A = _BV(WGM01);
    OCR0A = 249; /* 16 MHz / 64 / 250 */
    TIMSK0 = _BV(OCIE0A);
    TCCR0B = _BV(CS01) | _BV(CS00);
}

ISR(TIMER0_COMPA_vect) {
    s_us += 1000;
    s_due++;
    chain_sample();
}

uint8_t clock_due(void) {
    return s_due;
}

void clock_take(void) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        s_due--;
    }
}

uint32_t board_us(void) {
    uint32_t us;
    uint8_t count;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        us = s_us;
        count = TCNT0;
        if ((TIFR0 & _BV(OCF0A)) && count < 125) {
            us += 1000; /* the tick is over, its interrupt still waits */
        }
    }
    return us + 4 * (uint16_t)count;
}
