// A run on several PEs as a row of results (adr/0030).
#pragma once

#include <array>

#include "benches/results/rows/results.hpp"
#include "sim/system/multi_pe_gemm.hpp"
#include "sim/system/multi_pe_report.hpp"

namespace kernbench {

/// Metric of runs that compare values by themselves, where they carry some: how many they compared.

/// Stages that a row has of each PE, in this order.
inline constexpr std::array kStagesOfPe{"program", "array", "read", "sent", "written"};

[[nodiscard]] bool has_stages_of_pes(const Row& row);

/// Metrics of the run together; stages kStagesOfPe of each PE.
[[nodiscard]] Row row_of_multi_pe(const MultiPeResult& run);

/// Of a GEMM, with its rates, and its energy where the machine file says what that costs.
[[nodiscard]] Row row_of_multi_pe_gemm(const MultiPeResult& run, const GemmProblem& problem,
                                       const MachineSpec& machine);

/// The plan as metrics of its row; no bound where why_no_bound says so.
void add_plan(const MultiPeGemmPlan& plan, const MachineSpec& machine, Row& row);

}  // namespace kernbench
