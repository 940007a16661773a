#include "benches/results/rows/row_from_operator.hpp"

#include <algorithm>
#include <cmath>

#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/operator_metrics.hpp"
#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/plan/known_bound.hpp"
#include "sim/plan/operators/operator_bound.hpp"

namespace kernbench {
namespace {

double least_bytes(const OperatorProblem& problem) {
  return static_cast<double>(problem.least_read() + problem.least_written());
}

/// What a measured row has of it; `time` above 0.
void add_rates(Row& row, const OperatorPlan& plan, const MachineSpec& machine, Picoseconds time) {
  const OperatorProblem& problem = plan.problem;
  const auto pes = static_cast<std::int64_t>(plan.shares.size());
  double bytes = 0;
  for (const OperatorShare& share : plan.shares) bytes += static_cast<double>(share.bytes);
  const double time_ms = time.ns() * 1e-6;
  row.metrics.set(kTime, time.ns());
  row.metrics.set(kTimeMs, time_ms);
  row.metrics.set(kMemoryMb, bytes * 1e-6);
  row.metrics.set(kInferenceSpeed, 1000 / time_ms);
  if (why_no_bound(machine).empty()) {
    const OperatorBound roofline = operator_roofline(problem, machine, pes);
    row.metrics.set(kOperatorEfficiency, roofline.time.ns() / time.ns());
    row.metrics.set(kRooflineTime, roofline.time.ns());
    row.metrics.set(kRooflineBottleneck, roofline.resource);
  }
  row.metrics.set(kThroughputGbps, least_bytes(problem) / time.ns());
}

/// To the picosecond.
double rounded_ns(double ns) { return std::round(ns * 1000) / 1000; }

}  // namespace

Row row_of_operator(const MultiPeResult& run, const OperatorPlan& plan, const MachineSpec& machine) {
  Row row = row_of_multi_pe(run);
  for (const Metric<double>& of_the_array : {kMacUtilisation, kWorkImbalance, kArrayIdle})
    row.metrics.erase(of_the_array);
  add_rates(row, plan, machine, run.time);
  const double peak_gbs = machine.die.hbm.bandwidth.gbs() * static_cast<double>(run.pes.size());
  row.metrics.set(kBandwidthShare, row.metrics.at(kThroughputGbps) / peak_gbs);
  if (why_no_bound(machine).empty()) {
    const OperatorBound bound = operator_bound(plan, machine);
    row.metrics.set(kPlanBoundTime, bound.time.ns());
    row.metrics.set(kPlanBottleneck, bound.resource);
  }
  Bytes read = 0;
  Bytes written = 0;
  Picoseconds vector;
  std::int64_t pieces = 0;
  for (const PeReport& pe : run.pes) {
    read += pe.read;
    written += pe.written;
    vector += pe.vector;
  }
  for (const OperatorShare& share : plan.shares) pieces += static_cast<std::int64_t>(share.pieces.size());
  row.metrics.set(kVectorUtilisation, vector.ns() / (run.time.ns() * static_cast<double>(run.pes.size())));
  row.metrics.set(kHbmRead, read);
  row.metrics.set(kHbmWritten, written);
  row.metrics.set(kIdlePes, static_cast<std::int64_t>(plan.shares.size()) - plan.active());
  row.metrics.set(kPieceCount, pieces);
  row.metrics.set(kPieceElements, std::min(plan.piece_elements, plan.problem.elements()));
  row.metrics.set(kTcmBytes, plan.tcm);
  if (plan.parts_of_rows) row.flags.emplace_back("parts_of_rows");
  add_energy(row, machine.energy, run.activity, run.time);
  return row;
}

Row row_of_operator_bound(const OperatorPlan& plan, const MachineSpec& machine) {
  Row row;
  if (const std::string why = why_no_bound(machine); !why.empty()) {
    row.status = "skipped";
    row.reason = why;
    return row;
  }
  const OperatorBound bound = operator_bound(plan, machine);
  add_rates(row, plan, machine, bound.time);
  row.metrics.set(kBottleneck, bound.resource);
  return row;
}

Row row_of_gpu_operator(const OperatorProblem& problem, const GpuSpec& gpu, L2State l2) {
  const GpuOperatorTime time = gpu_operator_time(problem, gpu, {.l2 = l2});
  const double ns = rounded_ns(measured_operator_ns(problem, gpu, l2));
  const Row bound = row_of_gpu_operator_bound(problem, gpu, l2);
  GpuOperatorKernel sum;
  std::string kernels;
  for (const GpuOperatorKernel& kernel : time.kernels) {
    kernels += (kernels.empty() ? "" : ", ") + kernel.name + " " + std::to_string(kernel.ctas) + "x" +
               std::to_string(kernel.threads);
    sum.launch += kernel.launch;
    sum.sm += kernel.sm;
    sum.l2 += kernel.l2;
    sum.hbm += kernel.hbm;
  }
  Row row;
  row.metrics = {{kTime, ns},
                 {kTimeMs, ns * 1e-6},
                 {kInferenceSpeed, 1e9 / ns},
                 {kOperatorEfficiency, bound.metrics.at(kTime) / ns},
                 {kRooflineTime, bound.metrics.at(kTime)},
                 {kRooflineBottleneck, bound.metrics.at(kBottleneck)},
                 {kThroughputGbps, least_bytes(problem) / ns},
                 {kKernelsText, kernels},
                 {kLimitedBy, time.limit()},
                 {kLaunchTime, sum.launch},
                 {kSmTime, sum.sm},
                 {kL2Time, sum.l2},
                 {kHbmTime, sum.hbm}};
  if (!time.has_sm_work) row.flags.emplace_back("no_sm_work");
  return row;
}

Row row_of_gpu_operator_bound(const OperatorProblem& problem, const GpuSpec& gpu, L2State l2) {
  static_cast<void>(gpu_operator_time(problem, gpu, {.l2 = l2}));  // throws where there is none
  const bool flushed = l2 == L2State::kFlushed;
  Row row;
  row.metrics = {{kTime, least_bytes(problem) / (flushed ? gpu.operators.bandwidth : gpu.operators.l2)},
                 {kBottleneck, flushed ? "HBM" : "L2"}};
  return row;
}

}  // namespace kernbench
