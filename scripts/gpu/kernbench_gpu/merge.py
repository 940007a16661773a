"""One results file a bench out of what the jobs wrote, and one row out of two runs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from kernbench_gpu.rows import BadInput, Results, Row, format_results, read_results, utc_now, write_text
from kernbench_gpu.scheduler import Outcome
from kernbench_gpu.statistics import add_rerun


def key_of(row: Row) -> str:
    """Equal for rows of one point."""
    return json.dumps(row.point, sort_keys=True)


def merge_rows(first: List[Row], second: List[Row]) -> List[Row]:
    """A row a point. The second run adds rerun_time_ns, rerun_spread and `noisy`; what only it has is taken from it,
    `unrepeated`; what fails in it has failed."""
    again = {key_of(row): row for row in second}
    merged: Dict[str, Row] = {}
    for row, other_rows in [(row, again) for row in first] + [(row, {}) for row in second]:
        key = key_of(row)
        if key in merged:
            continue
        copy = Row(dict(row.point), row.status, row.reason, dict(row.metrics), list(row.flags))
        other = other_rows.get(key)
        if row.status == "ok" and other is not None and other.status == "failed":
            copy.fail("failed", "in the second run: " + other.reason)
        elif row.status == "ok":
            repeated = other is not None and other.status == "ok"
            add_rerun(copy.metrics, copy.flags, other.metrics.get("time_ns") if repeated and other else None)
        merged[key] = copy
    return list(merged.values())


def merge_skipped(first: List[Dict[str, Any]], new_rows: int) -> List[Dict[str, Any]]:
    """What the first run left out, less the cases that the second one measured: those that come last, as cases are in the
    order of importance."""
    left = []
    for entry in reversed(first):
        entry = dict(entry)
        if "cases" in entry:
            taken = min(new_rows, entry["cases"])
            new_rows -= taken
            entry["cases"] -= taken
            if entry["cases"] == 0:
                continue
        left.append(entry)
    return left[::-1]


def unite(maps: List[Dict[str, str]]) -> Dict[str, str]:
    """All members; where values differ, all of them, joined by " / "."""
    united: Dict[str, List[str]] = {}
    for values in maps:
        for name, value in values.items():
            if value not in united.setdefault(name, []):
                united[name].append(value)
    return {name: " / ".join(values) for name, values in united.items()}


def shared(maps: List[Dict[str, str]]) -> Dict[str, str]:
    """The members that all have, with one value."""
    if not maps:
        return {}
    return {name: value for name, value in maps[0].items() if all(other.get(name) == value for other in maps)}


@dataclass
class FileParts:
    """What is known of one results file: for each job, its runs."""

    file: str
    jobs: Dict[str, Dict[int, Outcome]] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        self.jobs.setdefault(outcome.job.name, {})[outcome.run] = outcome


def _read(outcome: Optional[Outcome]) -> Optional[Results]:
    """The job's file; None where it wrote none. One that was killed while it wrote left its last whole one."""
    if outcome is None or not outcome.path.exists():
        return None
    return read_results(outcome.path)


def _skipped_of(name: str, results: Optional[Results], outcome: Outcome) -> List[Dict[str, Any]]:
    entries: List[Dict[str, Any]] = []
    if results is not None:
        for entry in results.provenance.get("skipped", []):
            what = entry.get("what", "")
            entries.append({**entry, "what": "%s: %s" % (name, what) if what else name})
    if outcome.problem:
        entries.append({"what": name if results is None else name + ": the rest", "why": outcome.problem})
    return entries


def merge_file(parts: FileParts, command: str, extra: List[Dict[str, Any]]) -> Tuple[Optional[Results], List[str]]:
    """The file's results, and the problems of files that cannot be read. None where no job wrote one. `extra`: further
    entries of provenance.skipped."""
    rows: List[Row] = []
    files: List[Results] = []
    skipped = list(extra)
    problems: List[str] = []
    settings_of: Dict[str, Dict[str, str]] = {}
    for name, runs in parts.jobs.items():
        found: List[Optional[Results]] = []
        for run in (1, 2):
            try:
                found.append(_read(runs.get(run)))
            except BadInput as error:
                found.append(None)
                problems.append(str(error))
        files += [results for results in found if results is not None]
        first, second = (results.rows if results is not None else [] for results in found)
        merged = merge_rows(first, second)
        rows += merged
        earliest = runs[min(runs)]
        skipped += merge_skipped(_skipped_of(name, found[min(runs) - 1], earliest), len(merged) - len(first))
        if earliest.job.variables:
            settings_of[earliest.job.setting] = earliest.job.variables
    if not files:
        return None, problems
    merged_file = Results(files[0].bench, files[0].source, {}, rows)
    merged_file.provenance = {
        "created_at": max((results.provenance.get("created_at", "") for results in files), default=utc_now()),
        "wall_s": round(sum(float(results.provenance.get("wall_s", 0.0)) for results in files), 3),
        "command": command,
        "environment": unite([results.provenance.get("environment", {}) for results in files]),
        "gpus": max(int(results.provenance.get("gpus", 1)) for results in files),
        "settings": shared([results.provenance.get("settings", {}) for results in files]),
        "skipped": skipped,
    }
    if settings_of:
        merged_file.provenance["settings_of"] = settings_of
    for results in files:
        if "dry_run" in results.provenance:
            merged_file.provenance["dry_run"] = results.provenance["dry_run"]
    return merged_file, problems


def write_merged(out: Path, results: Results, file: str) -> None:
    """OUT/<file>."""
    write_text(out / file, format_results(results))
