/* Says 'r', then looks away from the line for PAUSE_US after the first byte has come, and sends what it still finds. */
#include <avr/io.h>
#include <util/delay.h>

#ifndef PAUSE_US
#define PAUSE_US 600
#endif

static void say(uint8_t byte) {
    while (!(UCSR0A & _BV(UDRE0))) {
    }
    UDR0 = byte;
}

int main(void) {
    UBRR0 = 3; /* 250000 baud */
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0);
    say('r');
    for (;;) {
        while (!(UCSR0A & _BV(RXC0))) {
        }
        _delay_us(PAUSE_US);
        uint8_t bytes[80], count = 0;
        while (UCSR0A & _BV(RXC0) && count < sizeof bytes) {
            bytes[count++] = UDR0;
        }
        for (uint8_t i = 0; i < count; i++) {
            say(bytes[i]);
        }
        say(0);
    }
}
