"""Failing behaviours show what they saw."""

import pytest

for room in ("keeping", "line", "motion", "promises", "sensing"):
    pytest.register_assert_rewrite(f"contract.{room}")
