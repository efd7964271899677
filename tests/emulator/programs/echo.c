/* Sends each byte back, by interrupt; sleeps in between. At the start it tells MCUSR and byte 0 of the EEPROM, which it counts up. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

static uint8_t s_flags __attribute__((section(".noinit")));

void begin(void) __attribute__((naked, used, section(".init3")));
void begin(void) {
    s_flags = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

static void say(uint8_t byte) {
    while (!(UCSR0A & _BV(UDRE0))) {
    }
    UDR0 = byte;
}

ISR(USART_RX_vect) {
    uint8_t byte = UDR0;
    UDR0 = byte;
    if (byte == 'h') { /* hang: the watchdog bites after 16 ms */
        wdt_enable(WDTO_15MS);
        for (;;) {
        }
    }
}

int main(void) {
    UBRR0 = 3;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXCIE0) | _BV(RXEN0) | _BV(TXEN0);
    uint8_t count = (uint8_t)(eeprom_read_byte(0) + 1);
    eeprom_write_byte(0, count);
    say(s_flags);
    say(count);
    sei();
    for (;;) {
        sleep_enable();
        sleep_cpu();
    }
}
