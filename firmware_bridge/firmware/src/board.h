/* All that the core asks of a chip; avr/ and host/ answer. Nothing here waits. */
#ifndef BALANX_BOARD_H
#define BALANX_BOARD_H
#include <stdint.h>

/* -- who it is */

uint8_t board_cells(void);        /* inputs in the chain, at most CELLS_MAX */
uint8_t board_bits(void);         /* bits a cell, at most BITS_MAX */
uint16_t board_reader_hz(void);   /* samples of all inputs a second */
uint8_t board_features(void);     /* FEATURE bits */
uint32_t board_build_id(void);    /* of sources and options */
uint32_t board_commit_id(void);   /* 0: not told */
const char *board_kind(void);
uint8_t board_unique_id(uint8_t *id); /* writes at most 10 bytes, returns how many */
uint8_t board_reset_cause(void);  /* a RESET_CAUSE */
uint8_t board_stored(uint8_t address);             /* a byte that outlives the power */
void board_store(uint8_t address, uint8_t value);  /* writes it behind the call; waits while another one is being written */
uint8_t board_store_ready(void);                   /* board_store would not wait */
void board_restart(void);                          /* as after a reset; may return before it happens */

/* -- time: core_tick is called once a millisecond, late perhaps, but never left out */

uint32_t board_us(void); /* since the start, wraps */

/* -- sensors */

uint8_t board_sample(void);             /* takes this tick's sample of all cells; 0: the reader has none yet */
uint8_t board_inputs8(uint8_t byte);    /* of that sample, one-bit boards: cells 8*byte.., lowest bit first */
uint8_t board_reading(uint8_t cell);    /* of that sample, boards with more bits a cell */
void board_margin(uint8_t cell, uint16_t *reading, uint16_t *threshold); /* with FEATURE_MARGINS only */

enum {CHAIN_END_NONE, CHAIN_END_RIGHT, CHAIN_END_WRONG};
uint8_t board_chain_end(void);          /* what came last of the level shown to the chain's far end; NONE: there is no wire */

/* -- the see-saw */

#define ENDS_STALE 0x80
uint8_t board_ends(void);           /* SENSED bits now, not debounced; ENDS_STALE: no fresh reading */
void board_servo(uint16_t pulse_us); /* width from the next pulse on; 0: no more after the one under way */
uint16_t board_supply_mv(void);     /* as last measured, 0: not measured */

/* -- lights */

void board_lights_changed(void); /* lights_colour() tells the new ones */

/* -- the line */

int16_t board_receive(void);         /* the oldest byte not yet taken, -1: none */
uint8_t *board_send_buffer(void);    /* SEND_MAX bytes to build a frame in, 0 while one is on its way */
void board_send(uint8_t length);     /* sends that many bytes of the buffer */

#endif
