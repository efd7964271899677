/* USART at 250000 baud, both ways by interrupt: bytes that came in a ring, one frame on its way out. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>
#include "board.h"
#include "chip.h"
#include "limits.h"

#define RING 128 /* 5 ms of bytes: what comes while all lights are set */

static volatile uint8_t s_ring[RING];
static volatile uint8_t s_ring_head; /* by the interrupt only */
static volatile uint8_t s_ring_tail; /* by the main loop only */
static uint8_t s_frame[SEND_MAX];
static volatile uint8_t s_length, s_sent;

void line_begin(void) {
    UBRR0 = F_CPU / 16 / BALANX_BAUD - 1;
    UCSR0A = 0;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXCIE0) | _BV(RXEN0) | _BV(TXEN0);
}

void line_catch(void) {
    if (!(UCSR0A & _BV(RXC0))) {
        return;
    }
    uint8_t next = (s_ring_head + 1) % RING;
    uint8_t byte = UDR0;
    if (next != s_ring_tail) { /* a frame that loses a byte fails its CRC and is sent again */
        s_ring[s_ring_head] = byte;
        s_ring_head = next;
    }
}

ISR(USART_RX_vect) {
    line_catch();
}

ISR(USART_UDRE_vect) {
    UDR0 = s_frame[s_sent];
    if (++s_sent == s_length) {
        s_length = 0;
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
    }
}

int16_t board_receive(void) {
    uint8_t tail = s_ring_tail;
    if (tail == s_ring_head) {
        return -1;
    }
    uint8_t byte = s_ring[tail];
    s_ring_tail = (tail + 1) % RING;
    return byte;
}

uint8_t *board_send_buffer(void) {
    return s_length ? 0 : s_frame;
}

void board_send(uint8_t length) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        s_sent = 0;
        s_length = length;
        UCSR0B |= _BV(UDRIE0);
    }
}

uint8_t line_busy(void) {
    return s_ring_tail != s_ring_head;
}
