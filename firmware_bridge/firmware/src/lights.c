/* Lights as palette indices, and what they show while no host is there. */
#include <string.h>
#include "lights.h"
#include "board.h"
#include "limits.h"
#include "tilt.h"

static uint8_t s_palette[CELLS_MAX / 2]; /* four bits a light, the even one low */
static uint8_t s_silent;

void lights_start(void) {
    memset(s_palette, 0, sizeof s_palette);
    s_silent = 1;
    board_lights_changed();
}

uint8_t lights_set(uint8_t first, const uint8_t *palette, uint8_t count) {
    if (!(board_features() & FEATURE_LIGHTS) || (uint16_t)first + count > board_cells()) {
        return RESULT_UNKNOWN;
    }
    while (count--) {
        uint8_t *pair = s_palette + first / 2, colour = *palette++ & (LIGHT_COLOURS - 1);
        *pair = first & 1 ? (uint8_t)((*pair & 0x0F) | colour << 4) : (uint8_t)((*pair & 0xF0) | colour);
        first++;
    }
    board_lights_changed();
    return RESULT_DONE;
}

void lights_tick(void) {
    if (tilt_silent() != s_silent) {
        s_silent = !s_silent;
        board_lights_changed();
    }
}

uint8_t lights_colour(uint8_t light) {
    if (s_silent) {
        return light == 0 ? LIGHT_SILENT : 0;
    }
    uint8_t pair = s_palette[light / 2];
    return light & 1 ? pair >> 4 : pair & 0x0F;
}
