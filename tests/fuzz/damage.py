"""Damage to bytes, text and nested values, as bad disks, tools and people do it."""

from __future__ import annotations

import random
from typing import Any

ODD_NUMBERS = (
    *(0, 1, -1, 2, 7, 127, 128, 255, 256, 65535, 2**31 - 1, 2**31, -(2**31), 2**32),
    *(2**53 + 1, 2**63 - 1, -(2**63), 2**64, 10**30),
)
ODD_FLOATS = (
    *(0.0, -0.0, 1e-320, 1e-30, 0.5, 1.0, 1e6, 1e30, 1e308),
    *(float("inf"), float("-inf"), float("nan"), -1.0),
)
ODD_STRINGS = (
    *(
        "",
        " ",
        "\0",
        "\t",
        "\n",
        "a\tb",
        "a\nb",
        "\x85",
        "\u2028",
        "\ufeff",
        "\x1b[31m",
    ),
    *("_", "-", "0", "||", "a||b", "ROOT", "[red]x[/red]", "[/x]", "<script>", "%s{}"),
    *("../../x", "é", "e\u0301", "\U0001f600", "\ud800", "x" * 3000),
)


def odd_value(rng: random.Random) -> Any:
    """A value that hardly fits anywhere."""
    return rng.choice(
        [
            rng.choice(ODD_NUMBERS),
            rng.choice(ODD_FLOATS),
            rng.choice(ODD_STRINGS),
            rng.choice([None, True, False, [], {}, [[]], {"a": 1}, b"", b"\0\1"]),
        ]
    )


def damaged_bytes(rng: random.Random, data: bytes) -> bytes:
    """Bytes with flipped bits, missing, doubled, moved or overwritten parts."""
    found = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5, 20])):
        if not found:
            return bytes(rng.randbytes(rng.randrange(9)))
        at = rng.randrange(len(found))
        length = min(rng.choice([1, 1, 2, 4, 8, 64]), len(found) - at)
        end = at + length
        match rng.randrange(7):
            case 0:
                found[at] ^= 1 << rng.randrange(8)
            case 1:
                found[at:end] = rng.randbytes(length)
            case 2:
                del found[at : at + rng.choice([1, 4, 8, len(found)])]
            case 3:
                found[at:at] = found[at:end] * rng.choice([1, 2, 50])
            case 4:
                number = rng.choice(ODD_NUMBERS) & (2 ** (8 * length) - 1)
                found[at:end] = number.to_bytes(length, "little")
            case 5:
                found[at:at] = rng.randbytes(length)
            case 6:
                other = rng.randrange(len(found))
                found[at:end] = found[other : other + length]
    return bytes(found)


def damaged_text(rng: random.Random, text: str) -> str:
    """A text with characters and pieces missing, doubled, moved or odd."""
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(text) + 1)
        end = min(at + rng.choice([1, 1, 3, 20]), len(text))
        match rng.randrange(4):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:end] + text[at:end] * rng.choice([1, 3, 50]) + text[end:]
            case 2:
                text = text[:at] + rng.choice(ODD_STRINGS) + text[end:]
            case 3:
                other = rng.randrange(len(text) + 1)
                text = text[:at] + text[other : other + 10] + text[end:]
    return text


def damaged(rng: random.Random, value: Any) -> Any:
    """A value of dicts, lists, strings, numbers and bytes with one damaged place."""
    if rng.random() < 0.1:
        return odd_value(rng)
    if isinstance(value, dict) and value:
        found = dict(value)
        key = rng.choice(list(found))
        if rng.random() < 0.2:
            found.pop(key)
            other = damaged(rng, key)
            if isinstance(other, type(key)):
                found[other] = value[key]
        else:
            found[key] = damaged(rng, found[key])
        return found
    if isinstance(value, list) and value:
        items = list(value)
        at = rng.randrange(len(items))
        match rng.randrange(4):
            case 0:
                del items[at]
            case 1:
                items.insert(at, items[rng.randrange(len(items))])
            case _:
                items[at] = damaged(rng, items[at])
        return items
    if isinstance(value, bytes):
        return damaged_bytes(rng, value)
    if isinstance(value, str):
        return damaged_text(rng, value)
    return odd_value(rng)
