"""docs/protocol.md and the C header say what the declaration says."""

import re
from pathlib import Path

import pytest

from firmware_bridge.document import BEGIN, END, c_header, main, renewed
from firmware_bridge.errors import BridgeError
from firmware_bridge.messages import DECLARATIONS

PROTOCOL = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"


def test_protocol_md_is_current():
    text = PROTOCOL.read_text()
    assert renewed(text) == text, "run: python -m firmware_bridge.document docs/protocol.md"


def test_the_tables_name_every_message_and_field():
    tables = PROTOCOL.read_text().partition(BEGIN)[2]
    for declaration in DECLARATIONS:
        assert f"**`{declaration.name}`** (0x{declaration.number:02X}" in tables
        for field in declaration.fields:
            assert f"| {field.name} | {field.kind.value} |" in tables


def test_a_document_without_markers_is_refused():
    with pytest.raises(BridgeError):
        renewed("no markers")
    with pytest.raises(BridgeError):
        renewed(f"{END} {BEGIN}")


def test_the_command_renews_a_file(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nouter space\n{END}\nafter\n")
    assert main([str(page)]) == 0
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "outer space" not in text
    assert main([str(page)]) == 0
    assert page.read_text() == text
    assert main([str(tmp_path / "none.md")]) == 1
    assert main([]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert main(["--c-header"]) == 0
    assert capsys.readouterr().out == c_header()


SIZES = {"uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "int16_t": 2}


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda d: d.name)
def test_the_header_lays_every_message_out(declaration):
    header = c_header()
    name = declaration.name
    assert f"#define MSG_{name.upper()} 0x{declaration.number:02X}\n" in header
    found = re.search(rf"struct msg_{name} {{\n(.*?)}} __attribute__\(\(packed\)\);\n", header, re.S)
    assert found is not None
    members = re.findall(r"^ +(u?int\d+_t) (\w+);", found[1], re.M)
    fixed = [f.name for f in declaration.fields if f.kind.fixed]
    assert [member for _, member in members] == ["message", *fixed]
    size = sum(SIZES[kind] for kind, _ in members)
    assert f"sizeof(struct msg_{name}) == {size}," in header
