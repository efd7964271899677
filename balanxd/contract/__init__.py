"""A controller in; whether it keeps its promises out: simulator, host build, emulated chip or real board."""
