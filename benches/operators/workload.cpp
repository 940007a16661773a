#include "benches/operators/workload.hpp"

#include <algorithm>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/operator_metrics.hpp"
#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/row_from_operator.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/pe_set.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/network/network_size.hpp"
#include "sim/system/operators/operator_run.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim operator --op layernorm --batch 8 --sequence 128 --dimension 768
  kernbench sim operator --op softmax --sequence 64 --dimension 4096 --over die --verify
  kernbench sim operator --op gelu --sequence 1024 --dimension 4096 --set pe.vector.lanes=256
  kernbench sim operator --op cross_entropy --sequence 64 --dimension 32000 --trace ce.perfetto-trace.gz
  kernbench sim operator --op layernorm --sequence 4096 --dimension 8192 --topology topology/h200.yaml --l2 flushed

docs/operators.md says what each of them computes, and how.)";

struct OperatorRequest : OperatorProblem {
  std::string over = "package";
  L2State l2 = L2State::kWarm;
};

Axes<OperatorRequest> operator_axes() {
  using R = OperatorRequest;
  Axes<R> axes;
  axes.choice<Operator>({"operation", "--op", "One of " + joined(kOperators.all())}, "OP", &R::op, parse_operator,
                        [](Operator op) { return kOperators[op]; })
      .required();
  axes.fixed("implementation", "plan").only_on(MachineKind::kPes);
  axes.fixed("implementation", "pytorch").only_on(MachineKind::kGpu);
  axes.count({"batch_size", "--batch", "Batches of rows"}, &R::batch, 1, kLargestDimension);
  axes.count({"sequence_length", "--sequence", "Rows of a batch"}, &R::sequence, 1, kLargestDimension);
  axes.count({"tensor_dimension", "--dimension", "Elements of a row"}, &R::dimension, 1, kLargestDimension).required();
  axes.choice<Dtype>({"dtype", "--dtype", "Of what is read and written: bf16, fp16, fp32"}, "DTYPE", &R::dtype,
                     parse_dtype, name_of);
  axes.pes(over_words("PEs that do it together"), kOverTypes, &R::over).only_on(MachineKind::kPes);
  axes.choice({"l2", "--l2", "The L2 has the operands before (warm), or nothing of them (flushed)"}, "warm|flushed",
              &R::l2, kL2States)
      .only_on(MachineKind::kGpu);
  return axes;
}

std::string shape_text(const OperatorProblem& problem) {
  return std::string(kOperators[problem.op]) + " of " + std::to_string(problem.batch) + "x" +
         std::to_string(problem.sequence) + "x" + std::to_string(problem.dimension) + " " +
         std::string(name_of(problem.dtype));
}

/// On the part of a machine that does it.
struct OnPes {
  OperatorProblem problem;
  std::string machine;
  PeSet over;

  [[nodiscard]] std::int64_t pes() const { return static_cast<std::int64_t>(over.pes.size()); }
  [[nodiscard]] OperatorPlan plan() const { return plan_operator_on(over.machine, problem, pes()); }
};

OnPes place_on_pes(const MachineSpec& machine, const OperatorRequest& request) {
  check_operator(request);
  return {request, machine.name, parse_pes("over", request.over, machine)};
}

std::string title_on_pes(const OnPes& asked) {
  return shape_text(asked.problem) + " over " + counted(asked.pes(), "PE") + " of " + asked.machine;
}

Row run_on_pes(const OnPes& asked, const RunSettings& settings) {
  const OperatorPlan plan = asked.plan();
  const MultiPeResult run = run_operator(asked.over.machine, plan, asked.over.pes, settings);
  Row row = row_of_operator(run, plan, asked.over.machine);
  if (settings.verify) row.metrics.set(kValuesCompared, run.compared);
  return row;
}

MemoryEstimate memory_on_pes(const OnPes& asked, bool verify) {
  MemoryEstimate estimate = network_memory(asked.over.machine);
  estimate.add(operator_memory(asked.over.machine, asked.problem, asked.pes(), verify));
  return estimate;
}

/// In packets, and what a PE costs before them.
double cost_on_pes(const OnPes& asked) {
  constexpr double kSetUpOfPe = 50;
  return kSetUpOfPe * static_cast<double>(asked.pes()) +
         static_cast<double>(asked.problem.least_read() + asked.problem.least_written()) /
             static_cast<double>(asked.over.machine.simulation.packet);
}

Row bound_on_pes(const OnPes& asked) { return row_of_operator_bound(asked.plan(), asked.over.machine); }

struct OnGpu {
  OperatorProblem problem;
  L2State l2 = L2State::kWarm;
  const GpuSpec& gpu;
};

OnGpu place_on_gpu(const MachineSpec& machine, const OperatorRequest& request) {
  check_operator(request);
  return {request, request.l2, machine.gpu->spec};
}

std::string title_on_gpu(const OnGpu& asked) { return shape_text(asked.problem) + " on " + asked.gpu.name; }

Row run_on_gpu(const OnGpu& asked, const RunSettings& /*settings*/) {
  return row_of_gpu_operator(asked.problem, asked.gpu, asked.l2);
}

Row bound_on_gpu(const OnGpu& asked) { return row_of_gpu_operator_bound(asked.problem, asked.gpu, asked.l2); }

/// What is above its peak is so only by what memories have taken and not written (43.15).
std::vector<Fact> facts_on_pes(const Row& row) {
  const auto bytes = [&row](const Metric<std::int64_t>& metric) { return grouped(row.metrics.at(metric)); };
  const double share = row.metrics.at(kBandwidthShare);
  const bool waits = row.metrics.at(kHbmWritten) > 0;
  std::vector<Fact> facts{
      {"time", one_decimal(row.metrics.at(kTime)) + " ns" +
                   (waits ? ", when memories have taken the last write; some of it may still wait there" : "")}};
  if (row.metrics.has(kPlanBoundTime)) {
    facts.push_back({"bound", one_decimal(row.metrics.at(kPlanBoundTime)) + " ns of the plan (" +
                                  row.metrics.at(kPlanBottleneck) + "), " + one_decimal(row.metrics.at(kRooflineTime)) +
                                  " ns of the machine (" + row.metrics.at(kRooflineBottleneck) + ")"});
    facts.push_back({"efficiency", percent(row.metrics.at(kOperatorEfficiency)) + " of the machine's roofline"});
  }
  facts.push_back({"throughput", one_decimal(row.metrics.at(kThroughputGbps)) +
                                     " GB/s of what must be read and written, " + percent(share) +
                                     " of the memories' bandwidth" +
                                     (share > 1 ? ": with what is not written yet" : "")});
  facts.push_back(
      {"vector unit", "at work for " + percent(row.metrics.at(kVectorUtilisation)) + " of the time, in the mean"});
  facts.push_back({"HBM", bytes(kHbmRead) + " B read, " + bytes(kHbmWritten) + " B written"});
  facts.push_back({"pieces", bytes(kPieceCount) + " of up to " + bytes(kPieceElements) + " elements, " +
                                 bytes(kTcmBytes) + " B of TCM a PE"});
  return facts;
}

std::vector<Fact> facts_on_gpu(const Row& row) {
  const auto part = [&row](const Metric<double>& metric) { return one_decimal(row.metrics.at(metric)); };
  const bool is_least = std::ranges::count(row.flags, "no_sm_work") > 0;
  return {{"time", std::string(is_least ? "at least " : "") + part(kTime) +
                       " ns, in the mean of a CUDA graph of them (53.7)" +
                       (is_least ? "; what SMs take for rows of more than 8,192 classes is not known (53.5)" : "")},
          {"kernels", row.metrics.at(kKernelsText) + " (CTAs x threads)"},
          {"parts", "launch " + part(kLaunchTime) + " ns, SMs " + part(kSmTime) + ", L2 " + part(kL2Time) + ", HBM " +
                        part(kHbmTime) + "; they overlap (53.1)"},
          {"limited by", row.metrics.at(kLimitedBy) + ", which is most of the longest kernel"},
          {"bound", part(kRooflineTime) + " ns: what must be read and written, at the rate of " +
                        row.metrics.at(kRooflineBottleneck)},
          {"efficiency",
           percent(row.metrics.at(kOperatorEfficiency)) + " of that bound, " + part(kThroughputGbps) + " GB/s"}};
}

}  // namespace

Workload operator_workload() {
  const Axes<OperatorRequest> axes = operator_axes();
  const Answers<OperatorRequest, OnPes> on_pes{.columns = {{"time_ns", "time (ns)"},
                                                           {"efficiency", "efficiency", true},
                                                           {"throughput_gbps", "GB/s"},
                                                           {"vector_util", "vector unit", true}},
                                               .multi_pe = true,
                                               .place = place_on_pes,
                                               .title = title_on_pes,
                                               .run = run_on_pes,
                                               .memory = memory_on_pes,
                                               .cost = cost_on_pes,
                                               .bound = bound_on_pes,
                                               .facts = facts_on_pes};
  const Answers<OperatorRequest, OnGpu> on_gpu{.columns = {{"time_ns", "time (ns)"},
                                                           {"efficiency", "efficiency", true},
                                                           {"throughput_gbps", "GB/s"},
                                                           {"kernels", "kernels"}},
                                               .place = place_on_gpu,
                                               .title = title_on_gpu,
                                               .run = run_on_gpu,
                                               .bound = bound_on_gpu,
                                               .facts = facts_on_gpu};
  return {.name = "operator",
          .summary = "A LayerNorm, softmax, GELU, ... on several PEs or a GPU",
          .version = "2",
          .folder = "benches/operators",
          .examples = kExamples,
          .axes = axes.all(),
          .on_pes = on_pes.of(axes),
          .on_gpu = on_gpu.of(axes)};
}

}  // namespace kernbench
