"""Buttons on the chain of the very image that is flashed: nothing in it knows of them, and a press arrives."""

from balanxd.config import emulated_board
from balanxd.simulated.build import build_table
from firmware_bridge.link import Link, LinkUp
from hardware.buttons import Button, ButtonEvent, ChainButtons, Pressed


def test_presses_arrive_over_the_image_and_its_wire():
    board = emulated_board()
    table = build_table(board, 1)
    try:
        link, found, up = Link(session=7), list[ButtonEvent](), list[LinkUp]()
        buttons = ChainButtons({number: button for button, number in board.buttons.inputs})
        link.opened(0.0)

        def run(until_s: float) -> None:
            while table.now_s < until_s:
                now_s = table.advance_to_bytes(min(until_s, link.due_s()))
                for event in link.receive(table.read(), now_s) + link.tick(now_s):
                    found.extend(buttons.take(event))
                    up.extend([event] if isinstance(event, LinkUp) else [])
                found.extend(buttons.tick(now_s))
                table.write(link.take_bytes())

        run(2.5)
        assert up[-1].hello.cells == board.inputs == 59
        for button in Button:
            table.buttons.press(button)
            run(table.now_s + 0.4)
    finally:
        table.close()
    pressed = [each.button for each in found if isinstance(each, Pressed)]
    assert pressed == list(Button)
