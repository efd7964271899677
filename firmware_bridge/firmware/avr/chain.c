/* The chain of 74HC165 over SPI: all inputs loaded at one instant in the tick, kept until the core looks at them. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>
#include "board.h"
#include "chip.h"
#include "limits.h"

#define BYTES ((CELLS + 7) / 8)

static uint8_t s_kept[SAMPLES_KEPT][BYTES];
static volatile uint8_t s_count;
static uint8_t s_write;  /* by the interrupt only */
static uint8_t s_read;   /* by the core only */
static uint8_t s_current[BYTES];

void chain_begin(void) {
    PORTB |= _BV(LOAD_PIN) | _BV(4); /* a broken data wire reads high: free */
    DDRB |= _BV(LOAD_PIN) | _BV(3) | _BV(5);
    SPCR = _BV(SPE) | _BV(MSTR) | _BV(DORD); /* the first bit is input 0; 8 MHz with SPI2X */
    SPSR = _BV(SPI2X);
}

void chain_sample(void) {
    PORTB &= (uint8_t)~_BV(LOAD_PIN);
    uint8_t *bytes = s_kept[s_write];
    PORTB |= _BV(LOAD_PIN);
    if (s_count == SAMPLES_KEPT) {
        return; /* lost; the core's tick comes all the same, so time stays right */
    }
    for (uint8_t i = 0; i < BYTES; i++) {
        SPDR = 0;
        while (!(SPSR & _BV(SPIF))) {
        }
        bytes[i] = (uint8_t)~SPDR; /* a sensor pulls its input low */
    }
    s_write = s_write + 1 == SAMPLES_KEPT ? 0 : s_write + 1;
    s_count++;
}

uint8_t board_sample(void) {
    if (!s_count) {
        return 0;
    }
    for (uint8_t i = 0; i < BYTES; i++) {
        s_current[i] = s_kept[s_read][i];
    }
    s_read = s_read + 1 == SAMPLES_KEPT ? 0 : s_read + 1;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        s_count--;
    }
    return 1;
}

uint8_t board_inputs8(uint8_t byte) {
    return s_current[byte];
}

uint8_t board_reading(uint8_t cell) {
    return s_current[cell >> 3] >> (cell & 7) & 1;
}
