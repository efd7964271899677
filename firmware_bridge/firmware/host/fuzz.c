/* fuzz SEED FRAMES: well-framed frames mutated inside, and raw noise; exit status 1 names the promise that broke. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "board_host.h"
#include "frame.h"
#include "limits.h"

static uint32_t s_seed;

static uint32_t draw(uint32_t below) {
    s_seed ^= s_seed << 13;
    s_seed ^= s_seed >> 17;
    s_seed ^= s_seed << 5;
    return s_seed % below;
}

static const uint8_t SIZES[] = {3, 1, 5, 5, 7, 3, 3, 5, 6, 3, 3}; /* of messages 0x41.. */
static uint32_t s_sent[sizeof SIZES + 1], s_frames, s_hellos;
static uint8_t s_in[BALANX_FRAME_MAX];
static uint8_t s_in_length;

static void fail(const char *what) {
    printf("FAILED after %u frames: %s\n", (unsigned)s_frames, what);
    exit(1);
}

/* Reads what the board says: every frame of it must be whole. Returns 1 when a pong with this token is among it. */
static uint8_t listen(uint16_t token) {
    uint8_t bytes[512], heard = 0;
    uint16_t count;
    while ((count = host_read(bytes, sizeof bytes))) {
        for (uint16_t i = 0; i < count; i++) {
            if (bytes[i]) {
                if (s_in_length == sizeof s_in - 1) {
                    fail("a frame is too long");
                }
                s_in[s_in_length++] = bytes[i];
                continue;
            }
            if (s_in_length) {
                if (!frame_open(s_in, s_in_length)) {
                    fail("the board sent a broken frame");
                }
                s_hellos += s_in[1] == MSG_HELLO;
                heard |= s_in[1] == MSG_PONG && (s_in[2] | s_in[3] << 8) == token;
            }
            s_in_length = 0;
        }
    }
    return heard;
}

static void send_frame(const uint8_t *body, uint8_t length) {
    uint8_t frame[BALANX_FRAME_MAX];
    memcpy(frame + 1, body, length);
    host_write(frame, frame_close(frame, length));
}

static void send_mutated(void) {
    uint8_t body[BALANX_FRAME_MAX - 4];
    uint8_t kind = (uint8_t)draw(sizeof SIZES + 1);
    uint8_t length;
    s_sent[kind]++;
    for (uint8_t i = 0; i < sizeof body; i++) {
        body[i] = (uint8_t)(draw(3) ? draw(256) : draw(2) ? 0 : 0xFF);
    }
    if (kind < sizeof SIZES) {
        body[0] = 0x41 + kind;
        length = SIZES[kind];
        if (body[0] == MSG_LIGHTS) {
            body[length] = (uint8_t)draw(draw(2) ? 60 : 256);
            length += 1 + body[length] % 200;
        }
        if (draw(2) && kind > 2 && kind < 5) { /* an angle that the board may take */
            int16_t angle = (int16_t)(draw(1601)) - 800;
            memcpy(body + 1, &angle, 2);
        }
        if (!draw(4)) {
            length = (uint8_t)(1 + draw(length + 8));
        }
    } else {
        length = (uint8_t)(1 + draw(sizeof body));
    }
    send_frame(body, length);
}

static void check_pulses(void) {
    if (host_widest_us() > PULSE_LEVEL_US + ANGLE_MAX_CDEG * PULSE_US_PER_100_CDEG / 100) {
        fail("a pulse is too wide");
    }
    if (host_narrowest_us() && host_narrowest_us() < PULSE_LEVEL_US - ANGLE_MAX_CDEG * PULSE_US_PER_100_CDEG / 100) {
        fail("a pulse is too narrow");
    }
    if (host_first_pulse_us() && host_first_pulse_us() < NO_PULSE_MS * 1000UL) {
        fail("a pulse in the first second");
    }
}

int main(int count, char **arguments) {
    static const uint8_t BITS[] = {1, 2, 3, 4, 8};
    if (count != 3) {
        fprintf(stderr, "usage: fuzz SEED FRAMES\n");
        return 2;
    }
    s_seed = (uint32_t)strtoul(arguments[1], 0, 10) * 2654435761u + 1;
    uint32_t frames = (uint32_t)strtoul(arguments[2], 0, 10);
    uint32_t resets = 0;
    while (s_frames < frames) {
        host_fit((uint8_t)(1 + draw(CELLS_MAX)), BITS[draw(sizeof BITS)], (uint8_t)draw(16), (uint16_t)(1 + draw(3)));
        for (uint8_t i = 0; i < 8; i++) {
            host_stored(i, (uint8_t)draw(256));
        }
        for (uint8_t life = 0; life < 2; life++, resets++) {
            host_reset((uint8_t)draw(6));
            s_in_length = 0;
            for (uint32_t i = 0; i < 500 && s_frames < frames; i++, s_frames++) {
                if (draw(8)) {
                    send_mutated();
                } else {
                    uint8_t noise[40];
                    for (uint8_t k = 0; k < sizeof noise; k++) {
                        noise[k] = (uint8_t)draw(256);
                    }
                    host_write(noise, (uint16_t)(1 + draw(sizeof noise)));
                }
                host_input((uint8_t)draw(CELLS_MAX), (uint8_t)draw(256));
                host_ends((uint8_t)draw(4));
                host_run(draw(200));
                listen(0);
                check_pulses();
            }
            uint8_t zero = 0, ping[3] = {MSG_PING, 0x34, 0x12};
            host_run(8200); /* until all that was queued has been taken */
            listen(0);
            host_write(&zero, 1);
            send_frame(ping, sizeof ping);
            host_run(2500);
            if (!listen(0x1234)) {
                fail("a good ping is not answered any more");
            }
            check_pulses();
        }
    }
    printf("%u frames, %u lives, %u hellos; by message:", (unsigned)s_frames, (unsigned)resets, (unsigned)s_hellos);
    for (uint8_t kind = 0; kind <= sizeof SIZES; kind++) {
        printf(" %u", (unsigned)s_sent[kind]);
    }
    printf("\n");
    return 0;
}
