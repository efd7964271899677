"""Hardware in the loop: a controller under test, a stimulus board that drives and watches it, results that can be trusted."""
