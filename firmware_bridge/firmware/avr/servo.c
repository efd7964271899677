/* Timer 1 makes the servo's pulses by itself: 50 Hz, 0.5 us steps; a signal ends behind a whole pulse. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>
#include "board.h"
#include "chip.h"
#include "limits.h"

#define STEPS_PER_US 2
#define PERIOD_US 20000U

static volatile uint8_t s_ending;

void servo_begin(void) {
    PORTB &= (uint8_t)~_BV(1);
    DDRB |= _BV(1);
    ICR1 = PERIOD_US * STEPS_PER_US - 1;
    TCCR1A = _BV(WGM11); /* fast PWM up to ICR1; the pin is not connected yet */
    TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11);
}

void board_servo(uint16_t pulse_us) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        if (pulse_us) {
            OCR1A = pulse_us * STEPS_PER_US - 1; /* taken over when a period begins */
            TIMSK1 = 0;
            s_ending = 0;
            TCCR1A |= _BV(COM1A1);
        } else if ((TCCR1A & _BV(COM1A1)) && !s_ending) {
            s_ending = 1;
            TIFR1 = _BV(OCF1A);
            TIMSK1 = _BV(OCIE1A);
        }
    }
}

ISR(TIMER1_COMPA_vect) {
    /* the pulse is over, the pin low: from here to the next period nothing is cut */
    TCCR1A &= (uint8_t)~_BV(COM1A1);
    TIMSK1 = 0;
    s_ending = 0;
}

uint8_t board_ends(void) {
    return ~PINC & (SENSED_SEAT0_DOWN | SENSED_SEAT1_DOWN);
}
