// Kernels of one's own (docs/kernels.md), each a workload of its name, whose parameters are axes.
#include <algorithm>

#include "benches/io/text/numbers.hpp"
#include "benches/results/report/pes_report.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/pe_set.hpp"
#include "benches/workloads/workload.hpp"
#include "sim/plan/network/buffer_room.hpp"
#include "sim/system/simulation_memory.hpp"
#include "sim/system/user_kernel.hpp"

namespace kernbench {
namespace {

struct KernelAsked {
  std::string kernel;
  std::string over = "die";
  std::map<std::string, std::int64_t> parameters = {};
};

struct PlacedKernel {
  const UserKernel& kernel;
  KernelArguments arguments;
  std::string machine;
  PeSet over;
};

PlacedKernel place_kernel(const MachineSpec& machine, const KernelAsked& asked) {
  const UserKernel& kernel = find_user_kernel(asked.kernel);
  return {kernel, kernel.arguments(asked.parameters), machine.name, parse_pes("over", asked.over, machine)};
}

std::int64_t pes_of(const PlacedKernel& placed) { return static_cast<std::int64_t>(placed.over.pes.size()); }

std::string kernel_title(const PlacedKernel& placed) {
  std::string arguments;
  for (const auto& [name, value] : placed.arguments.all()) arguments += " " + name + "=" + std::to_string(value);
  return placed.kernel.name + arguments + " over " + counted(pes_of(placed), "PE") + " of " + placed.machine;
}

Row run_kernel_of_user(const PlacedKernel& placed, const RunSettings& settings) {
  const MultiPeResult run =
      run_user_kernel(placed.over.machine, placed.kernel, placed.arguments, placed.over.pes, settings);
  Row row = row_of_multi_pe(run);
  add_energy(row, placed.over.machine.energy, run.activity, run.time);
  if (settings.verify) row.metrics.set(kValuesCompared, run.compared);
  return row;
}

/// As far as the program asks for room before it waits.
void set_up_kernel(const PlacedKernel& placed) {
  only_set_up([&](const RunSettings& settings) { static_cast<void>(run_kernel_of_user(placed, settings)); });
}

MemoryEstimate kernel_memory_of_user(const PlacedKernel& placed, bool /*verify*/) {
  return system_memory(placed.over.machine);
}

double kernel_cost(const PlacedKernel& placed) { return static_cast<double>(pes_of(placed)); }

Planned plan_kernels(const std::vector<PlacedKernel>& all, const Planning& /*planning*/) {
  return {.warnings = buffer_warnings(all.front().over.machine),
          .notes = {},
          .skipped = std::vector<std::string>(all.size()),
          .memory = {}};
}

std::string report_kernel(const PlacedKernel& placed, const Row& row, const Terminal& terminal) {
  return format_pes(row, terminal) + "\n" + format_ledgers(row, placed.over.machine, terminal) +
         fact("time", one_decimal(row.metrics.at(kTime)) + " ns", terminal) + format_multi_pe_facts(row, terminal);
}

std::string option_of(const KernelParameter& parameter) {
  std::string option = "--" + parameter.name;
  std::ranges::replace(option, '_', '-');
  return option;
}

Workload workload_of(const UserKernel& kernel) {
  Axes<KernelAsked> axes;
  axes.fixed("kernel", kernel.name, &KernelAsked::kernel);
  axes.pes(over_words("PEs that run it together"), kOverTypes, &KernelAsked::over);
  for (const KernelParameter& parameter : kernel.parameters) {
    axes.count({parameter.name, option_of(parameter), parameter.summary}, parameter.value, parameter.least,
               parameter.most, &KernelAsked::parameters);
  }
  const Answers<KernelAsked, PlacedKernel> on_pes{.columns = {{"time_ns", "time (ns)"},
                                                              {"mac_util", "MAC util", true},
                                                              {"work_imbalance", "work imbalance", true},
                                                              {"network_bytes", "network (B)"},
                                                              {"busiest_link_util", "busiest link", true}},
                                                  .multi_pe = true,
                                                  .plan = plan_kernels,
                                                  .place = place_kernel,
                                                  .title = kernel_title,
                                                  .run = run_kernel_of_user,
                                                  .memory = kernel_memory_of_user,
                                                  .cost = kernel_cost,
                                                  .set_up = set_up_kernel,
                                                  .report = report_kernel};
  return {.name = kernel.name,
          .summary = "kernel: " + kernel.summary,
          .version = "1",
          .folder = "benches/user_kernels/" + kernel.name,
          .examples = "Examples:\n  kernbench sim " + kernel.name + " --over die --verify\n  kernbench sim " +
                      kernel.name + " --over 0.0.0-0.0.3 --trace " + kernel.name +
                      ".perfetto-trace.gz\n  kernbench run " + kernel.name +
                      " --sweep 'pe.message_queue.slots=2,4,8'\n\ndocs/kernels.md says how to write one's own, in one "
                      "file.",
          .axes = axes.all(),
          .on_pes = on_pes.of(axes),
          .on_gpu = {}};
}

/// Once all kernels have registered themselves.
const bool registered = register_workloads_of([] {
  std::vector<Workload> workloads;
  for (const UserKernel& kernel : user_kernels()) workloads.push_back(workload_of(kernel));
  return workloads;
});

}  // namespace
}  // namespace kernbench
