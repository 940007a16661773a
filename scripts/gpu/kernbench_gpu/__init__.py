"""Measures GPUs and writes the rows as kernbench.results/1 files (docs/gpu.md). Started by scripts/gpu/run-all."""
