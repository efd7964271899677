/* What configure sets, and its two stored copies. */
#ifndef BALANX_SETTINGS_H
#define BALANX_SETTINGS_H
#include <stdint.h>

/* As stored, behind version and age. Whatever is read or set lies within the limits that are built in. */
struct settings {
    uint8_t debounce_samples;
    uint8_t chain_end; /* 1: must answer; 0: is watched once it has */
    uint16_t angle_limit_cdeg, swing_min_ms, hold_ms, deadline_ms;
    uint16_t threshold; /* of analogue cells, 0: the reader's own */
    uint16_t supply_min_mv;
} __attribute__((packed));

#define SETTINGS_AT 16   /* stored bytes before it belong to the boot number */
#define SETTINGS_ROOM 32 /* of each copy */

void settings_start(void); /* reads the stored copies, before the first tick */
const struct settings *settings(void);
uint8_t settings_locked(void); /* stored ones were damaged and nothing was stored since: no motion */
uint8_t settings_configure(uint8_t key, uint16_t value); /* answers a RESULT; for the key store see below */
uint8_t settings_store(uint16_t value); /* begins to write; RESULT_DONE: settings_tick tells the end */
uint8_t settings_writing(void);
uint8_t settings_tick(uint8_t *result); /* 1: a store has ended, with this RESULT */

#endif
