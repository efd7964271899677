/* Frames of the wire: a body with its CRC, COBS-coded in place, closed by a zero. */
#include "frame.h"

uint16_t frame_crc(const uint8_t *bytes, uint8_t length) {
    uint16_t crc = 0xFFFF;
    while (length--) {
        /* CRC-16/CCITT-FALSE by bytes, without a table */
        uint8_t x = (uint8_t)(crc >> 8) ^ *bytes++;
        x ^= x >> 4;
        crc = (uint16_t)((crc << 8) ^ ((uint16_t)x << 12) ^ ((uint16_t)x << 5) ^ x);
    }
    return crc;
}

uint8_t frame_close(uint8_t *buffer, uint8_t length) {
    uint16_t crc = frame_crc(buffer + 1, length);
    uint8_t end = length + 3;
    buffer[length + 1] = (uint8_t)(crc >> 8);
    buffer[length + 2] = (uint8_t)crc;
    buffer[end] = 0;
    uint8_t next = end;
    for (uint8_t at = end - 1; at; at--) {
        if (buffer[at] == 0) {
            buffer[at] = next - at;
            next = at;
        }
    }
    buffer[0] = next;
    return end + 1;
}

uint8_t frame_open(uint8_t *buffer, uint8_t length) {
    if (length < 4) {
        return 0;
    }
    uint8_t at = 0;
    while (at < length) {
        uint8_t code = buffer[at];
        /* a code that leads outside, or to itself, is no COBS */
        if (code == 0 || code > length - at) {
            return 0;
        }
        buffer[at] = 0;
        at += code;
    }
    return frame_crc(buffer + 1, length - 1) == 0 ? length - 3 : 0;
}
