/* Changes of lines, kept in the order of their time and done when it has come; each drive that is done is told once. */
#include <string.h>
#include "board.h"
#include "limits.h"
#include "stimulus.h"

static struct change {
    uint32_t at_us;
    uint16_t id;
    uint8_t line, level;
} s_changes[CHANGES_MAX];
static uint8_t s_count;
static struct {
    uint32_t at_us;
    uint16_t id;
} s_notes[NOTES_MAX];
static uint8_t s_note_count;

void schedule_begin(void) {
    s_count = s_note_count = 0;
}

void schedule_clear(void) {
    s_count = 0;
    lines_rest();
    lines_show();
}

uint8_t schedule_waiting(void) {
    return s_count;
}

uint8_t schedule_add(uint32_t at_us, uint16_t id, const uint8_t *pairs, uint8_t count) {
    if (count & 1 || !count) {
        return RESULT_OUT_OF_LIMITS;
    }
    for (uint8_t i = 0; i < count; i += 2) {
        if ((pairs[i] >= OUTPUTS && pairs[i] < STIMULUS_LINE_END_SEAT0) || pairs[i] > STIMULUS_LINE_POWER) {
            return RESULT_UNKNOWN;
        }
    }
    if (s_count + count / 2 > CHANGES_MAX) {
        return RESULT_BUSY;
    }
    for (; count; count -= 2, pairs += 2) {
        uint8_t at = s_count++;
        /* behind all that are not later: changes of one time are done in the order in which they came */
        while (at && (int32_t)(s_changes[at - 1].at_us - at_us) > 0) {
            s_changes[at] = s_changes[at - 1];
            at--;
        }
        s_changes[at].at_us = at_us;
        s_changes[at].id = id;
        s_changes[at].line = pairs[0];
        s_changes[at].level = pairs[1];
    }
    return RESULT_DONE;
}

static void note(uint16_t id, uint32_t at_us) {
    if (s_note_count == NOTES_MAX) {
        memmove(s_notes, s_notes + 1, sizeof s_notes - sizeof s_notes[0]);
        s_note_count--;
    }
    s_notes[s_note_count].id = id;
    s_notes[s_note_count].at_us = at_us;
    s_note_count++;
}

void schedule_poll(void) {
    uint32_t now_us = board_us();
    uint8_t due = 0;
    while (due < s_count && (int32_t)(now_us - s_changes[due].at_us) >= 0) {
        lines_set(s_changes[due].line, s_changes[due].level);
        due++;
    }
    if (!due) {
        return;
    }
    lines_show();
    now_us = board_us();
    for (uint8_t i = 0; i < due; i++) {
        if (i + 1 == due || s_changes[i + 1].id != s_changes[i].id) {
            note(s_changes[i].id, now_us);
        }
    }
    s_count -= due;
    memmove(s_changes, s_changes + due, s_count * sizeof s_changes[0]);
}

uint8_t schedule_soon(void) {
    return s_count && (int32_t)(s_changes[0].at_us - board_us()) < SPIN_US;
}

uint8_t schedule_done_take(struct msg_driven *driven) {
    if (!s_note_count) {
        return 0;
    }
    driven->message = MSG_DRIVEN;
    driven->id = s_notes[0].id;
    driven->at_us = s_notes[0].at_us;
    s_note_count--;
    memmove(s_notes, s_notes + 1, s_note_count * sizeof s_notes[0]);
    return 1;
}
