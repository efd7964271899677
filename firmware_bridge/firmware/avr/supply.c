/* The chip's own supply: its 1.1 V reference measured against AVcc, so that no pin and no part is needed. */
#include <avr/io.h>
#include "board.h"
#include "chip.h"

#define REFERENCE_MV 1100UL

static uint16_t s_mv;

void supply_begin(void) {
    ADMUX = _BV(REFS0) | 0x0E; /* against AVcc: the reference */
    ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0); /* 125 kHz; the first results come before the reference is steady */
}

void supply_measure(void) {
    static uint8_t skip = 100;
    if (ADCSRA & _BV(ADSC)) {
        return;
    }
    if (skip) {
        skip--;
    } else {
        static uint16_t before;
        uint16_t reading = ADC;
        if (reading != before) { /* a division is a tenth of all that an idle millisecond does */
            before = reading;
            s_mv = reading ? (uint16_t)(REFERENCE_MV * 1024 / reading) : 0;
        }
        skip = 3; /* each 4 ms */
    }
    ADCSRA |= _BV(ADSC);
}

uint16_t board_supply_mv(void) {
    return s_mv;
}
