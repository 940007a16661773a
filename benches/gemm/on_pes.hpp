// A GEMM on a machine of PEs: by one of them (one_pe.cpp), or by several together (several_pes.cpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/workloads/collective/pe_set.hpp"
#include "benches/workloads/gemm/asked.hpp"
#include "benches/workloads/workload.hpp"

namespace kernbench {

/// On the part of a machine that does it.
struct GemmOnPes {
  GemmAsked asked;
  GemmProblem problem;
  GemmWay way;
  const MachineSpec& machine;
  std::optional<PeSet> over;  ///< nothing: one PE
};

/// Without what takes time or is kept for one run alone: for those that are compared.
[[nodiscard]] RunSettings without_records(RunSettings settings);
[[nodiscard]] bool asks_for_records(const RunSettings& settings);

// How each of the two answers; as functions of Answers. `check` is of what is asked for, `require` also of its room.
namespace one_pe {
void check(const GemmOnPes& gemm);
void require_room(const GemmOnPes& gemm);
[[nodiscard]] Row run(const GemmOnPes& gemm, const RunSettings& settings);
[[nodiscard]] Row bound(const GemmOnPes& gemm);
[[nodiscard]] MemoryEstimate memory(const GemmOnPes& gemm, bool verify);
[[nodiscard]] std::vector<Way<GemmAsked>> ways(const GemmOnPes& gemm, std::size_t top, const RunSettings& settings);
[[nodiscard]] std::string report(const GemmOnPes& gemm, const Row& row, const Terminal& terminal);
[[nodiscard]] std::string ways_table(const GemmOnPes& gemm, const std::vector<Row>& rows, std::size_t top,
                                     const Terminal& terminal);
}  // namespace one_pe

namespace several_pes {
[[nodiscard]] inline std::int64_t count(const GemmOnPes& gemm) {
  return static_cast<std::int64_t>(gemm.over->pes.size());
}
void check(const GemmOnPes& gemm);
/// What it takes, and notes on the network; throws where it cannot be done.
[[nodiscard]] MemoryEstimate plan(const GemmOnPes& gemm, const Planning& planning, std::vector<std::string>& notes);
[[nodiscard]] Row run(const GemmOnPes& gemm, const RunSettings& settings);
[[nodiscard]] Row bound(const GemmOnPes& gemm);
[[nodiscard]] MemoryEstimate memory(const GemmOnPes& gemm, bool verify);
[[nodiscard]] std::vector<Way<GemmAsked>> ways(const GemmOnPes& gemm, std::size_t top, const RunSettings& settings);
[[nodiscard]] std::string report(const GemmOnPes& gemm, const Row& row, const Terminal& terminal);
[[nodiscard]] std::string ways_table(const GemmOnPes& gemm, const std::vector<Row>& rows, std::size_t top,
                                     const Terminal& terminal);
}  // namespace several_pes

[[nodiscard]] WorkloadAnswers gemm_on_pes(const Axes<GemmAsked>& axes);
[[nodiscard]] WorkloadAnswers gemm_on_gpu(const Axes<GemmAsked>& axes);

}  // namespace kernbench
