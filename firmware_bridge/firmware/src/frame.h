/* Frames of the wire: COBS and CRC, both worked in place. */
#ifndef BALANX_FRAME_H
#define BALANX_FRAME_H
#include <stdint.h>

uint16_t frame_crc(const uint8_t *bytes, uint8_t length);

/* buffer[1..length] holds a body; makes it a frame from buffer[0] on, 3 bytes longer than length + 1. Returns its length. */
uint8_t frame_close(uint8_t *buffer, uint8_t length);

/* buffer[0..length) is a frame without its zero; then buffer[1..] holds the body, whose length is returned; 0: broken. */
uint8_t frame_open(uint8_t *buffer, uint8_t length);

#endif
