"""Finds what can be changed in the sources of a folder, by clang's syntax tree, and writes a copy in which each change waits
for its number (mutants.hpp): one build holds all mutants."""

import dataclasses
import itertools
import pathlib
import re
import subprocess

from clang import cindex
from clang.cindex import CursorKind, TypeKind

ARITHMETIC = {
    "+": ("add", "-"),
    "-": ("subtract", "+"),
    "*": ("multiply", "+"),
    "/": ("divide", "*"),
    "%": ("modulo", "/"),
    "<": ("less", "<="),
    "<=": ("less_equal", "<"),
    ">": ("greater", ">="),
    ">=": ("greater_equal", ">"),
}
EQUALITY = {"==": ("equal", "!="), "!=": ("unequal", "==")}
LOGICAL = {"&&": ("both", "||"), "||": ("either", "&&")}
ASSIGNMENT = {"+=": ("add_to", "-="), "-=": ("take_from", "+=")}
EXTREMES = {"max": "min", "min": "max"}
NUMBER = re.compile(r"^(0[xX][0-9a-fA-F']+|[0-9][0-9.']*([eE][-+]?[0-9]+)?)([uUlLfFzZ]*)$")
NUMBERS = {
    kind
    for name, kind in vars(TypeKind).items()
    if name in "INT UINT LONG ULONG LONGLONG ULONGLONG SHORT USHORT CHAR_S SCHAR UCHAR FLOAT DOUBLE".split()
}
# Words of errors are not what the tests of a model hold, what the compiler evaluates cannot change at run time, and what
# members are before they are given a value does not matter.
LEFT_OUT = {
    CursorKind.CXX_THROW_EXPR,
    CursorKind.STATIC_ASSERT,
    CursorKind.CASE_STMT,
    CursorKind.ENUM_CONSTANT_DECL,
    CursorKind.FIELD_DECL,
}


@dataclasses.dataclass(frozen=True, order=True)
class Mutant:
    """One change of one place: `path` relative to the sources, line from 1; edits are (offset, end, order, text)."""

    path: str
    line: int
    column: int
    was: str
    becomes: str
    last_line: int
    edits: tuple = dataclasses.field(compare=False)

    def lines(self):
        return range(self.line, self.last_line + 1)

    def __str__(self):
        return f"{self.path}:{self.line}:{self.column}: {self.was} -> {self.becomes}"


def parse(root, sources):
    """Syntax trees of the sources of one folder: as one translation unit, since most of one is its headers, or, where names
    clash, one each."""
    resources = subprocess.run(["clang", "-print-resource-dir"], check=True, capture_output=True, text=True).stdout
    flags = ["-std=c++20", f"-I{root}", "-DSC_CPLUSPLUS=201703L", "-DSC_DISABLE_API_VERSION_CHECK"]
    flags += ["-resource-dir", resources.strip()]
    text = "".join(f'#include "{source}"\n' for source in sources)
    unit = cindex.Index.create().parse("mutants.cpp", args=flags, unsaved_files=[("mutants.cpp", text)])
    errors = [str(found) for found in unit.diagnostics if found.severity >= cindex.Diagnostic.Error]
    if errors and len(sources) == 1:
        raise SystemExit("clang cannot read the sources:\n  " + "\n  ".join(errors[:5]))
    if errors:
        return [unit for source in sources for unit in parse(root, [source])]
    return [unit]


class Finder:
    """Walks a tree and collects the mutants of the files of `folders`."""

    def __init__(self, root, folders):
        self.root = root
        self.inside = tuple(f"{root}/{folder}/" for folder in folders)
        self.texts = {}
        self.found = {}
        self.seen = set()

    def visit(self, cursor):
        for child in cursor.get_children():
            location = child.location
            name = location.file.name if location.file else ""
            if cursor.kind == CursorKind.TRANSLATION_UNIT and not name.startswith(self.inside):
                continue
            if child.kind in LEFT_OUT or self.is_constant(child):
                continue
            if name.startswith(self.inside):
                self.consider(child, name)
            self.visit(child)

    def is_constant(self, cursor):
        if cursor.kind != CursorKind.VAR_DECL:
            return False
        return any(token.spelling == "constexpr" for token in cursor.get_tokens())

    def consider(self, cursor, name):
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        key = (name, start, end, cursor.kind)
        if key in self.seen or cursor.extent.start.file is None or cursor.extent.start.file.name != name:
            return
        self.seen.add(key)
        change = self.change(cursor, name, start, end)
        if change:
            path = name[len(self.root) + 1 :]
            place = cursor.extent.start
            mutant = Mutant(path, place.line, place.column, change[0], change[1], cursor.extent.end.line, change[2])
            self.found[(path, mutant.line, mutant.column, mutant.was)] = mutant

    def change(self, cursor, name, start, end):
        text = self.text(name)
        if cursor.kind in (CursorKind.INTEGER_LITERAL, CursorKind.FLOATING_LITERAL):
            match = NUMBER.match(text[start:end].decode())
            if match:
                shown = match.group(0)
                return (shown, f"{shown} + 1", ((start, start, "@constant({id}, "), (end, end, ")")))
        if (
            cursor.kind == CursorKind.UNARY_OPERATOR
            and text[start : start + 1] == b"!"
            and text[start + 1 : start + 2] != b"="
        ):
            return (
                self.shown(text, start, end),
                "without !",
                ((start, start + 1, "@negation({id}, static_cast<bool>("), (end, end, "))")),
            )
        if cursor.kind == CursorKind.CALL_EXPR and cursor.spelling in EXTREMES:
            return self.extreme(cursor, text, start)
        if cursor.kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR):
            return self.binary(cursor, text, start, end)
        return None

    def extreme(self, cursor, text, start):
        match = re.match(rb"std::(max|min)([<(])", text[start : start + 16])
        if not match:
            return None
        name = match.group(1).decode()
        more = ", " if match.group(2) == b"<" else ">("
        edit = (start, start + match.end(), f"@{name}<{{id}}{more}")
        return (f"std::{name}", f"std::{EXTREMES[name]}", (edit,))

    def binary(self, cursor, text, start, end):
        operands = list(cursor.get_children())
        if len(operands) != 2:
            return None
        left, right = operands[0].extent, operands[1].extent
        between = text[left.end.offset : right.start.offset]
        operator = between.strip().decode()
        at = left.end.offset + between.find(operator.encode())
        if not operator or (left.start.offset, right.end.offset) != (start, end):
            return None
        after = at + len(operator)
        if operator in LOGICAL:
            function, becomes = LOGICAL[operator]
            edits = (
                (start, start, f"@{function}({{id}}, static_cast<bool>("),
                (at, after, "), [&]() -> bool { return static_cast<bool>("),
                (end, end, "); })"),
            )
        else:
            numbers = all(operand.type.get_canonical().kind in NUMBERS for operand in operands)
            table = {**EQUALITY, **(ARITHMETIC if numbers else {}), **(ASSIGNMENT if numbers else {})}
            if operator not in table:
                return None
            function, becomes = table[operator]
            edits = ((start, start, f"@{function}({{id}}, "), (at, after, ","), (end, end, ")"))
        return (self.shown(text, start, end), becomes, edits)

    def text(self, name):
        if name not in self.texts:
            self.texts[name] = pathlib.Path(name).read_bytes()
        return self.texts[name]

    @staticmethod
    def shown(text, start, end):
        return " ".join(text[start:end].decode().split())


def find(root, folders):
    """All mutants of the sources and headers of `folders`, in the order of their places."""
    finder = Finder(str(root), folders)
    sources = sorted(source for folder in folders for source in (root / folder).rglob("*.cpp"))
    for _, group in itertools.groupby(sources, key=lambda source: source.parent):
        for unit in parse(root, list(group)):
            finder.visit(unit.cursor)
    return sorted(finder.found.values())


ADDED_LINES = 2  # at the top of what `changed` returns


def changed(text, mutants):
    """`text` with the changes of `mutants`, pairs of a number and a mutant: what begins first encloses what begins later.
    It says of itself that it is a header of the system: the compiler does not warn about changes in those."""
    edits = []
    for number, mutant in mutants:
        first, last = mutant.edits[0][0], mutant.edits[-1][1]
        for offset, end, replacement in mutant.edits:
            closes = offset == last and offset != first
            # At one place: what closes first, the innermost first; then what opens, the outermost first.
            order = (offset, 0 if closes else 1, -first if closes else -last)
            edits.append(
                (
                    order,
                    offset,
                    end,
                    replacement.replace("@", "::mutants::").format(id=number) if "{id}" in replacement else replacement,
                )
            )
    parts, at = [], 0
    for _, offset, end, replacement in sorted(edits, key=lambda edit: edit[0]):
        parts += [text[at:offset], replacement.encode()]
        at = max(at, end)
    start = b'#include "tests/mutate/mutants.hpp"\n#pragma GCC system_header\n'
    return start + b"".join(parts) + text[at:]
