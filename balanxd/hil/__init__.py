"""Hardware in the loop: a controller, a stimulus board that drives and watches it, results that can be trusted."""
