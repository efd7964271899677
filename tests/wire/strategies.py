"""Hypothesis strategies for every message of the wire, made from the declaration."""

from hypothesis import strategies as st

from firmware_bridge.messages import BITS_PER_CELL, DECLARATIONS, Declaration, Kind, Picture

_PAIR8 = st.tuples(st.integers(0, 255), st.integers(0, 255))
_PAIR16 = st.tuples(st.integers(0, 65535), st.integers(0, 65535))
KINDS = {
    Kind.U8: st.integers(0, 255),
    Kind.U16: st.integers(0, 65535),
    Kind.U32: st.integers(0, 2**32 - 1),
    Kind.I16: st.integers(-(2**15), 2**15 - 1),
    Kind.BOOL: st.booleans(),
    Kind.VERSION: st.tuples(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255)),
    Kind.TEXT: st.text(st.characters(max_codepoint=127), max_size=40),
    Kind.OCTETS: st.binary(max_size=60),
    Kind.PAIRS8: st.lists(_PAIR8, max_size=6).map(tuple),
    Kind.PAIRS16: st.lists(_PAIR16, max_size=60).map(tuple),
}


@st.composite
def pictures(draw):
    bits = draw(st.sampled_from(BITS_PER_CELL))
    cells = st.integers(0, (1 << bits) - 1)
    return Picture(
        draw(KINDS[Kind.U16]),
        draw(st.booleans()),
        draw(KINDS[Kind.U32]),
        draw(KINDS[Kind.U16]),
        bits,
        draw(KINDS[Kind.PAIRS8]),
        bytes(draw(st.lists(cells, max_size=130))),
    )


def of(declaration: Declaration) -> st.SearchStrategy:
    """Any message of one declaration."""
    if declaration.type is Picture:
        return pictures()
    return st.builds(declaration.type, **{f.name: KINDS[f.kind] for f in declaration.fields})


def any_of(declarations: tuple[Declaration, ...] = DECLARATIONS) -> st.SearchStrategy:
    """Any message of any of them."""
    return st.one_of([of(d) for d in declarations])
