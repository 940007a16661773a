#include "sim/plan/operators/operator_bound.hpp"

#include <algorithm>
#include <array>

#include "sim/machine/tcm_paths.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/operators/operator_work.hpp"

namespace kernbench {

namespace {

/// The first of the longest.
OperatorBound longest(const std::array<OperatorBound, 4>& terms) {
  return *std::ranges::max_element(terms, {}, &OperatorBound::time);
}

Picoseconds vector_time(const OperatorPlan& plan, const OperatorShare& share, const PeSpec& pe) {
  Picoseconds time;
  for (const OperatorPiece& piece : share.pieces) {
    if (piece.statistics) time += statistics_task(plan, piece, pe.vector).time(pe);
    if (piece.apply) time += apply_task(plan, piece, pe.vector).time(pe);
  }
  return time;
}

/// ceil(bytes / (pes x bandwidth)).
Picoseconds shared_time(Bytes bytes, Bandwidth bandwidth, std::int64_t pes) {
  return Picoseconds{ceil_div(bandwidth.time_for(bytes).value, pes)};
}

}  // namespace

ShareTraffic traffic_of(const OperatorPlan& plan, const OperatorShare& share) {
  const OperatorTraits& traits = plan.traits();
  if (share.rows == 0) return {};
  ShareTraffic traffic;
  for (const OperatorPiece& piece : share.pieces) {
    const Bytes bytes = bytes_of(piece.elements, plan.problem.dtype);
    traffic.read += (traits.second ? 2 : 1) * bytes;
    if (plan.parts_of_rows && piece.apply) traffic.read += traits.parameters * bytes;
    if (piece.apply) traffic.written += bytes;
  }
  if (!plan.parts_of_rows) traffic.read += bytes_of(traits.parameters * plan.problem.dimension, plan.problem.dtype);
  if (traits.classes) traffic.read += bytes_of(share.rows, Dtype::kInt32);
  if (!traits.writes_rows) traffic.written += bytes_of(1, Dtype::kFp32);
  return traffic;
}

OperatorBound operator_bound(const OperatorPlan& plan, const MachineSpec& machine) {
  OperatorBound bound;
  for (const OperatorShare& share : plan.shares) {
    const auto [read, written] = traffic_of(plan, share);
    const Bytes hbm = hbm_bytes(read, written, queued_writes(machine));
    const OperatorBound of_share = longest({{{machine.die.hbm.bandwidth.time_for(hbm), "hbm"},
                                             {read_path(machine).time_for(read), "dma_in"},
                                             {out_of_tcm(machine).time_for(written), "dma_out"},
                                             {vector_time(plan, share, machine.pe), "vector"}}});
    if (of_share.time > bound.time) bound = of_share;
  }
  return bound;
}

OperatorBound operator_roofline(const OperatorProblem& problem, const MachineSpec& machine, std::int64_t pes) {
  const OperatorTraits& traits = traits_of(problem.op);
  const VectorUnitSpec& unit = machine.pe.vector;
  // In lane cycles: what one lane would take for all of it.
  const VectorUnitSpec lane{.lanes = 1, .rates = unit.rates};
  const Cycles work = vector_cycles(lane, traits.statistics + traits.apply, problem.elements());
  const Bytes hbm = hbm_bytes(problem.least_read(), problem.least_written(), pes * queued_writes(machine));
  return longest({{{shared_time(hbm, machine.die.hbm.bandwidth, pes), "hbm"},
                   {shared_time(problem.least_read(), read_path(machine), pes), "dma_in"},
                   {shared_time(problem.least_written(), out_of_tcm(machine), pes), "dma_out"},
                   {Picoseconds{ceil_div(machine.pe.clock.time_for(work).value, unit.lanes * pes)}, "vector"}}});
}

}  // namespace kernbench
