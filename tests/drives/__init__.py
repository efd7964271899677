"""Tilt drives under test: one rig for all of them, the rules of motion by name, and drives that break each rule."""
