/* Pins of the ATmega328P and what its files share. */
#ifndef BALANX_CHIP_H
#define BALANX_CHIP_H
#include <stdint.h>

/*
 * PB1 OC1A  servo signal (with a pull-down: no pulse while the chip starts)
 * PD4       74HC165 SH/LD (low: load)       PD5  clock of all       PD6  QH of the first 74HC165
 * PD0 RXD, PD1 TXD  the line                PD7  WS2812 data
 * PC0, PC1  end inputs, closed to ground: seat 0 down, seat 1 down
 * PC2       the chain's far end: to SER of the last 74HC165, whose level comes out behind all inputs
 */
#define LOAD_PIN 4
#define CLOCK_PIN 5
#define DATA_PIN 6
#define LIGHT_PIN 7
#define END_PIN 2 /* of port C */
#define SAMPLES_KEPT 5 /* milliseconds that the main loop may be late, e.g. while it sets lights, without losing one */

void clock_begin(void);      /* the 1 kHz tick */
uint8_t clock_due(void);     /* milliseconds that are over and that core_tick has not seen */
void clock_take(void);       /* one of them is being seen */
void chain_begin(void);
void chain_sample(void);     /* in the tick's interrupt: takes all inputs */
void supply_begin(void);
void supply_measure(void);   /* takes the last measurement and begins another; never waits */
void line_begin(void);
void line_catch(void);       /* takes a byte that has come, with interrupts off: for whoever keeps them off for long */
uint8_t line_busy(void);     /* bytes have come that board_receive has not given out */
void servo_begin(void);
void lights_begin(void);
void lights_show(void);      /* sets the lights when they have changed; interrupts are off for one light at a time */

#endif
