/* fuzz SEED FRAMES: half well-framed frames mutated inside, half noise and damaged frames, stored bytes cut and flipped; exit status 1 names the promise that broke. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "board_host.h"
#include "frame.h"
#include "limits.h"
#include "settings.h"

static uint32_t s_seed;

static uint32_t draw(uint32_t below) {
    s_seed ^= s_seed << 13;
    s_seed ^= s_seed >> 17;
    s_seed ^= s_seed << 5;
    return s_seed % below;
}

static const uint8_t SIZES[] = {3, 1, 5, 5, 7, 3, 3, 5, 6, 3, 3, 5}; /* of messages 0x41.. */
static uint32_t s_sent[sizeof SIZES + 1], s_frames, s_hellos;
static uint8_t s_in[BALANX_FRAME_MAX];
static uint8_t s_in_length;
static uint16_t s_boot, s_session;           /* as the board says, and as it was last greeted */
static uint32_t s_restarts, s_locked_lives, s_well_framed;
static uint8_t s_may_restart;                /* a restart that the board must obey was sent */

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
                if (s_in[1] == MSG_HELLO) {
                    const struct msg_hello *hello = (const struct msg_hello *)(s_in + 1);
                    s_hellos++;
                    if (s_boot && hello->boot != s_boot) {
                        if (!s_may_restart) {
                            fail("the board restarted");
                        }
                        s_restarts++;
                        s_may_restart = 0;
                    }
                    s_boot = hello->boot;
                }
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
        if (body[0] == MSG_CONFIGURE && draw(2)) { /* a key that there is, a value that may do */
            uint16_t value = (uint16_t)(draw(2) ? draw(3) : draw(1200));
            body[1] = (uint8_t)(1 + draw(CONFIG_KEY_STORE));
            memcpy(body + 2, &value, 2);
        }
        if (body[0] == MSG_ACK_EDGES && draw(2)) {
            uint16_t number = (uint16_t)draw(64);
            memcpy(body + 1, &number, 2);
            memcpy(body + 3, &s_boot, 2);
        }
        if (body[0] == MSG_RESTART && !draw(8)) {
            memcpy(body + 1, &s_session, 2);
            memcpy(body + 3, &s_boot, 2);
        }
        if (body[0] == MSG_RESTART && !memcmp(body + 3, &s_boot, 2)) {
            s_may_restart = 1;
        }
        if (body[0] == MSG_GET_HELLO) {
            memcpy(&s_session, body + 1, 2);
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
    if (settings_locked() && host_pulse_us()) {
        fail("a pulse though the stored settings were damaged");
    }
}

/* What a host would say in earnest, so that the motor runs at all. */
static void send_earnest(void) {
    static uint16_t id;
    uint8_t body[7] = {draw(4) ? MSG_TILT_TO : MSG_ENABLE_TILT};
    int16_t angle = (int16_t)draw(1601) - 800;
    if (draw(3)) {
        angle = draw(2) ? 800 : -800;
    }
    uint16_t swing_ms = (uint16_t)(250 + draw(draw(8) ? 200 : 30000));
    id++;
    if (body[0] == MSG_ENABLE_TILT && draw(2)) {
        angle = BALANX_ANGLE_UNKNOWN_CDEG;
    }
    memcpy(body + 1, &angle, 2);
    memcpy(body + 3, body[0] == MSG_TILT_TO ? &swing_ms : &id, 2);
    memcpy(body + 5, &id, 2);
    send_frame(body, body[0] == MSG_TILT_TO ? 7 : 5);
}

/* A motion whose end inputs tell nothing, or nothing new, until the board gives it up. */
static void wait_in_vain(void) {
    static const uint8_t ENDS[] = {0, 1, 2, 0x80};
    uint8_t ends = ENDS[draw(sizeof ENDS)], ping[3] = {MSG_PING, 1, 0};
    send_earnest();
    for (uint8_t i = 0; i < 12; i++) {
        host_ends(ends);
        host_run(5000);
        send_frame(ping, sizeof ping);
        listen(0);
    }
}

/* The see-saw follows its pulses. */
static void follow(void) {
    uint16_t pulse_us = host_pulse_us();
    if (pulse_us) {
        host_ends(pulse_us >= 1865 ? 1 : pulse_us <= 1135 ? 2 : 0);
    }
}

/* Noise, or a good frame with one byte changed, cut or doubled. */
static void send_damaged(void) {
    uint8_t bytes[BALANX_FRAME_MAX];
    uint8_t length = (uint8_t)(1 + draw(40));
    for (uint8_t i = 0; i < length; i++) {
        bytes[i] = (uint8_t)draw(256);
    }
    if (draw(2)) {
        static const uint8_t TILT[] = {MSG_TILT_TO, 0x20, 3, 0x58, 2, 9, 0};
        memcpy(bytes + 1, TILT, sizeof TILT);
        length = frame_close(bytes, sizeof TILT);
        bytes[draw(length)] ^= (uint8_t)(1 + draw(255));
        length -= (uint8_t)draw(3);
    }
    host_write(bytes, length);
}

/* Stored bytes as they come: never written, of any age, a good copy with a bit flipped or a tail cut. 1: no copy is good. */
static uint8_t spoil_stored(void) {
    switch (draw(4)) {
    case 0: /* as the last life left them, perhaps in the middle of a store */
        return 0;
    case 1:
        for (uint8_t i = 0; i < 128; i++) {
            host_stored(i, 0xFF);
        }
        return 0;
    case 2:
        for (uint8_t i = 0; i < 128; i++) {
            host_stored(i, (uint8_t)draw(256));
        }
        return 1;
    default: {
        uint8_t good = 0;
        for (uint8_t copy = 0; copy < 2; copy++) {
            uint8_t at = SETTINGS_AT + copy * SETTINGS_ROOM;
            good |= host_stored_at(at) == 1;
            if (draw(2)) {
                uint8_t bit = at + (uint8_t)draw(18);
                host_stored(bit, host_stored_at(bit) ^ (uint8_t)(1 << draw(8)));
            } else {
                for (uint8_t i = (uint8_t)draw(18); i < 18; i++) {
                    host_stored(at + i, host_stored_at(at + i) ^ 0x5A);
                }
            }
        }
        return good;
    }
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
        for (uint8_t life = 0; life < 4; life++, resets++) {
            uint8_t damaged = spoil_stored();
            s_boot = s_may_restart = 0;
            host_reset((uint8_t)draw(6));
            if (damaged && !settings_locked()) {
                fail("motion is not locked though the stored settings are damaged");
            }
            s_locked_lives += settings_locked();
            uint8_t earnest = !draw(3); /* a life in which motions are ordered, and mostly come to their end */
            s_in_length = 0;
            for (uint32_t i = 0; i < 500 && s_frames < frames; i++, s_frames++) {
                if (draw(2)) {
                    s_well_framed++;
                    if (earnest && !draw(64)) {
                        wait_in_vain();
                    } else if (earnest && draw(8)) {
                        send_earnest();
                    } else {
                        send_mutated();
                    }
                } else {
                    send_damaged();
                }
                host_input((uint8_t)draw(CELLS_MAX), (uint8_t)draw(256));
                if (!earnest || !draw(60)) {
                    host_ends((uint8_t)(draw(4) | (draw(8) ? 0 : 0x80)));
                } else {
                    follow();
                }
                if (!draw(16)) {
                    host_chain((uint8_t)draw(3), (uint8_t)draw(CELLS_MAX + 1));
                    host_supply((uint16_t)draw(8000));
                }
                host_run(draw(earnest && !draw(8) ? 8000 : 200));
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
    printf("%u frames (%u well-framed), %u lives (%u locked), %u hellos, %u restarts asked for; by message:", (unsigned)s_frames,
           (unsigned)s_well_framed, (unsigned)resets, (unsigned)s_locked_lives, (unsigned)s_hellos, (unsigned)s_restarts);
    for (uint8_t kind = 0; kind <= sizeof SIZES; kind++) {
        printf(" %u", (unsigned)s_sent[kind]);
    }
    printf("\n");
    return 0;
}
