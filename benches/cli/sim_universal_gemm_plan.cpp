// `kernbench sim universal-gemm --plan`: who multiplies what, and what travels, without a machine.
#include "benches/cli/machine_options.hpp"
#include "benches/cli/sim_universal_gemm.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/workloads/distributed/plan_json.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

// Measured: tests/cli/limits_test.cpp holds the sums against what the program took.
constexpr double kOperation = 200;       // with the room that its vector has beyond
constexpr double kCommand = 420;         // with who touched which memory last
constexpr double kRedistributing = 700;  // likewise: it waits for more
constexpr double kDocument = 4'800;      // the command as JSON, its text, and the text on its way
constexpr double kCommandTime = 1.5e-6;  // seconds
constexpr double kWaitTime = 12e-9;      // of a command that redistributes, for each device
constexpr double kWorthSaying = 10;      // seconds

MemoryEstimate memory_of(const DistributedGemm& problem, const DistributedGemmSize& size, bool json) {
  const bool redistributes = problem.method == DistributedMethod::kDtensor;
  MemoryEstimate estimate;
  estimate.add("program", 1, kProgramMemory);
  estimate.add("operations", size.operations, kOperation);
  estimate.add("commands", size.commands, redistributes ? kRedistributing : kCommand);
  if (json) estimate.add("commands in the document", size.commands, kDocument);
  return estimate;
}

/// Before it is begun: refuses what takes more than --memory, and says what takes long.
ChildOptions prepared(const DistributedGemm& problem, const ChildOptions& child, bool json) {
  const DistributedGemmSize size = size_of(problem);
  ChildOptions fitted = child.fitted({{"a plan over " + counted(problem.devices, "device"),
                                       memory_of(problem, size, json), "fewer --devices, or other --partitions"}});
  const bool redistributes = problem.method == DistributedMethod::kDtensor;
  const double seconds = size.commands * (kCommandTime + (redistributes ? kWaitTime * problem.devices : 0));
  if (seconds > kWorthSaying) {
    print_notes({"some " + grouped(static_cast<std::int64_t>(size.commands)) + " commands take about " +
                 grouped(static_cast<std::int64_t>(seconds)) + " s; --timeout SECONDS gives up"});
  }
  return fitted;
}

std::string format_plan(const DistributedGemm& problem, const DistributedGemmPlan& plan, const CommandList& list,
                        const Terminal& terminal) {
  Table table({{"device", Align::kRight},
               {"operations", Align::kRight},
               {"MACs", Align::kRight},
               {"received (B)", Align::kRight},
               {"sent (B)", Align::kRight}});
  const std::vector<DeviceTraffic> traffic = traffic_of(list, problem.devices);
  for (std::size_t device = 0; device < plan.devices.size(); ++device) {
    std::int64_t macs = 0;
    for (const DistributedOperation& operation : plan.devices[device]) {
      macs += operation.m.size() * operation.k.size() * operation.n.size();
    }
    table.add_row({std::to_string(device), std::to_string(plan.devices[device].size()), grouped(macs),
                   grouped(traffic[device].received), grouped(traffic[device].sent)});
  }
  std::string method(kDistributedMethods[plan.method]);
  if (!plan.cuts.empty()) method += " (cut " + to_text(plan.cuts) + ")";
  const std::string shape =
      std::to_string(problem.m) + " x " + std::to_string(problem.k) + " x " + std::to_string(problem.n);
  return styled("GEMM, M x K x N = " + shape + ", " + method + " over " + counted(problem.devices, "device"),
                Style::kBold, terminal.colours) +
         "\n" + counted(static_cast<std::int64_t>(list.commands().size()), "command") + ": --json has them all\n\n" +
         table.format(terminal);
}

}  // namespace

void deliver_plan(const DistributedGemm& problem, const ScheduleDepth& depth, const ChildOptions& child,
                  const OutputOptions& output) {
  const auto planned = [&](const Terminal* terminal) {  // null: the document
    return plan_in_child(prepared(problem, child, terminal == nullptr), [&] {
      const DistributedGemmPlan plan = plan_distributed_gemm(problem);
      const CommandList list = schedule_distributed_gemm(plan, depth);
      return terminal == nullptr ? plan_json(problem, plan, list).dump(1) + "\n"
                                 : format_plan(problem, plan, list, *terminal);
    });
  };
  output.deliver([&](const Terminal& terminal) { return planned(&terminal); },
                 {[&] { return planned(nullptr); },
                  []() -> std::string { throw ConfigError("--csv: a plan is no table: expected --json"); }});
}

}  // namespace kernbench
