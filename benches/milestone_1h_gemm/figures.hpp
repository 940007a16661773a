// The figures of the GEMM milestone, drawn from its results; every point of the results is in every figure.
#pragma once

#include <string>
#include <vector>

#include "benches/results/figures/figure.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// What the PE window went to: a bar of causes a point, with its length and what limits it; see adr/0033-the-ledger.md.
Figure time_by_cause(const Results& sim);

/// Wall-clock of each stage as a share of the PE window.
Figure stage_breakdown_simulated(const Results& sim);

/// MAC utilisation and useful efficiency, the closed form's beside them.
Figure mac_utilisation_simulated(const Results& sim, const Results& theory);

/// Simulated time and its bound, and how far it is above, simulated / bound - 1, printed.
Figure bound_vs_simulated(const Results& sim, const Results& theory);

/// FLOP/s of each point by its FLOP per byte of HBM and per byte fetched from TCM, under the machine's roofs.
Figure roofline(const Results& sim, const MachineSpec& machine);
/// The figures with the machine in them; none where its keys do not say what its memory does (29.4).
std::vector<Figure> milestone_1h_gemm_on_machine(const Results& sim, const MachineSpec& machine);

/// What limits the largest shape in its slowest and in its fastest variant.
std::string milestone_1h_gemm_headline(const Results& sim, const Results& theory);

/// Share of the own peak and TFLOPS beside those of real GPUs, from their reference data (ADR-0025).
Figure gemm_beside_gpus(const Results& sim, const std::vector<Results>& measured);
std::vector<Figure> milestone_1h_gemm_beside(const Results& sim, const std::vector<Results>& measured);

/// All others. Points carry the axes m, k, n, variant; `theory` is matched to `sim` by point. A point that failed
/// or that theory lacks keeps its place and says so. Values are those of the rows; what a figure divides, it divides
/// in its specification: stage wall-clock by window, and simulated by closed-form time.
std::vector<Figure> milestone_1h_gemm_figures(const Results& sim, const Results& theory);

}  // namespace kernbench
