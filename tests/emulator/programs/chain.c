/* On any byte: loads a chain of 16 inputs, shifts in 17 levels and sends three bytes; tail pin PC2 as the byte's lowest bit
 * says. Then it sends one light's three bytes on PD7. */
#include <avr/io.h>
#include <util/delay.h>

static void say(uint8_t byte) {
    while (!(UCSR0A & _BV(UDRE0))) {
    }
    UDR0 = byte;
}

static void light(uint8_t byte) {
    for (uint8_t i = 0; i < 8; i++, byte <<= 1) {
        PORTD |= _BV(7);
        if (byte & 0x80) {
            _delay_us(0.6); /* without it the pin is high for less than 0.5 us: a 0 */
        }
        PORTD &= (uint8_t)~_BV(7);
        _delay_us(0.3);
    }
}

int main(void) {
    UBRR0 = 3;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0);
    PORTD |= _BV(4) | _BV(6);
    DDRD |= _BV(4) | _BV(5) | _BV(7);
    DDRC |= _BV(2);
    for (;;) {
        while (!(UCSR0A & _BV(RXC0))) {
        }
        if (UDR0 & 1) {
            PORTC |= _BV(2);
        } else {
            PORTC &= (uint8_t)~_BV(2);
        }
        PORTD &= (uint8_t)~_BV(4);
        PORTD |= _BV(4);
        for (uint8_t i = 0; i < 3; i++) {
            uint8_t byte = 0;
            for (uint8_t bit = 0; bit < 8; bit++) {
                if (PIND & _BV(6)) {
                    byte |= (uint8_t)_BV(bit);
                }
                PIND = _BV(5);
                PIND = _BV(5);
            }
            say(byte);
        }
        light(0x12);
        light(0x80);
        light(0xFF);
    }
}
