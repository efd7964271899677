/* Made from firmware_bridge/messages.py by firmware_bridge/document.py --c-header. Do not edit. */
#ifndef BALANX_MESSAGES_H
#define BALANX_MESSAGES_H
#include <stdint.h>

#define BALANX_MAJOR 1
#define BALANX_MINOR 1
#define BALANX_BAUD 250000UL
#define BALANX_FRAME_MAX 250
#define BALANX_FLICKER_PAIRS_MAX 6
#define BALANX_ANGLE_UNKNOWN_CDEG 0x7fff
#define BALANX_SESSION_UNASKED 0

enum {RESET_CAUSE_UNKNOWN = 0, RESET_CAUSE_POWER_ON = 1, RESET_CAUSE_EXTERNAL = 2, RESET_CAUSE_BROWN_OUT = 3, RESET_CAUSE_WATCHDOG = 4, RESET_CAUSE_SOFTWARE = 5};
enum {FEATURE_SERVO = 1, FEATURE_END_INPUTS = 2, FEATURE_LIGHTS = 4, FEATURE_MARGINS = 8, FEATURE_CHAIN_END = 16};
enum {SENSED_SEAT0_DOWN = 1, SENSED_SEAT1_DOWN = 2};
enum {RESULT_DONE = 0, RESULT_NOT_ENABLED = 1, RESULT_OUT_OF_LIMITS = 2, RESULT_TOO_FAST = 3, RESULT_TOO_SOON = 4, RESULT_BUSY = 5, RESULT_UNKNOWN = 6, RESULT_DUTY_LIMIT = 7, RESULT_LOCKED = 8, RESULT_NOT_STORED = 9};
enum {FAULT_CODE_HOST_SILENT = 1, FAULT_CODE_TILT_DEADLINE = 2, FAULT_CODE_TILT_STALLED = 3, FAULT_CODE_FEEDBACK_STALE = 4, FAULT_CODE_SUPPLY_LOW = 5, FAULT_CODE_DUTY_LIMIT = 6, FAULT_CODE_CHAIN_BROKEN = 7, FAULT_CODE_BAD_FRAMES = 8, FAULT_CODE_BOTH_ENDS = 9, FAULT_CODE_SETTINGS_LOST = 10};
enum {CONFIG_KEY_DEBOUNCE_SAMPLES = 1, CONFIG_KEY_ANGLE_LIMIT_CDEG = 2, CONFIG_KEY_SWING_MIN_MS = 3, CONFIG_KEY_HOLD_MS = 4, CONFIG_KEY_THRESHOLD = 5, CONFIG_KEY_DEADLINE_MS = 6, CONFIG_KEY_SUPPLY_MIN_MV = 7, CONFIG_KEY_CHAIN_END = 8, CONFIG_KEY_STORE = 9};

/* board to host */

/* Who the board is. Sent once unasked after a reset, and as the answer to `get_hello`. */
#define MSG_HELLO 0x01
struct msg_hello {
    uint8_t message; /* MSG_HELLO */
    uint8_t major; /* protocol major: another one does not play */
    uint8_t minor; /* protocol minor: a newer one plays */
    uint32_t build_id; /* first 4 bytes of the SHA-256 of the firmware's sources and options */
    uint8_t cells; /* inputs in the chain */
    uint8_t bits; /* bits a cell: 1 presence, 2 colour, 3, 4, 8 other games [bit] */
    uint16_t reader_hz; /* samples of all inputs a second [Hz] */
    uint8_t reset_cause; /* a ResetCause */
    uint16_t boot; /* boot number, kept over power cuts, one more at each reset */
    uint16_t session; /* that of the get_hello answered, 0: nobody asked */
    uint8_t features; /* Feature bits */
    /* then firmware: u8[3]: firmware version */
    /* then product: text: product name */
    /* then board_kind: text: which sensor board, e.g. classic */
    /* then unique_id: octets: the controller's own id */
    /* then commit_id: octets: first 4 bytes of the commit it was built at, empty: not told */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_hello) == 17, "hello, board to host");

/* One accepted change of one cell's reading; sent again every 100 ms until acknowledged. */
#define MSG_EDGE 0x02
struct msg_edge {
    uint8_t message; /* MSG_EDGE */
    uint8_t cell; /* input in chain order */
    uint8_t reading; /* the new reading */
    uint32_t board_us; /* board time of acceptance, wraps [us] */
    uint16_t number; /* running number since boot, the first is 1, wraps */
    uint16_t boot; /* boot number */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_edge) == 11, "edge, board to host");

/* All readings at once; `number` edges have led to it. */
#define MSG_PICTURE 0x03
struct msg_picture {
    uint8_t message; /* MSG_PICTURE */
    uint16_t number; /* number of the last edge before it */
    uint8_t overflow; /* edges were thrown away; the picture replaces them */
    uint32_t board_us; /* board time of the picture, wraps [us] */
    uint16_t boot; /* boot number */
    uint8_t bits; /* bits a cell [bit] */
    /* then flicker: (u8,u8)[]: up to six worst (cell, changes not accepted since the last) */
    /* then readings: readings: one reading a cell, in chain order */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_picture) == 11, "picture, board to host");

/* Answer to a command; the same id is answered again and not done twice. */
#define MSG_ACK 0x04
struct msg_ack {
    uint8_t message; /* MSG_ACK */
    uint16_t id; /* the command's id */
    uint8_t result; /* a Result */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_ack) == 4, "ack, board to host");

/* Something is wrong with the board. */
#define MSG_FAULT 0x05
struct msg_fault {
    uint8_t message; /* MSG_FAULT */
    uint8_t code; /* a FaultCode */
    uint16_t argument; /* depends on the code */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_fault) == 4, "fault, board to host");

/* Where the board stands; sent at start, arrival, stop, change of an end input, each 100 ms in motion. */
#define MSG_TILT 0x06
struct msg_tilt {
    uint8_t message; /* MSG_TILT */
    int16_t commanded_cdeg; /* angle reached; positive: seat 0's side down [0.01 deg] */
    uint8_t sensed; /* Sensed bits */
    uint8_t moving; /* a swing is under way */
    uint8_t enabled; /* the servo gets a signal */
    uint16_t supply_mv; /* supply as the board measures it, 0: not measured [mV] */
    uint32_t board_us; /* board time, wraps [us] */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_tilt) == 12, "tilt, board to host");

/* Answer to `ping`. */
#define MSG_PONG 0x07
struct msg_pong {
    uint8_t message; /* MSG_PONG */
    uint16_t token; /* the ping's token */
    uint32_t board_us; /* board time, wraps [us] */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_pong) == 7, "pong, board to host");

/* Answer to `get_margins`: how far analogue readings are from their threshold. */
#define MSG_MARGINS 0x08
struct msg_margins {
    uint8_t message; /* MSG_MARGINS */
    uint8_t first; /* first cell */
    /* then pairs: (u16,u16)[]: (reading, threshold), raw */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_margins) == 2, "margins, board to host");

/* host to board */

/* Asks for `hello`. A session not seen before makes the board forget the last command id. */
#define MSG_GET_HELLO 0x41
struct msg_get_hello {
    uint8_t message; /* MSG_GET_HELLO */
    uint16_t session; /* random, never 0; command ids count within it */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_get_hello) == 3, "get_hello, host to board");

/* Asks for `picture` now, and for `tilt` behind it: a host that has just come up knows neither. */
#define MSG_GET_PICTURE 0x42
struct msg_get_picture {
    uint8_t message; /* MSG_GET_PICTURE */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_get_picture) == 1, "get_picture, host to board");

/* All edges up to `number` have arrived; ignored when `boot` is not the board's. */
#define MSG_ACK_EDGES 0x43
struct msg_ack_edges {
    uint8_t message; /* MSG_ACK_EDGES */
    uint16_t number; /* last edge taken */
    uint16_t boot; /* boot number the edges belong to */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_ack_edges) == 5, "ack_edges, host to board");

/* Lets the board drive the servo, first to where the host last knew it. */
#define MSG_ENABLE_TILT 0x44
struct msg_enable_tilt {
    uint8_t message; /* MSG_ENABLE_TILT */
    int16_t angle_cdeg; /* last known angle, 0x7FFF: unknown [0.01 deg] */
    uint16_t id; /* command id */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_enable_tilt) == 5, "enable_tilt, host to board");

/* Swings to an angle along the board's profile. */
#define MSG_TILT_TO 0x45
struct msg_tilt_to {
    uint8_t message; /* MSG_TILT_TO */
    int16_t angle_cdeg; /* positive: seat 0's side down [0.01 deg] */
    uint16_t swing_ms; /* time of the swing [ms] */
    uint16_t id; /* command id */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_tilt_to) == 7, "tilt_to, host to board");

/* Stops where the board is and holds. */
#define MSG_STOP_TILT 0x46
struct msg_stop_tilt {
    uint8_t message; /* MSG_STOP_TILT */
    uint16_t id; /* command id */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_stop_tilt) == 3, "stop_tilt, host to board");

/* Ends the servo signal after a whole pulse. */
#define MSG_DISABLE_TILT 0x47
struct msg_disable_tilt {
    uint8_t message; /* MSG_DISABLE_TILT */
    uint16_t id; /* command id */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_disable_tilt) == 3, "disable_tilt, host to board");

/* Sets lights from `first` on to palette colours. */
#define MSG_LIGHTS 0x48
struct msg_lights {
    uint8_t message; /* MSG_LIGHTS */
    uint8_t first; /* first cell */
    uint16_t id; /* command id */
    /* then palette: octets: one palette index a light */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_lights) == 4, "lights, host to board");

/* Sets one value until the next reset; the key `store` makes what is set outlive it. */
#define MSG_CONFIGURE 0x49
struct msg_configure {
    uint8_t message; /* MSG_CONFIGURE */
    uint8_t key; /* a ConfigKey */
    uint16_t value; /* in the key's unit */
    uint16_t id; /* command id */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_configure) == 6, "configure, host to board");

/* Asks for `margins` (answered by that, not by `ack`). */
#define MSG_GET_MARGINS 0x4A
struct msg_get_margins {
    uint8_t message; /* MSG_GET_MARGINS */
    uint8_t first; /* first cell */
    uint8_t count; /* cells, at most 60 */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_get_margins) == 3, "get_margins, host to board");

/* Tells the board that the host lives. */
#define MSG_PING 0x4B
struct msg_ping {
    uint8_t message; /* MSG_PING */
    uint16_t token; /* comes back in `pong` */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_ping) == 3, "ping, host to board");

/* Restarts the board behind the servo's last whole pulse; ignored unless both numbers are the board's own. */
#define MSG_RESTART 0x4C
struct msg_restart {
    uint8_t message; /* MSG_RESTART */
    uint16_t session; /* of the last get_hello */
    uint16_t boot; /* boot number */
} __attribute__((packed));
_Static_assert(sizeof(struct msg_restart) == 5, "restart, host to board");

#endif
