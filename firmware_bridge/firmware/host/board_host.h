/* The board as a test drives it: inputs, time and bytes from outside, pulses and bytes to look at. */
#ifndef BALANX_BOARD_HOST_H
#define BALANX_BOARD_HOST_H
#include <stdint.h>

void host_fit(uint8_t cells, uint8_t bits, uint8_t features, uint16_t reader_every_ms); /* a new board, never powered */
void host_reset(uint8_t cause);                       /* restarts now; the stored bytes stay */
void host_stored(uint8_t address, uint8_t value);     /* spoils a stored byte */
uint8_t host_stored_at(uint8_t address);
void host_chain(uint8_t end, uint8_t dead_from);      /* what board_chain_end answers; inputs from dead_from on read 0 */
void host_supply(uint16_t supply_mv);
void host_input(uint8_t cell, uint8_t reading);
void host_ends(uint8_t sensed);
void host_margin(uint8_t cell, uint16_t reading, uint16_t threshold);
uint16_t host_write(const uint8_t *bytes, uint16_t length); /* queues bytes for the board; answers how many fitted */
void host_run(uint32_t slots);                        /* of 40 us, the time of one byte on the line */
uint16_t host_read(uint8_t *bytes, uint16_t room);    /* bytes that have left the board */
uint16_t host_pulse_us(void);                         /* width of the pulse of this period, 0: none */
uint16_t host_widest_us(void);                        /* since host_fit */
uint16_t host_narrowest_us(void);
uint32_t host_first_pulse_us(void);                   /* board time of the first pulse since the reset, 0: none */
uint8_t host_light(uint8_t light);
uint16_t host_bad_frames(void);

#endif
