/* Chain, supply, line -> faults that stand while their cause does. */
#include "watch.h"
#include "board.h"
#include "faults.h"
#include "limits.h"
#include "scan.h"
#include "settings.h"
#include "talk.h"

static uint8_t s_right, s_wrong; /* answers of the chain's end: right ones in a row; wrong ones, each two to one right */
static uint8_t s_answered;
static uint8_t s_low_ms;
static uint16_t s_told, s_since_told_ms; /* damaged frames told of */

void watch_start(void) {
    s_right = s_wrong = s_answered = s_low_ms = 0;
    s_told = 0;
    s_since_told_ms = BAD_FRAMES_EVERY_MS;
    if (settings_locked()) {
        fault_stand(FAULT_CODE_SETTINGS_LOST, 0);
    }
}

uint8_t watch_chain_checked(void) {
    return s_answered || settings()->chain_end;
}

/* The end shows another level each time, so half of the answers of a dead one are right by chance. */
static void watch_chain(void) {
    switch (board_chain_end()) {
    case CHAIN_END_RIGHT:
        s_right += s_right < CHAIN_RIGHT_MIN;
        s_wrong -= s_wrong > 0;
        break;
    case CHAIN_END_WRONG:
        s_right = 0;
        s_wrong += s_wrong < CHAIN_WRONG_MAX ? 2 : 0;
        break;
    default:
        return;
    }
    if (s_right == CHAIN_RIGHT_MIN) {
        s_answered = 1;
        fault_over(FAULT_CODE_CHAIN_BROKEN);
    } else if (s_wrong >= CHAIN_WRONG_MAX && watch_chain_checked()) {
        fault_stand(FAULT_CODE_CHAIN_BROKEN, scan_dead_from());
    }
}

static void watch_supply(void) {
    uint16_t supply_mv = board_supply_mv(), min_mv = settings()->supply_min_mv;
    if (!supply_mv) {
        return;
    }
    if (supply_mv < min_mv) {
        if (s_low_ms < SUPPLY_LOW_MS && ++s_low_ms == SUPPLY_LOW_MS) {
            fault_stand(FAULT_CODE_SUPPLY_LOW, supply_mv);
        }
    } else if (supply_mv > min_mv + SUPPLY_WELL_MV) {
        s_low_ms = 0;
        fault_over(FAULT_CODE_SUPPLY_LOW);
    } else if (s_low_ms < SUPPLY_LOW_MS) {
        s_low_ms = 0;
    }
}

void watch_tick(void) {
    watch_chain();
    watch_supply();
    if (s_since_told_ms < BAD_FRAMES_EVERY_MS) {
        s_since_told_ms++;
    } else if (s_told != talk_bad_frames()) {
        s_told = talk_bad_frames();
        s_since_told_ms = 0;
        fault_tell(FAULT_CODE_BAD_FRAMES, s_told);
    }
}
