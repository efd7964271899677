/* The codec alone, for golden frames. */
#ifndef BALANX_CODEC_HOST_H
#define BALANX_CODEC_HOST_H
#include <stdint.h>

uint8_t host_frame_close(uint8_t *frame, const uint8_t *body, uint8_t length); /* frame: BALANX_FRAME_MAX bytes */
uint8_t host_frame_open(uint8_t *body, const uint8_t *frame, uint8_t length);  /* frame without its zero; 0: broken */

#endif
