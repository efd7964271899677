/* Faults: a short queue of those told once, and those that stand until their cause is gone. */
#include <string.h>
#include "faults.h"

#define QUEUE_MAX 4

static const uint8_t STANDING[] = {FAULT_CODE_SETTINGS_LOST, FAULT_CODE_CHAIN_BROKEN, FAULT_CODE_SUPPLY_LOW};

static struct {
    uint8_t code;
    uint16_t argument;
} s_queue[QUEUE_MAX];
static uint8_t s_count;
static uint16_t s_arguments[sizeof STANDING];
static uint8_t s_stands, s_due; /* one bit each */

void faults_start(void) {
    s_count = s_stands = s_due = 0;
}

void fault_tell(uint8_t code, uint16_t argument) {
    if (s_count < QUEUE_MAX) {
        s_queue[s_count].code = code;
        s_queue[s_count].argument = argument;
        s_count++;
    }
}

static uint8_t place_of(uint8_t code) {
    uint8_t at = 0;
    while (at < sizeof STANDING - 1 && STANDING[at] != code) {
        at++;
    }
    return at;
}

void fault_stand(uint8_t code, uint16_t argument) {
    uint8_t at = place_of(code), bit = (uint8_t)(1 << at);
    if (!(s_stands & bit)) {
        s_arguments[at] = argument;
        s_stands |= bit;
        s_due |= bit;
    }
}

void fault_over(uint8_t code) {
    if (!s_stands) {
        return; /* asked each millisecond, and nearly always so */
    }
    uint8_t bit = (uint8_t)(1 << place_of(code));
    s_stands &= (uint8_t)~bit;
    s_due &= (uint8_t)~bit;
}

void faults_again(void) {
    s_due = s_stands;
}

uint8_t fault_take(struct msg_fault *message) {
    message->message = MSG_FAULT;
    if (s_count) {
        message->code = s_queue[0].code;
        message->argument = s_queue[0].argument;
        s_count--;
        memmove(s_queue, s_queue + 1, s_count * sizeof s_queue[0]);
        return 1;
    }
    for (uint8_t at = 0; s_due && at < sizeof STANDING; at++) {
        if (s_due & 1 << at) {
            s_due &= (uint8_t)~(1 << at);
            message->code = STANDING[at];
            message->argument = s_arguments[at];
            return 1;
        }
    }
    return 0;
}
