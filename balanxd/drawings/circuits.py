"""Number of chips -> the circuits around the controller: chain, tilt drive, lights, sensors, buzzer, buttons."""

from __future__ import annotations

from .chain import INPUT_LETTERS, INPUTS_A_CHIP, PACKAGE_PINS, PINS, Pin
from .svg import Canvas

WIDTH = 480.0
_CHIP_X, _CHIP_W, _CHIP_H = 262.0, 160.0, 150.0


def _pin(canvas: Canvas, x: float, y: float, pin: Pin, kind: str) -> None:
    """A pin at the right edge of the controller's box, its names inside."""
    canvas.words(x - 8, y + 5, f"{pin.port} · {pin.board}", "small", "end")
    canvas.joint(x, y, kind)


def chain_svg(chips: int) -> str:
    """The controller and its chain of 74HC165: first, second and last chip."""
    canvas = Canvas(WIDTH, 694, f"The chain: {chips} chips 74HC165, {chips * INPUTS_A_CHIP} inputs")
    canvas.words(20, 52, "Numbers at a chip are the legs of its 16-pin package.", "small dim")
    right = 138.0
    canvas.parts_box(20, 96, right - 20, 520, "controller", "ATmega328P")
    data_y, load_y, clock_y, end_y = 166.0, 238.0, 286.0, 586.0
    tops = (114.0, 292.0, 470.0)
    for place, top in enumerate(tops):
        _chip(canvas, top, (1, 2, chips)[place])
        for pin, x, y in (("SH/LD", 178.0, 54.0), ("CLK", 206.0, 78.0)):
            kind = "load" if pin == "SH/LD" else "clock"
            canvas.wire(((x, top + y), (_CHIP_X, top + y)), kind, joined=True)
        canvas.wire(((_CHIP_X, top + 102), (_CHIP_X - 24, top + 102), (_CHIP_X - 24, top + 108)), "ground")
        canvas.earth(_CHIP_X - 24, top + 108)
    _pin(canvas, right, load_y, PINS["load"], "load")
    _pin(canvas, right, clock_y, PINS["clock"], "clock")
    canvas.wire(((right, load_y), (178, load_y)), "load", joined=True)
    canvas.joint(178, load_y, "load")
    canvas.wire(((178, tops[0] + 54), (178, tops[2] + 54)), "load")
    canvas.wire(((right, clock_y), (206, clock_y)), "clock", joined=True)
    canvas.joint(206, clock_y, "clock")
    canvas.wire(((206, tops[0] + 78), (206, tops[2] + 78)), "clock")
    # data: QH of each chip into SER of the chip before it, the first one's into the controller
    edge = _CHIP_X + _CHIP_W
    _pin(canvas, right, data_y, PINS["data"], "data")
    first = ((right, data_y), (158, data_y), (158, 84), (edge + 40, 84), (edge + 40, tops[0] + 54))
    canvas.wire((*first, (edge, tops[0] + 54)), "data")
    for upper, lower in ((tops[0], tops[1]), (tops[1], tops[2])):
        dashed = "data" if upper == tops[0] else "data more"
        path = ((edge, upper + 102), (edge + 26, upper + 102), (edge + 26, lower + 54), (edge, lower + 54))
        canvas.wire(path, dashed)
    canvas.words(edge + 32, tops[2] - 8, "…", "title t-data")
    _pin(canvas, right, end_y, PINS["chain_end"], "sig")
    end = ((right, end_y), (158, end_y), (158, 648), (edge + 40, 648), (edge + 40, tops[2] + 102))
    canvas.wire((*end, (edge, tops[2] + 102)), "sig")
    canvas.words(170, 640, "chain check: what goes in here comes out last", "small t-sig")
    canvas.words(
        20, 678, "Chips 3 and up go between the second and the last one in the same way.", "small dim"
    )
    canvas.words(166, 78, "data", "small t-data")
    canvas.words(142, load_y - 8, "load", "small t-load")
    canvas.words(142, clock_y - 8, "clock", "small t-clock")
    return canvas.svg


def _chip(canvas: Canvas, top: float, chip: int) -> None:
    canvas.box(_CHIP_X, top, _CHIP_W, _CHIP_H)
    first = (chip - 1) * INPUTS_A_CHIP
    canvas.words(_CHIP_X + _CHIP_W / 2, top + 19, f"74HC165 no. {chip}", "strong", "middle")
    canvas.words(
        _CHIP_X + _CHIP_W / 2,
        top + 34,
        f"H…A: inputs {first}–{first + INPUTS_A_CHIP - 1}",
        "small dim",
        "middle",
    )
    for name, y in (("SH/LD", 54.0), ("CLK", 78.0), ("CLK INH", 102.0)):
        canvas.words(_CHIP_X + 6, top + y + 4, f"{PACKAGE_PINS[name]} {name}", "small")
    for name, y in (("QH", 54.0), ("SER", 102.0)):
        canvas.words(_CHIP_X + _CHIP_W - 6, top + y + 4, f"{name} {PACKAGE_PINS[name]}", "small", "end")
    # supply at the lower edge: legs 16 and 8 with their capacitor between them
    low, middle = top + _CHIP_H - 12, _CHIP_X + _CHIP_W / 2
    canvas.words(_CHIP_X + 6, low + 4, f"{PACKAGE_PINS['VCC']} 5 V", "small t-plus")
    canvas.words(_CHIP_X + _CHIP_W - 6, low + 4, f"GND {PACKAGE_PINS['GND']}", "small", "end")
    canvas.wire(((_CHIP_X + 50, low), (middle - 3, low)), "plus")
    canvas.wire(((middle + 3, low), (_CHIP_X + _CHIP_W - 52, low)), "ground")
    for x in (middle - 3, middle + 3):
        canvas.wire(((x, low - 7), (x, low + 7)), "ink")
    canvas.words(middle, low - 11, "100 nF", "small", "middle")


def tilt_svg() -> str:
    """Servo, its own supply with stop switch and capacitor, and the end inputs."""
    canvas = Canvas(WIDTH, 560, "Tilt drive: servo with its own supply")
    canvas.words(
        20, 52, "The servo's plus never touches the controller's 5 V. The grounds meet.", "small dim"
    )
    plus_y, ground_y = 120.0, 300.0
    canvas.parts_box(20, 84, 106, 92, "supply", "5–6 V, 3 A")
    canvas.words(118, plus_y + 24, "+", "strong t-plus", "end")
    canvas.words(118, 168, "−", "strong", "end")
    canvas.wire(((126, plus_y + 18), (150, plus_y + 18)), "plus")
    canvas.switch_across(150, plus_y + 18, "plus")
    canvas.words(170, plus_y - 12, "stop switch", "small t-plus", "middle")
    canvas.wire(((190, plus_y + 18), (348, plus_y + 18)), "plus")
    canvas.wire(((262, plus_y + 18), (262, 204)), "plus", joined=True)
    canvas.capacitor_down(262, 204, "1000 µF, 10 V,", left=True)
    canvas.words(243, 229, "at the servo", "small", "end")
    canvas.wire(((262, 212), (262, ground_y)), "ground")
    canvas.parts_box(348, 80, 112, 206, "servo", "3–3.5 kg cm")
    canvas.words(358, plus_y + 23, "plus (red)", "small")
    canvas.words(358, 185, "minus", "small")
    canvas.words(358, 201, "(brown, black)", "small dim")
    canvas.words(358, 253, "signal", "small")
    canvas.words(358, 269, "(orange, white)", "small dim")
    canvas.wire(((348, 180), (330, 180), (330, ground_y)), "ground")
    canvas.wire(((126, 163), (140, 163), (140, ground_y)), "ground")
    canvas.wire(((60, ground_y), (330, ground_y)), "ground")
    canvas.joint(140, ground_y, "ground")
    canvas.joint(262, ground_y, "ground")
    canvas.words(150, ground_y - 10, "common ground", "small", "start")
    # controller
    canvas.parts_box(20, 340, 128, 196, "controller", "5 V from USB")
    canvas.wire(((60, ground_y), (60, 340)), "ground")
    canvas.words(68, 332, "GND", "small")
    right = 148.0
    _pin(canvas, right, 404, PINS["servo"], "sig")
    canvas.wire(((right, 404), (300, 404), (300, 248), (348, 248)), "sig")
    canvas.wire(((218, 404), (218, 364)), "sig", joined=True)
    canvas.resistor_down(218, 324, "10 kΩ")
    canvas.words(232, 364, "pull-down", "small")
    canvas.wire(((218, 324), (218, ground_y)), "ground")
    canvas.joint(218, ground_y, "ground")
    for y, name, side in ((452.0, "end0", "White's side is down"), (504.0, "end1", "Black's side is down")):
        _pin(canvas, right, y, PINS[name], "data")
        canvas.wire(((right, y), (186, y)), "data")
        canvas.switch_across(186, y, "data")
        canvas.wire(((226, y), (250, y), (250, y + 6)), "ground")
        canvas.earth(250, y + 6)
        canvas.words(270, y + 2, "end switch, closes when", "small")
        canvas.words(270, y + 17, side, "small")
    return canvas.svg


def lights_svg(lights: int) -> str:
    """The string of WS2812 lights."""
    canvas = Canvas(WIDTH, 330, f"Lights: {lights} WS2812, one string")
    canvas.words(20, 52, "Light n lies at input n of the chain. Leave them out if you like.", "small dim")
    canvas.parts_box(20, 80, 118, 120, "controller")
    _pin(canvas, 138, 140, PINS["lights"], "sig")
    canvas.wire(((138, 140), (160, 140)), "sig")
    canvas.resistor_across(160, 140, "330 Ω", "sig")
    canvas.wire(((204, 140), (234, 140)), "sig")
    for x, name in ((234.0, "0"), (316.0, "1"), (404.0, str(lights - 1))):
        canvas.box(x, 116, 52, 62)
        canvas.words(x + 26, 136, "light", "small", "middle")
        canvas.words(x + 26, 155, name, "strong", "middle")
        canvas.words(x + 5, 172, "in", "small dim")
        canvas.words(x + 47, 172, "out", "small dim", "end")
        canvas.wire(((x + 14, 116), (x + 14, 96)), "plus", joined=False)
        canvas.joint(x + 14, 96, "plus")
        canvas.wire(((x + 38, 178), (x + 38, 232)), "ground")
        canvas.joint(x + 38, 232, "ground")
    canvas.wire(((286, 140), (316, 140)), "sig")
    canvas.wire(((368, 140), (404, 140)), "sig more")
    canvas.wire(((170, 96), (418, 96)), "plus")
    canvas.wire(((80, 232), (442, 232)), "ground")
    canvas.wire(((80, 200), (80, 232)), "ground")
    canvas.words(88, 217, "GND", "small")
    canvas.wire(((170, 96), (170, 84), (152, 84), (152, 262)), "plus")
    canvas.parts_box(100, 262, 190, 52, "5 V for lights", "2 A; thick wires, both ends")
    canvas.wire(((262, 262), (262, 232)), "ground")
    canvas.joint(262, 232, "ground")
    canvas.wire(((152, 204), (180, 204)), "plus", joined=True)
    canvas.wire(((180, 204), (180, 207)), "plus")
    canvas.capacitor_down(180, 207, "1000 µF")
    canvas.wire(((180, 215), (180, 232)), "ground")
    canvas.joint(180, 232, "ground")
    return canvas.svg


def sensors_svg() -> str:
    """One space: a switch (reed, hall switch), and a linear hall sensor with its comparator."""
    canvas = Canvas(WIDTH, 640, "One space: what hangs on an input")
    canvas.words(20, 58, "A  Switch: reed, or hall switch with open collector", "strong")
    canvas.words(60, 92, "5 V", "small t-plus", "middle")
    canvas.wire(((60, 98), (60, 112)), "plus")
    canvas.resistor_down(60, 112, "10 kΩ")
    canvas.wire(((60, 152), (60, 186)), "sig")
    canvas.wire(((60, 170), (300, 170)), "sig", joined=True)
    canvas.box(300, 150, 150, 40)
    canvas.words(375, 175, "input of a 74HC165", "small", "middle")
    canvas.wire(((60, 186), (60, 192)), "sig")
    canvas.disc(60, 194, 3, "dot-sig")
    canvas.wire(((60, 194), (76, 222)), "sig")
    canvas.disc(60, 228, 3, "dot-sig")
    canvas.words(90, 216, "closes when a marble is there: the input goes low", "small dim")
    canvas.wire(((60, 228), (60, 240)), "ground")
    canvas.earth(60, 240)

    canvas.words(20, 292, "B  Linear hall sensor and comparator (steel marbles)", "strong")
    canvas.parts_box(20, 372, 112, 84, "hall sensor", "linear, 14 mV/mT")
    canvas.words(30, 446, "5 V, GND", "small t-plus")
    canvas.words(124, 424, "OUT", "small", "end")
    canvas.wire(((132, 420), (262, 420)), "data")
    canvas.wire(((160, 420), (160, 452)), "data", joined=True)
    canvas.resistor_down(160, 452, "100 kΩ")
    canvas.wire(((160, 492), (160, 504)), "ground")
    canvas.earth(160, 504)
    canvas.wire(((262, 350), (262, 440), (342, 395), (262, 350)), "ink")  # the comparator
    canvas.words(268, 375, "+", "strong")
    canvas.words(268, 426, "−", "strong")
    canvas.words(272, 400, "½ LM393", "small")
    canvas.wire(((342, 395), (400, 395)), "sig")
    canvas.wire(((372, 395), (372, 372)), "sig", joined=True)
    canvas.resistor_down(372, 332, "10 kΩ")
    canvas.wire(((372, 332), (372, 322)), "plus")
    canvas.words(372, 317, "5 V", "small t-plus", "middle")
    canvas.words(406, 400, "to input", "small")
    canvas.wire(((262, 370), (220, 370)), "clock")
    canvas.resistor_across(176, 370, "", "clock")
    canvas.words(198, 396, "1 kΩ", "small", "middle")
    canvas.wire(((176, 370), (160, 370), (160, 340), (40, 340)), "clock")
    canvas.words(40, 332, "threshold of this board", "small t-clock")
    canvas.wire(((240, 370), (240, 480)), "clock", joined=True)
    canvas.wire(((240, 480), (270, 480)), "clock")
    canvas.resistor_across(270, 480, "1 MΩ, hysteresis", "sig", above=False)
    canvas.wire(((314, 480), (356, 480), (356, 395)), "sig")
    canvas.joint(356, 395, "sig")
    notes = (
        "Threshold: the wiper of a 10 kΩ trimmer between 5 V and GND, 100 nF to",
        "GND; one for all comparators of a sensor board.",
        "100 kΩ to GND: a broken sensor wire reads “free”, never “marble”.",
        "100 nF at each hall sensor and each LM393. Turn the sensor so that a",
        "marble makes OUT rise.",
    )
    for row, note in enumerate(notes):
        canvas.words(20, 550 + 18 * row, note, "small dim")
    return canvas.svg


def buzzer_svg() -> str:
    """The piezo on a pin of the Raspberry Pi."""
    canvas = Canvas(WIDTH, 226, "Buzzer: a passive piezo on a pin of the Pi")
    canvas.words(20, 52, "Not the controller's: it hangs on the Raspberry Pi's own header.", "small dim")
    canvas.parts_box(20, 76, 150, 118, "Raspberry Pi", "40-pin header")
    right = 170.0
    for y, words, kind in ((136.0, "GPIO13 · leg 33", "sig"), (176.0, "GND · leg 34", "ground")):
        canvas.words(right - 8, y + 5, words, "small", "end")
        canvas.joint(right, y, kind)
    canvas.wire(((right, 136), (206, 136)), "sig")
    canvas.resistor_across(206, 136, "330 Ω", "sig")
    canvas.wire(((250, 136), (310, 136)), "sig")
    canvas.wire(((right, 176), (310, 176)), "ground")
    canvas.parts_box(310, 76, 150, 118, "passive piezo", "two wires, no polarity")
    canvas.words(20, 214, "No magnetic buzzer, and none that beeps by itself on 3 V.", "small dim")
    return canvas.svg


def buttons_svg(first: int) -> str:
    """The three buttons on inputs of the chain from the first free one on, and on pins of the Raspberry Pi."""
    numbers = range(first, first + len(BUTTONS))
    chips = " and ".join(sorted({str(number // INPUTS_A_CHIP + 1) for number in numbers}))
    canvas = Canvas(WIDTH, 560, "Buttons: NEXT, YES, STOP")
    canvas.words(20, 52, "Push buttons that close to ground while they are pressed.", "small dim")
    canvas.words(20, 84, f"A  On the chain: inputs {numbers[0]} to {numbers[-1]}", "strong")
    right, plus_x, ground_x = 160.0, 296.0, 430.0
    canvas.parts_box(20, 100, right - 20, 208, f"74HC165 no. {chips}", "behind the spaces")
    canvas.words(plus_x, 112, "5 V", "small t-plus", "middle")
    for row, number in enumerate(numbers):
        y, letter = 164.0 + 56 * row, INPUT_LETTERS[number % INPUTS_A_CHIP]
        canvas.words(right - 8, y + 5, f"{letter} · leg {PACKAGE_PINS[letter]}", "small", "end")
        canvas.joint(right, y, "data")
        canvas.wire(((right, y), (340, y)), "data")
        canvas.wire(((196, y), (196, y - 22), (212, y - 22)), "data", joined=True)
        canvas.resistor_across(212, y - 22, "10 kΩ", "data")
        canvas.wire(((256, y - 22), (plus_x, y - 22)), "plus")
        canvas.joint(plus_x, y - 22, "plus")
        _button(canvas, 340, y, BUTTONS[row], ground_x)
    canvas.wire(((plus_x, 118), (plus_x, 254)), "plus")
    canvas.wire(((ground_x, 164), (ground_x, 292)), "ground")
    canvas.earth(ground_x, 292)
    canvas.words(20, 328, "Inputs of that chip that nothing hangs on go to 5 V.", "small dim")
    canvas.words(20, 366, "B  On the Raspberry Pi: pins of its 40-pin header", "strong")
    canvas.parts_box(20, 382, right - 20, 150, "Raspberry Pi")
    for row, (name, leg) in enumerate((("GPIO17", 11), ("GPIO27", 13), ("GPIO22", 15))):
        y = 428.0 + 30 * row
        canvas.words(right - 8, y + 5, f"{name} · leg {leg}", "small", "end")
        canvas.joint(right, y, "sig")
        canvas.wire(((right, y), (340, y)), "sig")
        _button(canvas, 340, y, BUTTONS[row], ground_x)
    canvas.words(right - 8, 523, "GND · leg 9", "small", "end")
    canvas.joint(right, 518, "ground")
    canvas.wire(((right, 518), (ground_x, 518), (ground_x, 428)), "ground")
    canvas.words(20, 552, "No resistor: the Pi has its own.", "small dim")
    return canvas.svg


BUTTONS = ("NEXT", "YES", "STOP")


def _button(canvas: Canvas, x: float, y: float, name: str, ground_x: float) -> None:
    """A push button with its left end at (x, y), its other end at the ground wire."""
    canvas.switch_across(x, y, "data")
    canvas.words(x - 6, y - 7, name, "small", "end")
    canvas.wire(((x + 40, y), (ground_x, y)), "ground")
    canvas.joint(ground_x, y, "ground")


def drawings_of(chips: int, lights: int) -> dict[str, str]:
    """File name -> SVG of everything that does not depend on the plan of the spaces."""
    return {
        "chain.svg": chain_svg(chips),
        "tilt.svg": tilt_svg(),
        "lights.svg": lights_svg(lights),
        "sensors.svg": sensors_svg(),
        "buzzer.svg": buzzer_svg(),
        "buttons.svg": buttons_svg(lights),
    }
