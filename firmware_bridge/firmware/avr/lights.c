/* WS2812 lights from palette indices: 24 bits of 1.25 us a light with interrupts off, on again between two. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include "board.h"
#include "chip.h"
#include "lights.h"

/* green, red, blue: as the lights want them; dim, for 56 of them on one supply */
static const uint8_t PALETTE[LIGHT_COLOURS][3] PROGMEM = {
    {0, 0, 0},   {20, 20, 20}, {0, 24, 0},  {24, 0, 0},  {0, 0, 24},  {16, 24, 0},  {16, 0, 16}, {0, 20, 16},
    {8, 24, 0},  {4, 4, 4},    {0, 6, 0},   {6, 0, 0},   {0, 0, 6},   {60, 60, 60}, {0, 60, 0},  {0, 8, 4},
};

static uint8_t s_changed;

void lights_begin(void) {
    DDRD |= _BV(LIGHT_PIN);
}

void board_lights_changed(void) {
    s_changed = 1;
}

/* One byte, highest bit first; 20 cycles a bit: high for 6 (0) or 13 (1). Interrupts are off. */
static inline void send(uint8_t byte) {
    uint8_t high = PORTD | _BV(LIGHT_PIN), low = PORTD & (uint8_t)~_BV(LIGHT_PIN), bits = 8;
    __asm__ volatile(
        "1: out %[port], %[high] \n\t" /* 1 */
        "nop \n\t nop \n\t nop \n\t nop \n\t" /* 5 */
        "sbrs %[byte], 7 \n\t" /* 6, or 7 with the skip */
        "out %[port], %[low] \n\t" /* a 0 ends here */
        "lsl %[byte] \n\t"
        "nop \n\t nop \n\t nop \n\t nop \n\t nop \n\t"
        "out %[port], %[low] \n\t" /* a 1 ends here */
        "nop \n\t nop \n\t"
        "dec %[bits] \n\t"
        "brne 1b \n\t"
        : [byte] "+r"(byte), [bits] "+r"(bits)
        : [port] "I"(_SFR_IO_ADDR(PORTD)), [high] "r"(high), [low] "r"(low));
}

void lights_show(void) {
    if (!s_changed) {
        return;
    }
    s_changed = 0;
    for (uint8_t light = 0; light < CELLS; light++) {
        const uint8_t *colour = PALETTE[lights_colour(light)];
        uint8_t green = pgm_read_byte(colour), red = pgm_read_byte(colour + 1), blue = pgm_read_byte(colour + 2);
        cli();
        send(green);
        send(red);
        send(blue);
        line_catch(); /* the tick may come next and read a long chain: both together are too long for two bytes */
        sei();
    }
}
