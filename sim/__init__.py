"""A table made of numbers: marbles, servo, sensors, controller, hands and faults. Time is an argument."""
