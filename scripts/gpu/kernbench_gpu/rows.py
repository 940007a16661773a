"""Rows and files of kernbench.results/1, in the form that the C++ program writes (docs/results.md)."""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict, List

SCHEMA = "kernbench.results/1"


class BadInput(Exception):
    """The user's mistake: file, place, what was expected, what to do. Ends a program with exit code 2."""


@dataclass
class Row:
    """One measured case: its point, and numbers whose names say their units."""

    point: Dict[str, Any]
    status: str = "ok"
    reason: str = ""
    metrics: Dict[str, Any] = field(default_factory=dict)
    flags: List[str] = field(default_factory=list)

    def fail(self, status: str, reason: str) -> None:
        """Makes this a row without results. `status`: failed or skipped."""
        self.status, self.reason = status, one_line(reason)
        self.metrics, self.flags = {}, []


@dataclass
class Results:
    """A results file."""

    bench: str
    source: Dict[str, str]
    provenance: Dict[str, Any] = field(default_factory=dict)
    rows: List[Row] = field(default_factory=list)


def utc_now() -> str:
    """This moment, as 2026-01-31T12:00:00Z."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def slug_of(name: str) -> str:
    """A device's folder name: "NVIDIA H200" is nvidia-h200."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def source_of(device_name: str) -> Dict[str, str]:
    """Who measured: the source of a file of this device."""
    return {
        "kind": "gpu:" + device_name,
        "machine": slug_of(device_name),
        "machine_sha256": "",
        "model": "",
        "bench": "1",
    }


def one_line(text: str, longest: int = 400) -> str:
    """The text without line ends, cut where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _finite(row: Row) -> Row:
    """The row, or a failed one where a number is not finite: such a number is never written."""
    for name, value in row.metrics.items():
        if isinstance(value, float) and not math.isfinite(value):
            bad = Row(dict(row.point))
            bad.fail("failed", name + " is not a finite number")
            return bad
    return row


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _format_row(row: Row) -> str:
    row = _finite(row)
    members: Dict[str, Any] = {"point": row.point, "status": row.status}
    if row.status != "ok":
        members["reason"] = row.reason
    members.update(metrics=row.metrics, stages=[], windows={}, flags=row.flags)
    return "    {" + ",\n     ".join('"%s": %s' % (name, _compact(value)) for name, value in members.items()) + "}"


def format_results(results: Results) -> str:
    """The file's text: one member of a row a line."""
    head = [
        ("schema", SCHEMA),
        ("bench", results.bench),
        ("source", results.source),
        ("provenance", results.provenance),
    ]
    text = "{\n" + "".join('  "%s": %s,\n' % (name, _compact(value)) for name, value in head)
    rows = ",\n".join(_format_row(row) for row in results.rows)
    return text + '  "rows": [' + ("\n" + rows if rows else "") + "\n  ]\n}\n"


def parse_results(text: str, file: str) -> Results:
    """Reads what format_results and the C++ program write. Raises BadInput naming the file."""
    try:
        document = json.loads(text)
        if document["schema"] != SCHEMA:
            raise BadInput('%s: schema: expected "%s", got "%s"' % (file, SCHEMA, document["schema"]))
        results = Results(document["bench"], document["source"], document["provenance"])
        for row in document["rows"]:
            results.rows.append(
                Row(row["point"], row["status"], row.get("reason", ""), row["metrics"], list(row["flags"]))
            )
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput("%s: is no results file: %s: %s" % (file, type(error).__name__, error)) from error
    return results


def read_results(path: Path) -> Results:
    """A results file. Raises BadInput where it cannot be read."""
    try:
        return parse_results(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise BadInput("%s: cannot be read: %s" % (path, error.strerror)) from error


def write_text(path: Path, text: str) -> None:
    """Writes a file so that a reader sees the old one or the new one, never half of it; makes its folder."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".", suffix="." + path.name, dir=path.parent)
    except OSError as error:
        raise BadInput("%s: cannot be written: %s; name another place with --out" % (path, error.strerror)) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
