/* The codec alone, for golden frames: a body to a frame and back. */
#include <string.h>
#include "codec_host.h"
#include "frame.h"
#include "messages.h"

uint8_t host_frame_close(uint8_t *frame, const uint8_t *body, uint8_t length) {
    memcpy(frame + 1, body, length);
    return frame_close(frame, length);
}

uint8_t host_frame_open(uint8_t *body, const uint8_t *frame, uint8_t length) {
    uint8_t buffer[BALANX_FRAME_MAX];
    memcpy(buffer, frame, length);
    uint8_t opened = frame_open(buffer, length);
    memcpy(body, buffer + 1, opened);
    return opened;
}
