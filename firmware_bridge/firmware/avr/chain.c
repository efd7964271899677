/* The chain of 74HC165 shifted in by hand: all inputs loaded at one instant in the tick, kept until the core looks at them. */
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
static volatile uint8_t s_end; /* whether the level shown to the chain's far end came out last */

void chain_begin(void) {
    PORTD |= _BV(LOAD_PIN) | _BV(DATA_PIN); /* a broken data wire reads high: free */
    DDRD |= _BV(LOAD_PIN) | _BV(CLOCK_PIN);
    DDRC |= _BV(END_PIN);
}

/* Five cycles a bit, for interrupts are off; a level has four of them to come along the cable. First bit lowest. */
static inline uint8_t shift_byte(void) {
    uint8_t byte = 0, seen, clock = _BV(CLOCK_PIN);
#define TAKE(bit) \
    "in %[seen], %[pins] \n\t out %[pins], %[clock] \n\t bst %[seen], %[data] \n\t" \
    "bld %[byte], " #bit " \n\t out %[pins], %[clock] \n\t" /* written to, the register of pins toggles */
    __asm__ volatile(TAKE(0) TAKE(1) TAKE(2) TAKE(3) TAKE(4) TAKE(5) TAKE(6) TAKE(7)
                     : [byte] "+r"(byte), [seen] "=&r"(seen)
                     : [pins] "I"(_SFR_IO_ADDR(PIND)), [clock] "r"(clock), [data] "I"(DATA_PIN));
#undef TAKE
    return byte;
}

void chain_sample(void) {
    PORTD &= (uint8_t)~_BV(LOAD_PIN);
    uint8_t *bytes = s_kept[s_write];
    PORTD |= _BV(LOAD_PIN);
    if (s_count == SAMPLES_KEPT) {
        return; /* lost; the core's tick comes all the same, so time stays right */
    }
    for (uint8_t i = 0; i < BYTES; i++) {
        bytes[i] = (uint8_t)~shift_byte(); /* a sensor pulls its input low */
    }
    s_end = !(PIND & _BV(DATA_PIN)) == !(PORTC & _BV(END_PIN)) ? CHAIN_END_RIGHT : CHAIN_END_WRONG;
    PINC = _BV(END_PIN); /* the other level for the next sample */
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

uint8_t board_chain_end(void) {
    return s_end;
}

uint8_t board_inputs8(uint8_t byte) {
    return s_current[byte];
}

uint8_t board_reading(uint8_t cell) {
    return s_current[cell >> 3] >> (cell & 7) & 1;
}
