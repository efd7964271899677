"""What the table is: wiring, occupancy, rest, health and tilt. Cells and readings, no games."""
