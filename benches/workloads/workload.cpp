// The registry of workloads, and benches of them.
#include "benches/workloads/workload.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/registry.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

Registry<Workload>& registry() {
  static Registry<Workload> workloads("workload");
  return workloads;
}

/// Workloads that follow from what registers itself, until they are looked up.
std::vector<std::function<std::vector<Workload>()>>& waiting() {
  static std::vector<std::function<std::vector<Workload>()>> all;
  return all;
}

void register_waiting() {
  for (const auto& workloads : std::exchange(waiting(), {})) {
    for (const Workload& workload : workloads()) register_workload(workload);
  }
}

std::vector<AxisValue> values_of(const PointValues& values, const std::string& axis) {
  const auto found = std::ranges::find(values, axis, [](const auto& one) { return one.first; });
  return found == values.end() ? std::vector<AxisValue>{} : found->second;
}

Bench side(const Workload& workload, const PointValues& values, MachineKind kind) {
  const WorkloadAnswers& answers = workload.on(kind, workload.name);
  Bench bench;
  bench.name = workload.name;
  bench.summary = workload.summary;
  bench.version = workload.version;
  bench.folder = workload.folder;
  bench.machine = kind;
  for (const WorkloadAxis& axis : workload.axes_on(kind)) {
    bench.axes.push_back(as_axis(axis, values_of(values, axis.words.name)));
  }
  bench.uses_network = answers.multi_pe;
  bench.report = answers.columns;
  bench.simulate = [answers](const MachineSpec& machine, const Point& point, const PointSettings& settings) {
    RunSettings run;
    run.verify = settings.verify;
    Row row = answers.run(machine, point, run);
    if (settings.verify) row.flags.emplace_back("verified");
    for (const Metric<std::int64_t>& of_simulating : {kValuesCompared, kPacketHops, kWakeupCount})
      row.metrics.erase(of_simulating);
    row.metrics.erase(kChosenText);
    if (has_stages_of_pes(row)) row.stages.clear();  // of each of many PEs, which do the same
    return row;
  };
  bench.memory = answers.memory;
  bench.cost = answers.cost;
  bench.theory = answers.bound;
  bench.derive = answers.derive;
  bench.check = [answers](const MachineSpec& machine, const Point& point) {
    try {
      static_cast<void>(answers.title(machine, point));
    } catch (const CapacityError&) {
      return;  // its row will say so
    }
  };
  return bench;
}

/// Options that every workload has.
constexpr std::array kTaken{"--set",      "--topology", "--packet", "--verify", "--trace", "--time-limit",
                            "--timeout",  "--memory",   "--jobs",   "--json",   "--csv",   "--wide",
                            "--out",      "--help",     "--plan",   "--stairs", "--top",   "--no-fast-forward",
                            "--no-cache", "--version"};

void refuse_taken_options(const Workload& workload, MachineKind kind) {
  std::set<std::string> taken(kTaken.begin(), kTaken.end());
  for (const WorkloadAxis& axis : workload.axes_on(kind)) {
    for (const std::string& option : split(axis.words.option, ",")) {
      if (option.empty() || taken.insert(option).second) continue;
      throw std::logic_error("workload " + workload.name + ": axis " + axis.words.name +
                             " needs another option: " + option + " is one of every workload, or of another axis");
    }
  }
}

}  // namespace

const WorkloadAnswers& Workload::on(MachineKind kind, const std::string& place) const {
  const std::optional<WorkloadAnswers>& answers = kind == MachineKind::kPes ? on_pes : on_gpu;
  if (answers) return *answers;
  throw ConfigError(place + ": expected a machine of " + (kind == MachineKind::kPes ? "kind: gpu" : "PEs") +
                    ", the only ones that " + name + " is known of");
}

std::vector<WorkloadAxis> Workload::axes_on(MachineKind kind) const {
  std::vector<WorkloadAxis> applying;
  std::ranges::copy_if(axes, std::back_inserter(applying),
                       [kind](const WorkloadAxis& axis) { return axis.applies_to(kind); });
  return applying;
}

bool register_workload(Workload workload, Bench bench, SourcePlace place) {
  for (const MachineKind kind : {MachineKind::kPes, MachineKind::kGpu}) refuse_taken_options(workload, kind);
  registry().add(std::move(workload), place);
  return register_bench(std::move(bench), place);
}

bool register_workloads_of(std::function<std::vector<Workload>()> workloads) {
  waiting().push_back(std::move(workloads));
  return register_later(register_waiting);
}

const std::vector<Workload>& all_workloads() {
  register_waiting();  // not by all_benches(), which reads the files of some
  return registry().all();
}

Bench bench_of(const Workload& workload, const PointValues& values) {
  const auto on_gpu = [&] {
    Bench bench = side(workload, values, MachineKind::kGpu);
    bench.machine_file = workload.gpu_file;
    return bench;
  };
  if (!workload.on_pes) return on_gpu();
  Bench bench = side(workload, values, MachineKind::kPes);
  if (workload.on_gpu) bench.on_other_kind = std::make_shared<const Bench>(on_gpu());
  return bench;
}

}  // namespace kernbench
