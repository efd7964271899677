/* Settings: within the limits that are built in, kept in two copies with version, age and CRC, written a byte at a time. */
#include <string.h>
#include "settings.h"
#include "board.h"
#include "frame.h"
#include "limits.h"

#define VERSION 1   /* of the stored form; another one is not guessed at */
#define NONE 0xFF   /* a byte that was never written */
#define AGE_AT 1
#define BODY_AT 2
#define CRC_AT (BODY_AT + sizeof(struct settings))
#define SIZE (CRC_AT + 2)

_Static_assert(SIZE <= SETTINGS_ROOM && CRC_AT < 254, "a copy fits its room");

enum {COPY_GOOD, COPY_BLANK, COPY_BAD};

static struct settings s_now;
static uint8_t s_locked;
static uint8_t s_copy, s_age; /* of the copy that counts */
static uint8_t s_step;        /* of a store under way, 0: none */
static uint8_t s_forgets;     /* it takes both copies back to blank */
static uint16_t s_crc;

static void defaults(void) {
    s_now.debounce_samples = DEBOUNCE_SAMPLES;
    s_now.chain_end = 0;
    s_now.angle_limit_cdeg = ANGLE_MAX_CDEG;
    s_now.swing_min_ms = SWING_MIN_MS;
    s_now.hold_ms = HOLD_FOR_EVER;
    s_now.deadline_ms = DEADLINE_MS;
    s_now.threshold = 0;
    s_now.supply_min_mv = SUPPLY_MIN_MV;
}

static uint8_t within_limits(const struct settings *s) {
    return s->debounce_samples >= 1 && s->debounce_samples <= DEBOUNCE_SAMPLES_MAX && s->chain_end <= 1 &&
        s->angle_limit_cdeg <= ANGLE_MAX_CDEG && s->swing_min_ms >= SWING_MIN_MS && s->supply_min_mv <= SUPPLY_MIN_MAX_MV;
}

static uint8_t address_of(uint8_t copy) {
    return SETTINGS_AT + copy * SETTINGS_ROOM;
}

static uint8_t read_copy(uint8_t copy, uint8_t *bytes) {
    uint8_t blank = NONE;
    for (uint8_t i = 0; i < SIZE; i++) {
        bytes[i] = board_stored(address_of(copy) + i);
        blank &= bytes[i];
    }
    if (blank == NONE) {
        return COPY_BLANK;
    }
    uint16_t crc = (uint16_t)(bytes[CRC_AT] << 8 | bytes[CRC_AT + 1]);
    struct settings read;
    memcpy(&read, bytes + BODY_AT, sizeof read);
    return bytes[0] == VERSION && frame_crc(bytes, CRC_AT) == crc && within_limits(&read) ? COPY_GOOD : COPY_BAD;
}

void settings_start(void) {
    uint8_t bytes[SIZE], other[SIZE];
    uint8_t first = read_copy(0, bytes), second = read_copy(1, other);
    defaults();
    s_step = s_locked = s_copy = s_age = 0;
    if (second == COPY_GOOD && (first != COPY_GOOD || (uint8_t)(other[AGE_AT] - bytes[AGE_AT]) < 0x80)) {
        memcpy(bytes, other, SIZE);
        s_copy = 1;
        first = COPY_GOOD;
    }
    if (first == COPY_GOOD) {
        memcpy(&s_now, bytes + BODY_AT, sizeof s_now);
        s_age = bytes[AGE_AT];
    } else if (first == COPY_BAD || second == COPY_BAD) {
        s_locked = 1; /* something was set once, perhaps a narrow limit: nobody knows it any more */
    }
}

const struct settings *settings(void) {
    return &s_now;
}

uint8_t settings_locked(void) {
    return s_locked;
}

uint8_t settings_writing(void) {
    return s_step != 0;
}

uint8_t settings_configure(uint8_t key, uint16_t value) {
    if (s_step) {
        return RESULT_BUSY; /* what is being written must stay as it is */
    }
    struct settings wanted = s_now;
    switch (key) {
    case CONFIG_KEY_DEBOUNCE_SAMPLES:
        wanted.debounce_samples = value < 0xFF ? (uint8_t)value : 0xFF;
        break;
    case CONFIG_KEY_ANGLE_LIMIT_CDEG: wanted.angle_limit_cdeg = value; break;
    case CONFIG_KEY_SWING_MIN_MS: wanted.swing_min_ms = value; break;
    case CONFIG_KEY_HOLD_MS: wanted.hold_ms = value; break;
    case CONFIG_KEY_DEADLINE_MS: wanted.deadline_ms = value; break;
    case CONFIG_KEY_SUPPLY_MIN_MV: wanted.supply_min_mv = value; break;
    case CONFIG_KEY_CHAIN_END:
        wanted.chain_end = value < 0xFF ? (uint8_t)value : 0xFF;
        break;
    case CONFIG_KEY_THRESHOLD:
        if (!(board_features() & FEATURE_MARGINS)) {
            return RESULT_UNKNOWN;
        }
        wanted.threshold = value;
        break;
    default:
        return RESULT_UNKNOWN;
    }
    if (!within_limits(&wanted)) {
        return RESULT_OUT_OF_LIMITS;
    }
    s_now = wanted;
    return RESULT_DONE;
}

/* -- storing: the other copy is made invalid, filled, and made valid last, so that at each moment a good one is there */

uint8_t settings_store(uint16_t value) {
    if (s_step) {
        return RESULT_BUSY;
    }
    if (value > 1) {
        return RESULT_OUT_OF_LIMITS;
    }
    s_forgets = !value;
    if (value) {
        s_copy ^= 1;
        s_age++;
        uint8_t bytes[CRC_AT] = {VERSION, s_age};
        memcpy(bytes + BODY_AT, &s_now, sizeof s_now);
        s_crc = frame_crc(bytes, CRC_AT);
    }
    s_step = 1;
    return RESULT_DONE;
}

/* Byte number i of the copy as it is to be stored. */
static uint8_t wanted_byte(uint8_t i) {
    if (i == 0) {
        return VERSION;
    }
    if (i == AGE_AT) {
        return s_age;
    }
    if (i < CRC_AT) {
        return ((const uint8_t *)&s_now)[i - BODY_AT];
    }
    return i == CRC_AT ? (uint8_t)(s_crc >> 8) : (uint8_t)s_crc;
}

uint8_t settings_tick(uint8_t *result) {
    if (!s_step || !board_store_ready()) {
        return 0;
    }
    uint8_t step = s_step++ - 1;
    if (s_forgets) {
        if (step < 2 * SIZE) { /* the copy that counts goes last: cut before, it still counts */
            uint8_t copy = step < SIZE ? s_copy ^ 1 : s_copy;
            board_store(address_of(copy) + step % SIZE, NONE);
            return 0;
        }
        defaults();
        s_age = s_copy = 0;
        *result = RESULT_DONE;
    } else {
        if (step == 0) {
            board_store(address_of(s_copy), 0);
            return 0;
        }
        if (step <= SIZE) {
            uint8_t i = step == SIZE ? 0 : step;
            board_store(address_of(s_copy) + i, wanted_byte(i));
            return 0;
        }
        uint8_t bytes[SIZE];
        *result = read_copy(s_copy, bytes) == COPY_GOOD ? RESULT_DONE : RESULT_NOT_STORED;
    }
    s_step = 0;
    if (*result == RESULT_DONE) {
        s_locked = 0;
    } else {
        s_copy ^= 1; /* the older one still counts and is not written next */
    }
    return 1;
}
