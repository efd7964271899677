"""Memory: where the pieces of a simulated board lie, in a file, so that the board outlives its daemon."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from sim.errors import SimError
from sim.sensorboard import SensorBoard
from sim.table import Table


class Memory:
    """One file; None remembers nothing."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._saved = ""

    @property
    def there(self) -> bool:
        """Whether something is remembered."""
        return self._path is not None and self._path.exists()

    def restore(self, board: Table | SensorBoard, say: Callable[[str], None]) -> bool:
        """Lay everything as it was left. False where nothing is remembered, or it cannot be read, which is said."""
        path = self._path
        if path is None or not path.exists():
            return False
        try:
            board.restore(json.loads(path.read_text()))
        except (OSError, ValueError, SimError) as error:
            say(f"{path.name}: where the simulated pieces lay cannot be read ({error}); they are laid anew.")
            return False
        return True

    def save(self, board: Table | SensorBoard) -> None:
        """Write where everything lies, if it lies elsewhere than when this was last called."""
        if self._path is None:
            return
        text = json.dumps(board.snapshot())
        if text != self._saved:
            self._saved = text
            spare = self._path.with_suffix(".new")
            spare.write_text(text)
            os.replace(spare, self._path)
