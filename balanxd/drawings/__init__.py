"""Wiring of an instrumented board: a layout and its chain of inputs in; tables and drawings (SVG) out."""
