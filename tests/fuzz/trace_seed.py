#!/usr/bin/env python3
"""Prints a seed of fuzz_trace: a byte, then a trace of a few events of each category of the file that is named."""
import collections
import gzip
import json
import sys

with gzip.open(sys.argv[1], "rt", encoding="utf-8") as file:
    trace = json.load(file)
seen = collections.Counter()
events = []
for event in trace["traceEvents"]:
    kind = (event.get("ph"), event.get("cat"))
    seen[kind] += 1
    if seen[kind] <= 3:
        events.append(event)
kept = {name: trace[name] for name in ("distributedInfo", "baseTimeNanoseconds") if name in trace}
print("@" + json.dumps(kept | {"traceEvents": events}))
