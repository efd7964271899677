/* Palette index of every light. */
#ifndef BALANX_LIGHTS_H
#define BALANX_LIGHTS_H
#include <stdint.h>

#define LIGHT_COLOURS 16 /* of the palette; 0 is dark */
#define LIGHT_SILENT 15 /* on the first light, all others dark: no host */

void lights_start(void);
uint8_t lights_set(uint8_t first, const uint8_t *palette, uint8_t count); /* answers a RESULT */
void lights_tick(void);               /* notices when the host falls silent or comes back */
uint8_t lights_colour(uint8_t light); /* what to show */

#endif
