/* Pulses of 1500 us from timer 1. A byte that comes in asks for another width, 10 us to its unit, at once; 0 ends the signal
 * in the interrupt at the pulse's end, which says so. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

ISR(USART_RX_vect) {
    uint8_t byte = UDR0;
    if (byte) {
        OCR1A = byte * 20 - 1;
    } else {
        TIFR1 = _BV(OCF1A);
        TIMSK1 = _BV(OCIE1A);
    }
}

ISR(TIMER1_COMPA_vect) {
    TCCR1A &= (uint8_t)~_BV(COM1A1);
    TIMSK1 = 0;
    UDR0 = 'e';
}

int main(void) {
    UBRR0 = 3;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXCIE0) | _BV(RXEN0) | _BV(TXEN0);
    DDRB = _BV(1);
    ICR1 = 39999;
    OCR1A = 2999;
    TCCR1A = _BV(COM1A1) | _BV(WGM11);
    TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11);
    sei();
    for (;;) {
        sleep_enable();
        sleep_cpu();
    }
}
