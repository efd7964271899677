"""What a controller says of itself and of its inputs, by name: each one a function of a board."""

from contract.promises import behaviour, only, ready, seen

from balanxd.contract.board import ALL, Board, Fit, Need, NotHere
from firmware_bridge.messages import (
    MAJOR,
    MINOR,
    ConfigKey,
    Configure,
    EdgeMsg,
    Feature,
    GetHello,
    GetPicture,
    Hello,
    Picture,
    ResetCause,
    Result,
)

# -- who it is -------------------------------------------------------------------------


@behaviour(Need.RESETS)
def hello_comes_once_unasked_after_a_reset(board: Board) -> None:
    board.pings = False
    board.run(1.5)
    hello = only(board.of(Hello))
    assert (hello.session, hello.boot, hello.reset_cause) == (0, 1, ResetCause.POWER_ON)
    assert board.near(board.times(Hello)[0], board.boot_s, 0.05)


@behaviour()
def hello_tells_what_the_board_is(board: Board) -> None:
    board.run(0.2)
    hello = board.greet()
    assert (hello.major, hello.product) == (MAJOR, "Balanx")
    assert hello.minor >= MINOR
    assert (hello.cells, hello.bits) == (board.cells, board.fit.bits)
    assert hello.reader_hz == 1000 // board.fit.reader_every_ms
    assert hello.board_kind
    assert hello.build_id
    assert hello.unique_id


@behaviour(Need.RESETS, fit=Fit(cells=23, features=ALL & ~Feature.END_INPUTS))
def hello_tells_what_the_board_lacks(board: Board) -> None:
    board.run(0.2)
    hello = board.greet()
    assert hello.cells == 23
    assert hello.features & ~Feature.CHAIN_END == ALL & ~Feature.END_INPUTS


@behaviour()
def hello_answers_with_the_session_asked(board: Board) -> None:
    board.run(0.2)
    board.send(GetHello(0xBEEF))
    board.soon()
    assert [hello.session for hello in board.of(Hello)] == [0, 0xBEEF]


@behaviour(Need.INPUTS, Need.RESETS)
def reset_counts_boots_and_forgets_the_rest(board: Board) -> None:
    ready(board)
    board.input(3, 1)
    board.run(0.1)
    board.heard.clear()
    board.reset(ResetCause.WATCHDOG)
    board.run(0.2)
    hello = only(board.of(Hello))
    assert (hello.boot, hello.session, hello.reset_cause) == (2, 0, ResetCause.WATCHDOG)
    assert board.of(EdgeMsg) == []
    assert board.of(Picture)[-1].readings[3] == 1
    board.input(3, 0)
    board.run(0.05)
    assert [(e.number, e.boot) for e in board.of(EdgeMsg)] == [(1, 2)]


@behaviour(Need.RESETS, Need.STORED)
def boot_number_survives_a_spoiled_copy(board: Board) -> None:
    board.run(0.2)
    for boot in range(2, 6):
        board.reset(ResetCause.POWER_ON)
        board.run(0.1)
        assert board.of(Hello)[-1].boot == boot
    if board.stored(4) != 5:
        raise NotHere("the simulator keeps its boot number apart from its stored bytes")
    board.spoil(4, 0x77)  # boot 5, the newer copy: the older one, 4, counts
    board.reset(ResetCause.POWER_ON)
    board.run(0.1)
    assert board.of(Hello)[-1].boot == 5


# -- sensing ---------------------------------------------------------------------------


@behaviour(Need.INPUTS)
def what_lies_at_the_start_is_no_edge(board: Board) -> None:
    board.input(2, 1)
    board.run(0.5)
    assert board.of(EdgeMsg) == []
    assert board.of(Picture)[0].readings == seen(board, 2)


@behaviour(Need.INPUTS)
def edge_is_accepted_at_the_fifth_equal_sample(board: Board) -> None:
    board.greet()
    board.run(0.1)
    begin = board.now_s
    board.input(5, 1)
    board.run(0.05)
    edge = only(board.of(EdgeMsg))
    assert (edge.cell, edge.reading, edge.number, edge.boot) == (5, 1, 1, 1)
    # samples lie at whole milliseconds of the board's time; the first after the change is the first equal one
    assert edge.board_us % 1000 == 0
    assert board.near(edge.board_us / 1e6, round((begin - board.zero_s) * 1000 + 0.5) / 1000 + 0.004, 1e-6)
    assert board.near(board.times(EdgeMsg)[0], begin + 0.005, 0.0015)


@behaviour(Need.INPUTS)
def four_samples_are_a_flicker_and_no_edge(board: Board) -> None:
    ready(board)
    for cell, times in ((1, 3), (9, 1)):
        for _ in range(times):
            board.input(cell, 1)
            board.run(0.004)
            board.input(cell, 0)
            board.run(0.02)
    board.run(0.01)
    assert board.of(EdgeMsg) == []
    board.send(GetPicture())
    board.run(0.01)
    assert sorted(board.of(Picture)[-1].flicker) == [(1, 3), (9, 1)]
    board.send(GetPicture())
    board.run(0.01)
    assert board.of(Picture)[-1].flicker == ()


@behaviour(Need.INPUTS)
def flicker_names_the_six_worst(board: Board) -> None:
    ready(board)
    for cell in range(8):
        for _ in range(cell + 1):
            board.input(cell, 1)
            board.run(0.002)
            board.input(cell, 0)
            board.run(0.002)
    board.send(GetPicture())
    board.run(0.01)
    assert board.of(Picture)[-1].flicker == tuple((cell, cell + 1) for cell in (7, 6, 5, 4, 3, 2))


@behaviour(Need.INPUTS)
def bouncing_contact_is_one_edge(board: Board) -> None:
    ready(board)
    for reading in (1, 0, 1, 0, 1):
        board.input(4, reading)
        board.run(0.003)
    board.run(0.1)
    assert [(e.cell, e.reading) for e in board.of(EdgeMsg)] == [(4, 1)]


@behaviour(Need.INPUTS)
def configure_debounce_counts_from_now_on(board: Board) -> None:
    ready(board)
    assert board.order(Configure(ConfigKey.DEBOUNCE_SAMPLES, 50)) == Result.DONE
    begin = board.now_s
    board.input(0, 1)
    board.run(0.048)
    assert board.of(EdgeMsg) == []
    board.run(0.006)
    assert board.near(board.times(EdgeMsg)[0], begin + 0.05, 0.002)
    for value in (0, 251):
        assert board.order(Configure(ConfigKey.DEBOUNCE_SAMPLES, value)) == Result.OUT_OF_LIMITS
    assert board.order(Configure(99, 1)) == Result.UNKNOWN
    assert board.order(Configure(ConfigKey.DEBOUNCE_SAMPLES, 1)) == Result.DONE
    board.heard.clear()
    board.input(0, 0)
    board.run(0.003)
    assert len(board.of(EdgeMsg)) == 1


@behaviour(Need.INPUTS, fit=Fit(cells=11, bits=2))
def colour_board_tells_numbers(board: Board) -> None:
    board.input(1, 1)
    ready(board)
    board.input(1, 2)
    board.input(10, 3)
    board.run(0.05)
    assert {(e.cell, e.reading) for e in board.of(EdgeMsg)} == {(1, 2), (10, 3)}
    picture = board.of(Picture)[-1]
    assert picture.bits == 2
    assert picture.readings == bytes((0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3))


@behaviour(Need.INPUTS, fit=Fit(cells=9, bits=3, reader_every_ms=4))
def slower_reader_counts_its_own_samples(board: Board) -> None:
    ready(board)
    begin = board.now_s
    board.input(8, 6)
    board.run(0.03)
    assert [(e.cell, e.reading) for e in board.of(EdgeMsg)] == [(8, 6)]
    assert board.near(board.times(EdgeMsg)[0], begin + 0.018, 0.004)
    board.run(0.05)
    assert board.of(Picture)[-1].readings == bytes((0, 0, 0, 0, 0, 0, 0, 0, 6))
