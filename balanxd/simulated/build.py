"""A board's configuration and a seed in; a simulated table, set up or as it was left, out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from balanxd.config import IMAGE_KEY, BoardConfig
from balanxd.devices import Devices, no_devices, open_devices
from balanxd.errors import BalanxError
from balanxd.keys import Keys, dataclass_from
from hardware.buttons import Button
from rules.games import AnyGame
from sim.errors import SimError
from sim.model import Model
from sim.outside import ControllerMaker
from sim.sensorboard import SensorBoard
from sim.table import Table

from .faults import KEY, plan_faults
from .pieces import set_of


def model_of(board: BoardConfig) -> Model:
    """The simulator's numbers: its defaults, the board's tilt and sensors, then the [sim] table. Raises BalanxError."""
    keys = Keys(board.source, "sim.", board.sim)
    numbers = {key: value for key, value in board.sim.items() if key not in (KEY, IMAGE_KEY)}
    model: Model = dataclass_from(keys, Model, numbers)
    given_sensor = "kind" in board.sim.get("sensor", {})
    if given_sensor and (model.sensor.kind == "colour") != (board.sensor == "colour"):
        raise keys.fail("sensor.kind", f"{model.sensor.kind!r} does not fit board.sensor = {board.sensor!r}")
    tilt: dict[str, Any] = {
        "kind": "servo" if board.motor and board.drive == "servo" else "manual",
        "angle_deg": board.limits.full_cdeg / 100,
        "swing_s": board.limits.swing_s,
        "end_inputs": board.end_inputs,
    }
    sensor = model.sensor
    if not given_sensor and board.sensor == "colour":
        sensor = replace(sensor, kind="colour")
    inputs = [-1 if cell is None else cell for cell in board.wiring.inputs]
    inputs += [-1] * (board.inputs - len(inputs))
    try:
        return replace(
            model,
            tilt=replace(model.tilt, **tilt),
            sensor=sensor,
            board=replace(model.board, wiring=tuple(inputs)),
        )
    except SimError as error:
        raise BalanxError(f"{board.source}: sim: {error}") from error


def buttons_of(board: BoardConfig) -> dict[Button, int | None]:
    """Which input each of the board's buttons is on; None: a pin of the computer."""
    on_pins: dict[Button, int | None] = dict.fromkeys(button for button, _ in board.buttons.pins)
    return on_pins | dict(board.buttons.inputs)


def build_table(
    board: BoardConfig, seed: int, *, start_s: float = 0.0, controller: ControllerMaker | None = None
) -> Table:
    """A table with all marbles in their start corners; to be closed. Raises BalanxError.

    controller: one that lives outside; None: the one that the board's file means.
    """
    if controller is None and IMAGE_KEY in board.sim:
        # Loaded here: only such a board needs the emulator, and what compiles its image.
        from .image import emulated_of

        controller = emulated_of(board)
    try:
        table = Table(
            board.layout,
            seed=seed,
            model=model_of(board),
            start_s=start_s,
            controller=controller,
            buttons=buttons_of(board),
        )
    except (SimError, ArithmeticError, ValueError) as error:
        raise BalanxError(f"{board.source}: sim: {error}") from error
    set_up(table, board)
    plan_faults(table, board)
    return table


def build_board(board: BoardConfig, game: AnyGame, seed: int) -> Table | SensorBoard:
    """A board with everything as it lies before the first turn of the game. Raises BalanxError."""
    return build_sensor_board(board, game, seed) if board.tags else build_table(board, seed)


def build_sensor_board(board: BoardConfig, game: AnyGame, seed: int, *, start_s: float = 0.0) -> SensorBoard:
    """A sensor board with the pieces of the game's first position. Raises BalanxError."""
    if IMAGE_KEY in board.sim:
        raise BalanxError(f"{board.source}: sim.{IMAGE_KEY}: the emulated controller is for boards that tilt")
    pieces = set_of(game, board.sensor)
    try:
        table = SensorBoard(
            game.board_kind,
            game.cell_names,
            pieces.codes,
            seed=seed,
            model=model_of(board),
            start_s=start_s,
            buttons=buttons_of(board),
        )
        table.place(pieces.laid(game.start()))
    except (SimError, ArithmeticError, ValueError) as error:
        raise BalanxError(f"{board.source}: sim: {error}") from error
    plan_faults(table, board)
    return table


def simulated_devices(board: BoardConfig, table: Table | SensorBoard) -> Devices:
    """The open back ends of a simulated board; none where it is all controller. Raises BalanxError."""
    if not board.backends.pins and not board.backends.bus:
        return no_devices()
    # Loaded here: only a board on pins or a bus needs those of the simulator.
    from .pinned import PinnedTable

    wired = PinnedTable(board, table)
    return open_devices(board, wired.pins, wired.bus)


def set_up(table: Table, board: BoardConfig) -> None:
    """Somebody puts all marbles into their start corners."""
    table.place({cell: seat for seat, cells in enumerate(board.layout.starts) for cell in cells})
