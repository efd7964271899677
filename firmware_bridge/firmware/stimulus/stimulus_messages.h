/* Made from firmware_bridge/stimulus.py by firmware_bridge/document.py --stimulus-header. Do not edit. */
#ifndef BALANX_STIMULUS_MESSAGES_H
#define BALANX_STIMULUS_MESSAGES_H
#include "messages.h"

enum {STIMULUS_LINE_END_SEAT0 = 240, STIMULUS_LINE_END_SEAT1 = 241, STIMULUS_LINE_RESET = 242, STIMULUS_LINE_POWER = 243};

/* stimulus to host */

/* All changes of one `drive` are on their lines now. What `release` threw away is never told. */
#define MSG_DRIVEN 0x21
struct msg_driven {
    uint8_t message; /* MSG_DRIVEN */
    uint16_t id; /* the drive's id */
    uint32_t at_us; /* stimulus time at which the lines had changed, wraps [us] */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_driven) == 7, "driven, stimulus to host");

/* One whole pulse on the servo line. */
#define MSG_PULSE 0x22
struct msg_pulse {
    uint8_t message; /* MSG_PULSE */
    uint16_t number; /* running number; a gap: pulses were lost here, not on the line */
    uint32_t start_us; /* stimulus time of the rising edge, wraps [us] */
    uint16_t width_half_us; /* width [0.5 us] */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_pulse) == 9, "pulse, stimulus to host");

/* Answer to `get_lines`. */
#define MSG_LINES 0x23
struct msg_lines {
    uint8_t message; /* MSG_LINES */
    uint8_t servo; /* level of the servo line now */
    uint8_t power; /* 1: the controller has its supply */
    uint8_t waiting; /* changes that wait for their time */
    uint16_t pulses_lost; /* pulses that nobody fetched in time */
    uint32_t board_us; /* stimulus time, wraps [us] */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_lines) == 10, "lines, stimulus to host");

/* host to stimulus */

/* Changes lines at one instant; a time gone by means now. BUSY: no room, ask again later. */
#define MSG_DRIVE 0x61
struct msg_drive {
    uint8_t message; /* MSG_DRIVE */
    uint32_t at_us; /* stimulus time, wraps [us] */
    uint16_t id; /* command id */
    /* then changes: octets: line and level (0 or 1) in turn, at most 30 lines */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_drive) == 7, "drive, host to stimulus");

/* Forgets all that waits; every line rests: no marble, no end, no reset, power on. */
#define MSG_RELEASE 0x62
struct msg_release {
    uint8_t message; /* MSG_RELEASE */
    uint16_t id; /* command id */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_release) == 3, "release, host to stimulus");

/* Asks for `lines`. */
#define MSG_GET_LINES 0x63
struct msg_get_lines {
    uint8_t message; /* MSG_GET_LINES */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_get_lines) == 1, "get_lines, host to stimulus");

#endif
