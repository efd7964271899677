/*
 * Firmware images in simavr, in lock step with virtual time; commands on standard input, answers on standard output.
 *
 * Copyright (C) 2026 the Balanx authors. This program is free software under the GNU General Public License, version 3
 * or later, as simavr is; it comes without any warranty. It is a process of its own: nothing of it is linked into or
 * shipped with Balanx itself. README.md describes the protocol.
 *
 * What simavr does not model and this does: a UART that holds two bytes and one in its shift register; servo pulses made
 * of OCR1A as it was latched when the period began; a chain of 74HC165, a chain of 74HC595, WS2812 lights.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_timer.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_irq.h>

#define HZ 16000000u
#define CYCLES_PER_US 16u
#define BYTE_CYCLES (40u * CYCLES_PER_US)
#define QUANTUM_CYCLES (20u * CYCLES_PER_US) /* two boards look at each other so often */
#define BOARDS 2
#define LOOK_CYCLES (20u * CYCLES_PER_US) /* less than the time of a byte, which is the shortest that something new may wait */
#define INPUTS_MAX 128
#define UART_HOLDS 3 /* two bytes, and one that waits in the shift register until the next start bit */
#define UART_HOLDS_OFF 64
#define LIGHT_BYTES_MAX (3 * INPUTS_MAX)
#define LIGHT_ONE_CYCLES 9
#define LIGHT_GAP_CYCLES (50u * CYCLES_PER_US)
#define EEPROM_BYTES 1024

/* Registers of the ATmega328P, by data address */
#define REG_PIND 0x29
#define REG_PORTD 0x2B
#define REG_DDRD 0x2A
#define REG_DDRC 0x27
#define REG_PORTC 0x28
#define REG_MCUSR 0x54
#define REG_SPL 0x5D
#define REG_TCCR1A 0x80
#define REG_TCCR1B 0x81
#define REG_ICR1L 0x86
#define REG_OCR1AL 0x88
#define COM1A1 0x80
#define CS_MASK 0x07

enum {MODEL_OFF_UART = 1, MODEL_OFF_SERVO = 2, EVERY_INSTRUCTION = 4};
enum {EVENT_INPUT = 1, EVENT_PIN, EVENT_RX, EVENT_RESET, EVENT_SUPPLY, EVENT_HOLD};
enum {RECORD_TX = 1, RECORD_PULSE, RECORD_LIGHTS, RECORD_RESTARTED, RECORD_RX_LOST, RECORD_CRASHED, RECORD_PIN};
enum {STOP_FRAME = 1, STOP_PULSE = 2, STOP_OTHERS_FRAME = 4};

struct pin {
    char port;
    uint8_t bit;
};

struct chain165 {
    uint8_t fitted, count, at;
    struct pin load, clock, data;
    uint8_t low[INPUTS_MAX], shifted[INPUTS_MAX];
    struct pin tail; /* wired to the serial input of the last chip; port 0: that is tied to ground */
    uint8_t at_once; /* the three pins are of port D, so that writes to PIND can be looked at */
    uint8_t told; /* what the data pin was last set to, 0xFF: nothing yet */
    int broken_from; /* inputs from here on read as an open wire */
};

struct chain595 {
    uint8_t count;
    struct pin latch, clock, data;
    uint8_t shift[INPUTS_MAX];
};

struct board {
    avr_t *avr;
    uint8_t number, flags, held, crashed;
    void (*core_reset)(avr_t *avr);
    avr_uart_t *uart;
    avr_timer_t *timer1;
    avr_io_write_t pin_register;
    void *pin_register_param;
    uint64_t target; /* to which it runs now */
    /* what the receiver holds, and the byte that is on the line now */
    uint8_t rx[UART_HOLDS_OFF], rx_first, rx_count, rx_last, on_line, on_line_byte;
    struct chain165 in;
    struct chain595 out;
    /* the servo's signal on OC1A */
    uint8_t timer_on, pulse_high, bottom_due, latched_com;
    uint16_t latched;
    uint64_t bottom, pulse_start, pulse_end;
    uint32_t last_width;
    /* lights */
    uint64_t light_rise, light_fall;
    uint8_t light_byte, light_bits;
    uint16_t light_count;
    uint8_t light_bytes[LIGHT_BYTES_MAX];
    uint8_t light_fitted;
    /* statistics */
    uint64_t irq_off_since, last_load;
    uint32_t irq_off_max, load_min, load_max, loads, rx_lost, resets;
    uint16_t stack_lowest;
};

struct event {
    uint64_t at_us;
    uint8_t board, kind;
    uint16_t a, b;
} __attribute__((packed));

struct record {
    uint64_t cycle;
    uint8_t board, kind;
    uint16_t a;
    uint32_t b;
} __attribute__((packed));

static FILE *s_answers; /* simavr has things to say on standard output: those go to standard error */
static struct board s_boards[BOARDS];
static struct record *s_records;
static size_t s_record_count, s_record_room;
static uint8_t s_stop_mask, s_stopped;

/* wires from board 1 to board 0 and back (a test rig) */
static uint8_t s_cascade; /* outputs of board 1 are the inputs of board 0 */
static struct {
    uint8_t bit;          /* of board 1's port C, only ever pulled low */
    char what;            /* 'p': to a pin of board 0; 'r': to its reset; 'v': its power switch, driven */
    struct pin to;
} s_wires[8];
static uint8_t s_wire_count;
static struct pin s_servo_to, s_power_to;
static struct watched {
    struct board *b;
    struct pin pin;
} s_watched[8];
static uint8_t s_watched_count;

/* -- small things */

static void fail(const char *what) {
    uint32_t length = 1 + (uint32_t)strlen(what);
    fwrite(&length, 4, 1, s_answers);
    fputc(1, s_answers);
    fwrite(what, 1, length - 1, s_answers);
    fflush(s_answers);
}

static void answer(const void *bytes, uint32_t count) {
    uint32_t length = 1 + count;
    fwrite(&length, 4, 1, s_answers);
    fputc(0, s_answers);
    fwrite(bytes, 1, count, s_answers);
    fflush(s_answers);
}

static void record(struct board *b, uint64_t cycle, uint8_t kind, uint16_t a, uint32_t value) {
    if (s_record_count == s_record_room) {
        s_record_room = s_record_room ? 2 * s_record_room : 1024;
        s_records = realloc(s_records, s_record_room * sizeof *s_records);
        if (!s_records) {
            abort();
        }
    }
    s_records[s_record_count++] = (struct record){cycle, b->number, kind, a, value};
}

static avr_irq_t *pin_irq(struct board *b, struct pin pin) {
    return avr_io_getirq(b->avr, AVR_IOCTL_IOPORT_GETIRQ(pin.port), pin.bit);
}

/* An input's level from outside. simavr puts a pin with a pull-up back to 1 at each write of its port, unless it is told
 * that something outside holds it. level 2: nothing holds it. */
static void hold_pin(struct board *b, struct pin pin, uint8_t level) {
    static uint8_t masks[BOARDS][3], values[BOARDS][3];
    uint8_t port = (uint8_t)(pin.port - 'B'), bit = (uint8_t)(1 << pin.bit);
    uint8_t *mask = &masks[b->number][port], *value = &values[b->number][port];
    if (level == 2) {
        *mask &= (uint8_t)~bit;
        level = 1; /* the pull-up */
    } else {
        *mask |= bit;
    }
    *value = level ? *value | bit : *value & (uint8_t)~bit;
    avr_ioport_external_t external = {.name = (unsigned long)pin.port, .mask = *mask, .value = *value};
    avr_ioctl(b->avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(pin.port), &external);
    avr_raise_irq(pin_irq(b, pin), level);
}

/* -- chains */

/* Whether the chain's end is low now. Behind the last chip its serial input comes. */
static uint8_t low_at(const struct board *b) {
    const struct chain165 *in = &b->in;
    if (in->broken_from >= 0 && in->at >= in->broken_from) {
        return 0; /* an open wire, pulled up */
    }
    if (in->at < in->count) {
        return in->shifted[in->at];
    }
    if (!in->tail.port) {
        return 1;
    }
    uint16_t port = (uint16_t)(0x25 + 3 * (in->tail.port - 'B')); /* PORTB, PORTC, PORTD lie three apart */
    return !(b->avr->data[port] >> in->tail.bit & 1);
}

static void put_data(struct board *b) {
    struct chain165 *in = &b->in;
    uint8_t low = low_at(b);
    if (in->told != !low) { /* mostly all inputs are alike, and telling simavr is what takes time */
        in->told = !low;
        hold_pin(b, in->data, !low);
        if (in->at_once) { /* simavr passes over what it believes to know */
            uint8_t bit = (uint8_t)(1 << in->data.bit);
            b->avr->data[REG_PIND] = (uint8_t)(low ? b->avr->data[REG_PIND] & ~bit : b->avr->data[REG_PIND] | bit);
        }
    }
}

static void on_load(avr_irq_t *irq, uint32_t level, void *param) {
    struct board *b = param;
    (void)irq;
    if (level) {
        return;
    }
    struct chain165 *in = &b->in;
    memcpy(in->shifted, in->low, sizeof in->shifted);
    in->at = 0;
    put_data(b);
    uint64_t now = b->avr->cycle;
    if (b->last_load) {
        uint32_t gap = (uint32_t)(now - b->last_load);
        b->load_min = !b->load_min || gap < b->load_min ? gap : b->load_min;
        b->load_max = gap > b->load_max ? gap : b->load_max;
        b->loads++;
    }
    b->last_load = now;
}

static void on_shift(avr_irq_t *irq, uint32_t level, void *param) {
    struct board *b = param;
    if (!level || irq->value) { /* a rising edge only: irq still holds the level before */
        return;
    }
    if (b->in.at < 255) {
        b->in.at++;
    }
    put_data(b);
}

static void on_out_shift(avr_irq_t *irq, uint32_t level, void *param) {
    struct board *b = param;
    if (!level || irq->value) {
        return;
    }
    struct chain595 *out = &b->out;
    memmove(out->shift + 1, out->shift, out->count - 1u);
    out->shift[0] = (uint8_t)(pin_irq(b, out->data)->value & 1);
}

static void on_latch(avr_irq_t *irq, uint32_t level, void *param) {
    struct board *b = param;
    if (!level || irq->value || !s_cascade) {
        return;
    }
    struct board *other = &s_boards[0];
    for (uint8_t i = 0; i < other->in.count && i < b->out.count; i++) {
        other->in.low[i] = !b->out.shift[i];
    }
}

/* simavr tells eight pins of each write to a port. The firmware clocks the chain by writing one bit to PIND, a hundred
 * times a millisecond; those writes take this short way, which does the same to the chain and to the registers. */
static void on_pin_register(avr_t *avr, avr_io_addr_t address, uint8_t value, void *param) {
    struct board *b = param;
    struct chain165 *in = &b->in;
    uint8_t clock = (uint8_t)(1 << in->clock.bit), data = (uint8_t)(1 << in->data.bit);
    if (value != clock || !in->at_once) {
        b->pin_register(avr, address, value, b->pin_register_param);
        return;
    }
    avr->data[REG_PORTD] ^= clock;
    if (avr->data[REG_PORTD] & clock) {
        in->at += in->at < 255;
        if (low_at(b)) {
            avr->data[REG_PIND] &= (uint8_t)~data;
        } else {
            avr->data[REG_PIND] |= data;
        }
        in->told = 0xFF; /* simavr has not heard of it */
    }
}

/* What simavr's own reader gives, without telling nobody of it: the chain is read 56 times a millisecond. */
static uint8_t on_pin_read(avr_t *avr, avr_io_addr_t address, void *param) {
    (void)param;
    uint8_t out = avr->data[REG_DDRD];
    avr->data[address] = (uint8_t)((avr->data[REG_PIND] & ~out) | (avr->data[REG_PORTD] & out));
    return avr->data[address];
}

/* A pin that the host wants to hear of. */
static void on_watched(avr_irq_t *irq, uint32_t level, void *param) {
    const struct watched *watched = param;
    if ((level & 1) != (irq->value & 1)) {
        record(watched->b, watched->b->avr->cycle, RECORD_PIN, (uint16_t)(watched->pin.port << 8 | watched->pin.bit), level & 1);
    }
}

/* -- lights */

static void on_light(avr_irq_t *irq, uint32_t level, void *param) {
    struct board *b = param;
    uint64_t now = b->avr->cycle;
    if (level && !irq->value) {
        if (b->light_fall && now - b->light_fall > LIGHT_GAP_CYCLES) {
            b->light_count = b->light_bits = 0;
        }
        b->light_rise = now;
    } else if (!level && irq->value) {
        b->light_fall = now;
        b->light_byte = (uint8_t)(b->light_byte << 1 | (now - b->light_rise >= LIGHT_ONE_CYCLES));
        if (++b->light_bits == 8) {
            b->light_bits = 0;
            if (b->light_count < LIGHT_BYTES_MAX) {
                b->light_bytes[b->light_count++] = b->light_byte;
            }
        }
    }
}

static void lights_step(struct board *b) {
    if (b->light_count && b->avr->cycle - b->light_fall > LIGHT_GAP_CYCLES) {
        record(b, b->light_fall, RECORD_LIGHTS, b->light_count, 0);
        b->light_count = 0;
    }
}

/* -- the servo's signal */

static avr_cycle_count_t servo_high(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)avr;
    (void)when;
    hold_pin(param, s_servo_to, 1);
    return 0;
}

static avr_cycle_count_t servo_low(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)avr;
    (void)when;
    hold_pin(param, s_servo_to, 0);
    return 0;
}

/* Board 1 runs behind board 0 within a quantum, so that an edge comes to it at its very cycle. */
static void servo_edge(struct board *b, uint64_t cycle, uint8_t level) {
    struct board *other = &s_boards[1];
    if (b->number != 0 || !s_servo_to.port || !other->avr) {
        return;
    }
    uint64_t wait = cycle > other->avr->cycle ? cycle - other->avr->cycle : 1;
    avr_cycle_timer_register(other->avr, wait, level ? servo_high : servo_low, other);
}

static void pulse_over(struct board *b, uint64_t end) {
    uint32_t width = (uint32_t)(end - b->pulse_start);
    b->pulse_high = 0;
    servo_edge(b, end, 0);
    record(b, b->pulse_start, RECORD_PULSE, 0, width);
    if (width != b->last_width && (s_stop_mask & STOP_PULSE) && b->number == 0) {
        s_stopped = 1;
    }
    b->last_width = width;
}

static uint16_t word(struct board *b, uint16_t low) {
    return (uint16_t)(b->avr->data[low] | b->avr->data[low + 1] << 8);
}

/* Fast PWM up to ICR1, with the servo's model on. */
static uint8_t is_servo(const struct board *b) {
    const uint8_t *data = b->avr->data;
    return (data[REG_TCCR1A] & 3) == 2 && (data[REG_TCCR1B] & 0x18) == 0x18 && !(b->flags & MODEL_OFF_SERVO);
}

/* The compare match with what was latched: simavr's own comes where OCR1A stood when the timer was set up. */
static avr_cycle_count_t at_compare(avr_t *avr, avr_cycle_count_t when, void *param) {
    struct board *b = param;
    (void)when;
    avr_raise_interrupt(avr, &b->timer1->comp[AVR_TIMER_COMPA].interrupt);
    return 0;
}

/* The moment at which the chip takes OCR1A over: nothing is late here. */
static avr_cycle_count_t at_bottom(avr_t *avr, avr_cycle_count_t when, void *param) {
    struct board *b = param;
    (void)when;
    b->latched = (uint16_t)(avr->data[REG_OCR1AL] | avr->data[REG_OCR1AL + 1] << 8);
    b->latched_com = (avr->data[REG_TCCR1A] & COM1A1) && (avr->data[REG_TCCR1A] & 2);
    b->bottom_due = 1;
    if (is_servo(b)) {
        b->timer1->comp[AVR_TIMER_COMPA].comp_cycles = 0; /* simavr makes no match of its own any more */
        avr_cycle_timer_register(avr, (b->latched + 1u) * 8u, at_compare, b);
    }
    return 0;
}

static void servo_step(struct board *b) {
    const uint8_t *data = b->avr->data;
    uint64_t now = b->avr->cycle;
    uint8_t on = (data[REG_TCCR1B] & CS_MASK) != 0;
    if (on != b->timer_on) {
        b->timer_on = on;
        b->bottom = now + (word(b, REG_ICR1L) + 1u) * 8u;
        b->bottom_due = 0;
        avr_cycle_timer_cancel(b->avr, at_bottom, b);
        avr_cycle_timer_register(b->avr, b->bottom - now, at_bottom, b);
    }
    if (b->pulse_high) {
        if (b->flags & MODEL_OFF_SERVO) {
            b->pulse_end = b->pulse_start + (word(b, REG_OCR1AL) + 1u) * 8u;
        }
        if (now >= b->pulse_end) {
            pulse_over(b, b->pulse_end);
        } else if (!(data[REG_TCCR1A] & COM1A1) || !on) {
            pulse_over(b, now); /* disconnected in mid-pulse: cut */
        }
    }
    if (on && b->bottom_due) {
        b->bottom_due = 0;
        if (b->latched_com) {
            b->pulse_high = 1;
            b->pulse_start = b->bottom;
            b->pulse_end = b->bottom + (b->latched + 1u) * 8u;
            servo_edge(b, b->bottom, 1);
            if (now >= b->pulse_end) {
                pulse_over(b, b->pulse_end);
            }
        }
        b->bottom += (word(b, REG_ICR1L) + 1u) * 8u;
        avr_cycle_timer_register(b->avr, b->bottom > now ? b->bottom - now : 1, at_bottom, b);
    }
}

/* -- the line */

/* A frame's last byte has left. */
static avr_cycle_count_t frame_gone(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)avr;
    (void)when;
    (void)param;
    s_stopped = 1;
    return 0;
}

static void on_tx(avr_irq_t *irq, uint32_t byte, void *param) {
    struct board *b = param;
    (void)irq;
    record(b, b->avr->cycle + BYTE_CYCLES, RECORD_TX, (uint16_t)(byte & 0xFF), 0);
    if (!(byte & 0xFF) && (s_stop_mask & (b->number ? STOP_OTHERS_FRAME : STOP_FRAME))) {
        avr_cycle_timer_register(b->avr, BYTE_CYCLES, frame_gone, b);
    }
}

/* A byte has come in whole. */
static void take_in(struct board *b) {
    b->on_line = 0;
    b->rx[(b->rx_first + b->rx_count++) % UART_HOLDS_OFF] = b->on_line_byte;
    avr_raise_interrupt(b->avr, &b->uart->rxc);
}

static avr_cycle_count_t byte_over(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)avr;
    (void)when;
    take_in(param);
    return 0;
}

/* A start bit. simavr's own receiver keeps 64 bytes and gives out one each byte time: neither is so on a chip. */
static void receive(struct board *b, uint8_t byte) {
    if (b->on_line) {
        avr_cycle_timer_cancel(b->avr, byte_over, b);
        take_in(b); /* the host sends faster than the line can: each byte ends when the next begins */
    }
    if (!avr_regbit_get(b->avr, b->uart->rxen)) {
        return;
    }
    if (b->rx_count >= (b->flags & MODEL_OFF_UART ? UART_HOLDS_OFF : UART_HOLDS)) {
        b->rx_lost++;
        record(b, b->avr->cycle, RECORD_RX_LOST, byte, 0);
        return;
    }
    b->on_line = 1;
    b->on_line_byte = byte;
    avr_cycle_timer_register(b->avr, BYTE_CYCLES, byte_over, b);
}

/* The firmware reads UDR0. */
static uint8_t on_udr_read(avr_t *avr, avr_io_addr_t address, void *param) {
    struct board *b = param;
    if (b->rx_count) {
        b->rx_last = b->rx[b->rx_first];
        b->rx_first = (uint8_t)((b->rx_first + 1) % UART_HOLDS_OFF);
        b->rx_count--;
    }
    avr->data[address] = b->rx_last;
    avr_clear_interrupt(avr, &b->uart->rxc);
    avr_regbit_clear(avr, b->uart->rxc.raised);
    if (b->rx_count) {
        avr_raise_interrupt(avr, &b->uart->rxc);
    }
    return b->rx_last;
}

/* -- a board's life */

static void no_sleep(avr_t *avr, avr_cycle_count_t cycles) {
    (void)avr;
    (void)cycles;
}

/* A reset clears the registers of pins behind simavr's back; what it believes of their levels must go with them. */
static void forget_pins(struct board *b) {
    for (char port = 'B'; port <= 'D'; port++) {
        for (uint8_t bit = 0; bit < 8; bit++) {
            pin_irq(b, (struct pin){port, bit})->value = 0;
        }
    }
    b->in.told = 0xFF;
    if (b->in.fitted) {
        put_data(b);
    }
}

static void forget(struct board *b) {
    if (b->pulse_high) {
        pulse_over(b, b->avr->cycle); /* the pin floats: the pull-down ends the pulse */
    }
    b->timer_on = b->bottom_due = 0;
    avr_cycle_timer_cancel(b->avr, at_bottom, b);
    b->last_load = 0;
    b->irq_off_since = b->avr->cycle;
    b->light_count = b->light_bits = 0;
    b->rx_count = b->on_line = 0;
}

static avr_cycle_count_t wake(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)avr;
    (void)when;
    (void)param;
    return 0;
}

/* By a command, or by the chip itself: its watchdog. */
static void on_reset(avr_t *avr) {
    for (int i = 0; i < BOARDS; i++) {
        struct board *b = &s_boards[i];
        if (b->avr == avr) {
            b->core_reset(avr);
            b->resets++;
            forget(b);
            record(b, avr->cycle, RECORD_RESTARTED, 0, 0);
            if (avr->cycle < b->target) {
                avr_cycle_timer_register(avr, b->target - avr->cycle, wake, b); /* a reset forgets all timers */
            }
            forget_pins(b);
        }
    }
}

static void reset(struct board *b, uint8_t flags) {
    avr_reset(b->avr);
    b->avr->data[REG_MCUSR] = flags;
    b->crashed = 0;
}

static void (*s_usual_run)(avr_t *avr); /* simavr's, while no watchdog bites */

static int load(struct board *b, const char *path) {
    elf_firmware_t firmware;
    memset(&firmware, 0, sizeof firmware);
    if (elf_read_firmware(path, &firmware)) {
        return -1;
    }
    b->avr = avr_make_mcu_by_name("atmega328p");
    avr_init(b->avr);
    b->avr->log = LOG_ERROR;
    firmware.frequency = HZ;
    avr_load_firmware(b->avr, &firmware);
    b->avr->frequency = HZ;
    b->avr->sleep = no_sleep;
    /* Looked at after each instruction, for figures; else after some, for speed, and when a servo period begins. */
    b->avr->run_cycle_limit = b->flags & EVERY_INSTRUCTION ? 1 : LOOK_CYCLES;
    b->avr->vcc = b->avr->avcc = b->avr->aref = 5000;
    b->core_reset = b->avr->reset;
    s_usual_run = b->avr->run;
    b->avr->reset = on_reset;
    for (avr_io_t *io = b->avr->io_port; io; io = io->next) {
        if (!strcmp(io->kind, "uart")) {
            b->uart = (avr_uart_t *)io;
        } else if (!strcmp(io->kind, "timer") && ((avr_timer_t *)io)->name == '1') {
            b->timer1 = (avr_timer_t *)io;
        }
    }
    uint32_t no_flags = 0;
    avr_ioctl(b->avr, AVR_IOCTL_UART_SET_FLAGS('0'), &no_flags);
    avr_irq_register_notify(avr_io_getirq(b->avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_tx, b);
    avr_io_addr_t udr = AVR_DATA_TO_IO(b->uart->r_udr);
    b->avr->io[udr].r.c = on_udr_read;
    b->avr->io[udr].r.param = b;
    b->in.broken_from = -1;
    b->stack_lowest = (uint16_t)b->avr->ramend;
    return 0;
}

static void after_instruction(struct board *b) {
    avr_t *avr = b->avr;
    if (avr->sreg[S_I]) {
        b->irq_off_since = 0;
    } else if (!b->irq_off_since) {
        b->irq_off_since = avr->cycle;
    } else {
        uint64_t off = avr->cycle - b->irq_off_since;
        b->irq_off_max = off > b->irq_off_max && b->loads ? (uint32_t)off : b->irq_off_max;
    }
    uint16_t stack = (uint16_t)(avr->data[REG_SPL] | avr->data[REG_SPL + 1] << 8);
    if (stack > 0x100 && stack < b->stack_lowest) {
        b->stack_lowest = stack;
    }
    servo_step(b);
    if (b->light_fitted) {
        lights_step(b);
    }
}

/* What avr_run does, without looking for due timers after each instruction: the next one's time is known. Several
 * instructions are one step, unless each is looked at: figures want that. */
static int step(avr_t *avr, uint8_t each) {
    if (avr->state != cpu_Running || avr->gdb || avr->run != s_usual_run) { /* a watchdog that has bitten puts its own there */
        return avr_run(avr);
    }
    avr->run_cycle_count = 1;
    if (!each && avr->cycle_timers.timer && avr->cycle < avr->cycle_timers.timer->when) {
        uint64_t free = avr->cycle_timers.timer->when - avr->cycle;
        avr->run_cycle_count = free < LOOK_CYCLES ? free : LOOK_CYCLES;
    }
    avr_flashaddr_t next = avr_run_one(avr);
    if (avr->state == cpu_Running && avr->cycle_timers.timer && avr->cycle < avr->cycle_timers.timer->when) {
        avr->pc = next;
        if (avr->interrupt_state) {
            avr_service_interrupts(avr);
        }
        return avr->state;
    }
    avr_cycle_count_t sleep = avr_cycle_timer_process(avr);
    avr->pc = next;
    if (avr->state == cpu_Sleeping) {
        if (!avr->sreg[S_I]) {
            avr->state = cpu_Done;
            return avr->state;
        }
        avr->cycle += 1 + sleep;
    }
    if ((avr->state == cpu_Running || avr->state == cpu_Sleeping) && avr->interrupt_state) {
        avr_service_interrupts(avr);
    }
    return avr->state;
}

/* Runs to a cycle, or until something happened that the host wants to know at once. */
static void run_board(struct board *b, uint64_t target) {
    avr_t *avr = b->avr;
    b->target = target;
    if (b->held || b->crashed) {
        if (avr->cycle < target) {
            avr->cycle = target;
        }
        return;
    }
    if (avr->cycle < target) {
        avr_cycle_timer_register(avr, target - avr->cycle, wake, b); /* a sleeping chip would leap over it */
    }
    while (avr->cycle < target && !(s_stopped && b->number == 0 && !s_boards[1].avr)) {
        int state = step(avr, b->flags & EVERY_INSTRUCTION);
        after_instruction(b);
        if (state == cpu_Crashed || state == cpu_Done) {
            b->crashed = 1;
            record(b, avr->cycle, RECORD_CRASHED, 0, 0);
            return;
        }
    }
}

static void apply(const struct event *event) {
    struct board *b = &s_boards[event->board];
    struct pin pin = {(char)(event->a >> 8), (uint8_t)(event->a & 7)};
    switch (event->kind) {
    case EVENT_INPUT:
        if (event->a < INPUTS_MAX) {
            b->in.low[event->a] = (uint8_t)event->b;
        } else if (event->a == 0xFFFF) {
            b->in.broken_from = event->b == 0xFFFF ? -1 : event->b;
        }
        break;
    case EVENT_PIN:
        hold_pin(b, pin, (uint8_t)event->b);
        break;
    case EVENT_RX:
        if (!b->held && !b->crashed) {
            receive(b, (uint8_t)event->a);
        }
        break;
    case EVENT_RESET:
        reset(b, (uint8_t)event->a);
        break;
    case EVENT_SUPPLY:
        if (event->b < 8) {
            avr_raise_irq(avr_io_getirq(b->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + event->b), event->a);
        } else {
            b->avr->vcc = b->avr->avcc = b->avr->aref = event->a;
        }
        break;
    case EVENT_HOLD:
        if (event->a && !b->held) {
            forget(b);
        }
        b->held = (uint8_t)event->a;
        break;
    }
}

static void look_at_wires(void) {
    static uint8_t before_low, before_power = 1;
    struct board *b = &s_boards[1];
    uint8_t low = b->avr->data[REG_DDRC] & (uint8_t)~b->avr->data[REG_PORTC];
    for (uint8_t i = 0; i < s_wire_count; i++) {
        uint8_t bit = (uint8_t)(1 << s_wires[i].bit);
        if (s_wires[i].what == 'v') {
            uint8_t on = !(b->avr->data[REG_DDRC] & bit) || (b->avr->data[REG_PORTC] & bit);
            if (on != before_power) {
                before_power = on;
                apply(&(struct event){0, 0, EVENT_HOLD, (uint16_t)!on, 0});
                if (on) {
                    reset(&s_boards[0], 1); /* power on */
                }
            }
            if (s_power_to.port) {
                hold_pin(b, s_power_to, on);
            }
        } else if ((low ^ before_low) & bit) {
            if (s_wires[i].what == 'p') {
                hold_pin(&s_boards[0], s_wires[i].to, low & bit ? 0 : 2);
            } else {
                apply(&(struct event){0, 0, EVENT_HOLD, (uint16_t)((low & bit) != 0), 0});
                if (!(low & bit)) {
                    reset(&s_boards[0], 2); /* external */
                }
            }
        }
    }
    before_low = low;
}

static void run_to(uint64_t target) {
    struct board *first = &s_boards[0], *second = &s_boards[1];
    if (!second->avr) {
        run_board(first, target);
        return;
    }
    while (first->avr->cycle < target && !s_stopped) {
        uint64_t next = (first->avr->cycle / QUANTUM_CYCLES + 1) * QUANTUM_CYCLES;
        next = next < target ? next : target;
        run_board(first, next);
        run_board(second, next);
        if (s_wire_count) {
            look_at_wires();
        }
    }
    run_board(second, first->avr->cycle);
}

/* -- commands */

static void do_run(const uint8_t *body, uint32_t length) {
    uint64_t until_us;
    uint16_t count;
    if (length < 11 || !s_boards[0].avr) {
        fail("run: too short, or no board is loaded");
        return;
    }
    memcpy(&until_us, body, 8);
    s_stop_mask = body[8];
    memcpy(&count, body + 9, 2);
    if (length < 11 + (uint32_t)count * sizeof(struct event)) {
        fail("run: events are missing");
        return;
    }
    s_record_count = 0;
    s_stopped = 0;
    const uint8_t *at = body + 11;
    uint16_t done = 0;
    for (; done < count && !s_stopped; done++, at += sizeof(struct event)) {
        struct event event;
        memcpy(&event, at, sizeof event);
        if (event.board >= BOARDS || !s_boards[event.board].avr || event.at_us > until_us) {
            fail("run: an event for no board, or behind the end");
            return;
        }
        run_to(event.at_us * CYCLES_PER_US);
        if (s_stopped && s_boards[0].avr->cycle < event.at_us * CYCLES_PER_US) {
            break;
        }
        apply(&event);
    }
    if (!s_stopped) {
        run_to(until_us * CYCLES_PER_US);
    }
    /* now (cycles), events done, records */
    uint32_t size = 12 + (uint32_t)(s_record_count * sizeof(struct record));
    uint32_t whole = size + 1;
    uint64_t now = s_boards[0].avr->cycle;
    uint32_t done32 = done;
    fwrite(&whole, 4, 1, s_answers);
    fputc(0, s_answers);
    fwrite(&now, 8, 1, s_answers);
    fwrite(&done32, 4, 1, s_answers);
    fwrite(s_records, sizeof(struct record), s_record_count, s_answers);
    fflush(s_answers);
}

static int parse_pin(const char *text, struct pin *pin) {
    if (!text || text[0] < 'B' || text[0] > 'D' || text[1] < '0' || text[1] > '7' || text[2]) {
        return -1;
    }
    pin->port = text[0];
    pin->bit = (uint8_t)(text[1] - '0');
    return 0;
}

static const char *do_wire(char *text) {
    char *word_at[8] = {0};
    int words = 0;
    for (char *part = strtok(text, " "); part && words < 8; part = strtok(0, " ")) {
        word_at[words++] = part;
    }
    if ((words == 6 || words == 7) && (!strcmp(word_at[0], "165") || !strcmp(word_at[0], "595"))) {
        struct board *b = &s_boards[word_at[1][0] == '1'];
        struct pin first, clock, data, tail = {0, 0};
        int count = atoi(word_at[5]);
        if (!b->avr || parse_pin(word_at[2], &first) || parse_pin(word_at[3], &clock) || parse_pin(word_at[4], &data)
            || count < 1 || count > INPUTS_MAX || (words == 7 && parse_pin(word_at[6], &tail))) {
            return "wire: 165|595 BOARD LOAD CLOCK DATA COUNT [TAIL], for a board that is loaded";
        }
        if (word_at[0][0] == '1') {
            b->in.fitted = 1;
            b->in.load = first, b->in.clock = clock, b->in.data = data, b->in.tail = tail;
            b->in.count = (uint8_t)count;
            avr_irq_register_notify(pin_irq(b, first), on_load, b);
            avr_irq_register_notify(pin_irq(b, clock), on_shift, b);
            b->in.told = 0xFF;
            put_data(b);
            b->in.at_once = clock.port == 'D' && data.port == 'D' && first.port == 'D';
            avr_io_addr_t io = AVR_DATA_TO_IO(REG_PIND);
            b->pin_register = b->avr->io[io].w.c;
            b->pin_register_param = b->avr->io[io].w.param;
            b->avr->io[io].w.c = on_pin_register;
            b->avr->io[io].r.c = on_pin_read;
            b->avr->io[io].w.param = b;
        } else {
            b->out.latch = first, b->out.clock = clock, b->out.data = data;
            b->out.count = (uint8_t)count;
            avr_irq_register_notify(pin_irq(b, first), on_latch, b);
            avr_irq_register_notify(pin_irq(b, clock), on_out_shift, b);
        }
        return 0;
    }
    if (words == 3 && !strcmp(word_at[0], "lights")) {
        struct board *b = &s_boards[word_at[1][0] == '1'];
        struct pin pin;
        if (!b->avr || parse_pin(word_at[2], &pin)) {
            return "wire: lights BOARD PIN";
        }
        b->light_fitted = 1;
        avr_irq_register_notify(pin_irq(b, pin), on_light, b);
        return 0;
    }
    if (words == 3 && !strcmp(word_at[0], "watch")) {
        struct board *b = &s_boards[word_at[1][0] == '1'];
        struct watched *watched = &s_watched[s_watched_count];
        if (!b->avr || s_watched_count == 8 || parse_pin(word_at[2], &watched->pin)) {
            return "wire: watch BOARD PIN, eight at most";
        }
        watched->b = b;
        s_watched_count++;
        avr_irq_register_notify(pin_irq(b, watched->pin), on_watched, watched);
        return 0;
    }
    if (words == 1 && !strcmp(word_at[0], "cascade")) {
        s_cascade = 1;
        return 0;
    }
    struct pin from, to = {0, 0};
    if (words >= 2 && !strcmp(word_at[0], "servo") && !parse_pin(word_at[1], &to)) {
        s_servo_to = to;
        hold_pin(&s_boards[1], to, 0);
        return 0;
    }
    if (words >= 2 && !strcmp(word_at[0], "power-seen") && !parse_pin(word_at[1], &to)) {
        s_power_to = to;
        return 0;
    }
    if (words >= 2 && s_wire_count < 8 && !parse_pin(word_at[1], &from) && from.port == 'C') {
        char what = !strcmp(word_at[0], "pull") ? 'p' : !strcmp(word_at[0], "reset") ? 'r' : !strcmp(word_at[0], "power") ? 'v' : 0;
        if (what && (what != 'p' || (words == 3 && !parse_pin(word_at[2], &to)))) {
            s_wires[s_wire_count].bit = from.bit;
            s_wires[s_wire_count].what = what;
            s_wires[s_wire_count].to = to;
            s_wire_count++;
            return 0;
        }
    }
    return "wire: no such wire";
}

static void do_stats(struct board *b) {
    struct {
        uint64_t cycles;
        uint32_t stack, irq_off_max, load_min, load_max, loads, rx_lost, resets;
    } __attribute__((packed)) stats = {
        b->avr->cycle, (uint32_t)(b->avr->ramend - b->stack_lowest), b->irq_off_max, b->load_min, b->load_max, b->loads,
        b->rx_lost, b->resets};
    answer(&stats, sizeof stats);
}

static void obey(uint8_t *body, uint32_t length) {
    static uint8_t eeprom[EEPROM_BYTES];
    if (!length) {
        fail("an empty command");
        return;
    }
    struct board *b = &s_boards[length > 1 && body[1] == 1];
    if (body[0] != 'R' && body[0] != 'L' && body[0] != 'W' && !b->avr) {
        fail("no such board is loaded");
        return;
    }
    avr_eeprom_desc_t part = {.ee = eeprom, .offset = 0, .size = EEPROM_BYTES};
    const char *wrong;
    switch (body[0]) {
    case 'L':
        if (length < 4 || b->avr) {
            fail("load: too short, or the board is loaded");
            return;
        }
        b->number = (uint8_t)(b - s_boards);
        b->flags = body[2];
        if (load(b, (const char *)body + 3)) {
            fail("load: the file is no image for an AVR");
            return;
        }
        memset(eeprom, 0xFF, sizeof eeprom);
        avr_ioctl(b->avr, AVR_IOCTL_EEPROM_SET, &part);
        reset(b, 1);
        b->resets = 0;
        answer("", 0);
        return;
    case 'W':
        wrong = do_wire((char *)body + 1);
        if (wrong) {
            fail(wrong);
        } else {
            answer("", 0);
        }
        return;
    case 'R':
        do_run(body + 1, length - 1);
        return;
    case 'E':
        part.ee = body + 2;
        part.size = length - 2 < EEPROM_BYTES ? length - 2 : EEPROM_BYTES;
        avr_ioctl(b->avr, AVR_IOCTL_EEPROM_SET, &part);
        answer("", 0);
        return;
    case 'e':
        avr_ioctl(b->avr, AVR_IOCTL_EEPROM_GET, &part);
        answer(eeprom, sizeof eeprom);
        return;
    case 'G':
        answer(b->light_bytes, LIGHT_BYTES_MAX);
        return;
    case 'S':
        do_stats(b);
        return;
    case 'Z':
        b->irq_off_max = b->load_min = b->load_max = b->loads = b->rx_lost = b->resets = 0;
        b->last_load = 0;
        b->stack_lowest = (uint16_t)b->avr->ramend;
        answer("", 0);
        return;
    default:
        fail("no such command");
    }
}

int main(void) {
    uint32_t length;
    uint8_t *body = 0;
    uint32_t room = 0;
    s_answers = fdopen(dup(1), "wb");
    if (!s_answers || dup2(2, 1) < 0) {
        return 1;
    }
    while (fread(&length, 4, 1, stdin) == 1) {
        if (length > 1u << 24) {
            fail("a command of more than 16 MB");
            return 1;
        }
        if (length + 1 > room) {
            room = length + 4096;
            body = realloc(body, room);
            if (!body) {
                return 1;
            }
        }
        if (fread(body, 1, length, stdin) != length) {
            return 1;
        }
        body[length] = 0; /* texts end */
        obey(body, length);
    }
    free(body);
    free(s_records);
    return 0;
}
