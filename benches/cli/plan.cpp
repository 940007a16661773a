// `kernbench plan`: what would be done, without a machine: who multiplies what, and what travels.
#include <iostream>
#include <memory>

#include "benches/cli/children.hpp"
#include "benches/cli/machine_options.hpp"
#include "benches/io/program/command_group.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/terminal.hpp"
#include "benches/workloads/distributed/plan_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/plan/dimension.hpp"

namespace kernbench::plan_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench plan universal-gemm --m 4096 --k 4096 --n 4096 --devices 4 \
      --partitions row,column,row
  # every operation and command, for programs
  kernbench plan universal-gemm --m 1000 --k 520 --n 777 --devices 8 \
      --method stationary_b --replication 2,1,2 --json

What a plan means: docs/distributed-gemm.md. Carried out on a simulated machine: kernbench run universal-gemm.)";

constexpr int kMostDevices = 4096;

struct Options {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t devices = 4;
  std::string method = "auto";
  std::string partitions = "block,block,block";
  std::string replication = "1";
  std::int64_t prefetch = 2;
  std::int64_t outstanding = 2;
  bool json = false;
  ChildOptions child;
};

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
ChildOptions prepared(const Options& options, const DistributedGemm& problem) {
  const DistributedGemmSize size = size_of(problem);
  ChildOptions child =
      options.child.fitted({{"a plan over " + counted(problem.devices, "device"),
                             memory_of(problem, size, options.json), "fewer --devices, or other --partitions"}});
  const bool redistributes = problem.method == DistributedMethod::kDtensor;
  const double seconds = size.commands * (kCommandTime + (redistributes ? kWaitTime * problem.devices : 0));
  if (seconds > kWorthSaying) {
    print_notes({"some " + grouped(static_cast<std::int64_t>(size.commands)) + " commands take about " +
                 grouped(static_cast<std::int64_t>(seconds)) + " s; --timeout SECONDS gives up"});
  }
  return child;
}

/// "2", of all three matrices, or "2,1,2".
std::array<int, 3> replication_of(const std::string& text) {
  std::vector<std::string> parts = split(text, ",");
  if (parts.size() == 1) parts.resize(3, parts.front());
  if (parts.size() != 3) {
    throw ConfigError("--replication " + in_quotes(text) +
                      ": expected one number, or those of A, B and C, as in 2,1,2");
  }
  std::array<int, 3> replication{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const std::string wrong = whole_number(1, kMostDevices).read(parts[i]); !wrong.empty()) {
      throw ConfigError("--replication " + in_quotes(text) + ": " + wrong);
    }
    replication.at(i) = std::stoi(parts[i]);
  }
  return replication;
}

std::string format_plan(const DistributedGemm& problem, const DistributedGemmPlan& plan, const CommandList& list,
                        const Look& look) {
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
                Style::kBold, look.colours) +
         "\n" + counted(static_cast<std::int64_t>(list.commands().size()), "command") + ": --json has them all\n\n" +
         table.format(look);
}

int run(const Options& options) {
  const DistributedGemm problem{.m = options.m,
                                .k = options.k,
                                .n = options.n,
                                .partitions = parse_partitions(options.partitions, "--partitions"),
                                .replication = replication_of(options.replication),
                                .method = kDistributedMethods.parse(options.method, "--method"),
                                .devices = static_cast<int>(options.devices)};
  const Look look = stdout_look();
  std::cout << plan_in_child(prepared(options, problem), [&] {
    const DistributedGemmPlan plan = plan_distributed_gemm(problem);
    const CommandList list =
        schedule_distributed_gemm(plan, {static_cast<int>(options.prefetch), static_cast<int>(options.outstanding)});
    return options.json ? plan_json(problem, plan, list).dump(1) + "\n" : format_plan(problem, plan, list, look);
  });
  return 0;
}

std::function<int()> set_up_universal_gemm(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  const ValueRule dimension = whole_number(1, kLargestDimension);
  command.add_option("--m", options->m, "Rows of A and C").required().rule(dimension).type_name("M");
  command.add_option("--k", options->k, "Columns of A, rows of B").required().rule(dimension).type_name("K");
  command.add_option("--n", options->n, "Columns of B and C").required().rule(dimension).type_name("N");
  command.add_option("--devices", options->devices, "Devices")
      .rule(whole_number(1, kMostDevices))
      .type_name("P")
      .show_default();
  command.add_option("--method", options->method, "Which matrix stays where it is; auto: the largest; dtensor: none")
      .rule(one_of({"auto", "dtensor", "stationary_a", "stationary_b", "stationary_c"}))
      .show_default();
  command.add_option("--partitions", options->partitions, "How A, B and C are cut: row, column or block each")
      .type_name("A,B,C")
      .show_default();
  command.add_option("--replication", options->replication, "Copies of each matrix, or of A, B and C")
      .type_name("R or A,B,C")
      .show_default();
  command.add_option("--prefetch", options->prefetch, "Buffers for fetched parts of A, and as many for those of B")
      .rule(whole_number(1, 64))
      .type_name("COUNT")
      .show_default();
  command.add_option("--outstanding", options->outstanding, "Products on their way to each owner")
      .rule(whole_number(1, 64))
      .type_name("COUNT")
      .show_default();
  options->child.add_limits(command);
  command.add_flag("--json", options->json, "Tiles, operations and commands as a document");
  command.footer(kExamples);
  return [options] { return run(*options); };
}

std::function<int()> set_up(CommandSpec& command) {
  command.footer(kExamples);
  add_commands(command,
               {{1, "universal-gemm", "A GEMM whose matrices are spread over devices", set_up_universal_gemm}});
  return {};  // one of them is run
}

const bool registered =
    register_command({16, "plan", "What would be done, without a machine: who multiplies what, what travels", set_up});

}  // namespace
}  // namespace kernbench::plan_command
