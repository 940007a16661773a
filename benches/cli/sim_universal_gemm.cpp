#include "benches/cli/sim_universal_gemm.hpp"

#include <algorithm>
#include <memory>

#include "benches/cli/sim_run.hpp"
#include "benches/cli/sim_workloads.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/results_json.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/dimension.hpp"

namespace kernbench {
namespace {

constexpr Metric<std::int64_t> kCommandCount{"commands"};
constexpr Metric<double> kCopiesTime{"copies_ns"};
constexpr Metric<std::int64_t> kEventCount{"events"};
constexpr Metric<double> kKernelsTime{"kernels_ns"};
constexpr Metric<double> kMostReceived{"received_bytes"};

constexpr const char* kUniversalGemmExamples = R"(Examples:
  # every method, the usual partitions and replications, fastest first
  kernbench sim universal-gemm --topology topology/h200_x4.yaml \
      --m 8192 --k 8192 --n 8192
  kernbench sim universal-gemm --topology topology/h200_x2.yaml \
      --m 1024 --k 12288 --n 49152 --methods stationary_b,dtensor \
      --partitions row,column,row --replications 1 --pace again
  # predictions beside measured rows
  kernbench sim universal-gemm --topology topology/h200_x4.yaml \
      --measured benches/reference/nvidia-h200/distributed_gemm.json
  # who multiplies what and what travels, of any devices, without a machine
  kernbench sim universal-gemm --plan --m 4096 --k 4096 --n 4096 --devices 8 \
      --partitions row,column,row
  # every operation and command, for programs
  kernbench sim universal-gemm --plan --m 1000 --k 520 --n 777 --devices 8 \
      --method stationary_b --replication 2,1,2 --json

On PEs: kernbench run universal-gemm. What a method is: docs/distributed-gemm.md.)";

constexpr int kMostDevices = 4096;
constexpr int kPlannedDevices = 4;
constexpr std::size_t kShown = 20;

struct Options {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t gpus = 0;
  std::string methods;
  std::vector<std::string> partitions;
  std::string replications;
  std::string pace = "once";
  std::string without;
  std::string measured;
  bool plan = false;
  std::string replication = "1";
  std::int64_t prefetch = ScheduleDepth().prefetch;
  std::int64_t outstanding = ScheduleDepth().outstanding;
  ChildOptions child;
  std::shared_ptr<MachineOptions> machine;
  OutputOptions output;
};

GpuCommandRules rules_of(const std::string& without) {
  GpuCommandRules rules;
  if (without.empty()) return rules;
  for (const std::string& name : split(without, ",")) {
    if (name == "fetch-order") {
      rules.fetches_in_order = false;
    } else if (name == "copy-engine") {
      rules.one_copy_at_a_time = false;
    } else if (name == "kernel-order") {
      rules.one_kernel_at_a_time = false;
    } else if (name == "hand-over") {
      rules.hand_over = false;
    } else {
      throw ConfigError("--without " + in_quotes(name) +
                        ": expected of fetch-order, copy-engine, kernel-order, hand-over");
    }
  }
  return rules;
}

/// Mechanisms that are left out are part of what a row is of.
void say_without(std::vector<Row>& rows, const std::string& without) {
  if (without.empty()) return;
  for (Row& row : rows) row.point["without"] = without;
}

int devices_of(const Options& options, const GpuSpec& gpu) {
  return static_cast<int>(options.gpus > 0 ? options.gpus : static_cast<std::int64_t>(gpu.nvlink.gpus));
}

std::vector<DistributedGemm> problems(const Options& options, const GpuSpec& gpu) {
  std::vector<std::string> partitions = options.partitions;
  if (partitions.empty()) partitions = {"row,column,row", "column,row,row", "block,block,block"};
  const std::string methods =
      options.methods.empty() ? "stationary_a,stationary_b,stationary_c,dtensor" : options.methods;
  const int gpus = devices_of(options, gpu);
  if (gpus < 2) {
    const std::string got = options.gpus > 0 ? "got --gpus " + std::to_string(options.gpus) : gpu.name + " is one";
    throw ConfigError("sim universal-gemm: expected at least 2 GPUs, " + got);
  }
  std::vector<DistributedGemm> all;
  const std::string usual = gpus % 2 == 0 ? "1,2" : "1";
  for (std::string replication : split(options.replications.empty() ? usual : options.replications, ",")) {
    if (const std::string wrong = whole_number(1, kMostDevices).read(replication); !wrong.empty()) {
      throw ConfigError("--replications " + in_quotes(replication) + ": " + wrong);
    }
    const int copies = std::stoi(replication);
    for (const std::string& triple : partitions) {
      for (const std::string& method : split(methods, ",")) {
        all.push_back({options.m,
                       options.k,
                       options.n,
                       parse_partitions(triple, "--partitions"),
                       {copies, copies, copies},
                       kDistributedMethods.parse(method, "--methods"),
                       gpus});
      }
    }
  }
  return all;
}

std::string cases_table(const std::vector<Row>& rows, const Terminal& terminal) {
  Table table({{"method"},
               {"A,B,C"},
               {"replicas", Align::kRight},
               {"time (us)", Align::kRight},
               {"of peak", Align::kRight},
               {"kernels (us)", Align::kRight, 1},
               {"copies (us)", Align::kRight},
               {"limit"}});
  for (const Row& row : rows) {
    if (&row - rows.data() >= static_cast<std::ptrdiff_t>(kShown)) break;
    const auto us = [&](const Metric<double>& metric) { return formatted("%.1f", row.metrics.at(metric) / 1000); };
    const auto text = [&](const char* name) { return row.point.at(name).get<std::string>(); };
    table.add_row({text("method"), text("partitions"), std::to_string(row.point.at("replication").get<int>()),
                   us(kTime), percent(row.metrics.at(kPeakFraction)), us(kKernelsTime), us(kCopiesTime),
                   row.metrics.at(kLimitedBy)});
  }
  return table.format(terminal);
}

std::vector<Row> case_rows(const Options& options, const GpuSpec& gpu) {
  const GpuPace pace = kGpuPaces.parse(options.pace, "--pace");
  const GpuCommandRules rules = rules_of(options.without);
  std::vector<Row> rows;
  for (const DistributedGemm& problem : problems(options, gpu)) {
    rows.push_back(row_of_distributed(problem, gpu_distributed(problem, gpu, pace, rules), gpu));
    rows.back().point["pace"] = options.pace;
  }
  std::ranges::stable_sort(rows, {}, [](const Row& row) { return row.metrics.at(kTime); });
  return rows;
}

std::string format_cases(const std::vector<Row>& rows, const Options& options, const GpuSpec& gpu,
                         const Terminal& terminal) {
  const std::string shape =
      std::to_string(options.m) + "x" + std::to_string(options.k) + "x" + std::to_string(options.n);
  std::string text =
      styled("gemm " + shape + " bf16 over " + counted(devices_of(options, gpu), "GPU") + " of " + gpu.name,
             Style::kBold, terminal.colours) +
      "\n" + cases_table(rows, terminal);
  if (rows.size() > kShown) text += "... " + std::to_string(rows.size()) + " in all: --json has them\n";
  return text + "\n" +
         prose(options.pace == kGpuPaces[GpuPace::kOnce] ? "once: before the governor's first tick."
                                                         : "again and again, at the clock that the power limit allows.",
               terminal);
}

LoadedGpu gpu_of(const Options& options) {
  if (options.machine->kind() != MachineKind::kGpu) {
    throw ConfigError("--topology " + options.machine->file() +
                      ": expected a machine file of `kind: gpu`; on PEs: kernbench run universal-gemm");
  }
  note_keys_without_time(options.machine->overrides());
  return load_gpu(options.machine->file(), options.machine->overrides());
}

/// The only one; `usual` where none was named.
std::string planned_one(const std::string& option, const std::vector<std::string>& values, const std::string& usual) {
  if (values.size() > 1) throw ConfigError(option + ": expected one beside --plan, got " + joined(values, " "));
  return values.empty() ? usual : values.front();
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

/// Devices are a machine's GPUs where one is named, and else any.
int run_plan(const Options& options) {
  const std::vector<std::string> methods =
      options.methods.empty() ? std::vector<std::string>{} : split(options.methods, ",");
  DistributedGemm problem{.m = options.m,
                          .k = options.k,
                          .n = options.n,
                          .partitions = parse_partitions(
                              planned_one("--partitions", options.partitions, "block,block,block"), "--partitions"),
                          .replication = replication_of(options.replication),
                          .method = kDistributedMethods.parse(planned_one("--methods", methods, "auto"), "--methods"),
                          .devices = options.gpus > 0 ? static_cast<int>(options.gpus) : kPlannedDevices};
  if (!options.machine->given().empty()) {
    const LoadedGpu gpu = gpu_of(options);
    problem.devices = devices_of(options, gpu.spec);
    require_gpus(problem, gpu.spec);
  }
  deliver_plan(problem, {static_cast<int>(options.prefetch), static_cast<int>(options.outstanding)}, options.child,
               options.output);
  return 0;
}

int run(const Options& options) {
  const bool of_file = !options.measured.empty();
  if (!of_file && (options.m == 0 || options.k == 0 || options.n == 0)) {
    throw ConfigError("--m, --k, --n: expected all three, or --measured FILE");
  }
  if (options.plan) return run_plan(options);
  const LoadedGpu gpu = gpu_of(options);
  const std::string name = of_file ? "sim-universal-gemm-measured" : "sim-universal-gemm";
  Results results =
      parse_results(plan_in_child(options.child,
                                  [&] {
                                    std::vector<Row> rows = of_file ? predict_measured(options.measured, gpu.spec,
                                                                                       rules_of(options.without))
                                                                    : case_rows(options, gpu.spec);
                                    say_without(rows, options.without);
                                    return format_results(as_results(std::move(rows), name, as_machine(gpu)));
                                  }),
                    name);
  options.output.deliver(
      [&](const Terminal& terminal) {
        return of_file ? format_measured(results.rows, terminal)
                       : format_cases(results.rows, options, gpu.spec, terminal);
      },
      results_documents([&] { return results; }));
  return 0;
}

}  // namespace

std::string partitions_text(const DistributedGemm& problem) {
  std::string text;
  for (const Partition partition : problem.partitions) {
    text += (text.empty() ? "" : ",") + std::string(kPartitions[partition]);
  }
  return text;
}

Row row_of_distributed(const DistributedGemm& problem, const GpuDistributed& made, const GpuSpec& gpu) {
  const double tflops = 2e-3 * static_cast<double>(problem.m) * static_cast<double>(problem.k) *
                        static_cast<double>(problem.n) / made.total;
  const double peak = 2e-3 * gpu.tensor.bf16.macs * gpu.sm.count * gpu.sm.clock * problem.devices;
  Row row;
  row.point = {{"m", problem.m},
               {"k", problem.k},
               {"n", problem.n},
               {"dtype", "bf16"},
               {"method", kDistributedMethods[made.method]},
               {"partitions", partitions_text(problem)},
               {"replication", problem.replication[0]},
               {"gpus", problem.devices}};
  row.metrics = {
      {kTime, made.total},
      {kTflops, tflops},
      {kPeakFraction, tflops / peak},
      {kSmClockMhz, made.clock * 1000},
      {kPowerW, made.power},
      {kKernelsTime, made.kernels},
      {kCopiesTime, made.copies},
      {kMostReceived, made.received},
      {kLimitedBy, made.limit()},
      {kCommandCount, made.commands.size() + made.phases.size() * static_cast<std::size_t>(problem.devices)}};
  if (made.phases.empty()) row.metrics.set(kEventCount, made.run.events);
  return row;
}

std::function<int()> sim_universal_gemm_command::set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  const ValueRule dimension = whole_number(1, kLargestDimension);
  command.add_option("--m", options->m, "Rows of A and C").rule(dimension).type_name("M");
  command.add_option("--k", options->k, "Columns of A, rows of B").rule(dimension).type_name("K");
  command.add_option("--n", options->n, "Columns of B and C").rule(dimension).type_name("N");
  command
      .add_option("--gpus,--devices", options->gpus, "GPUs that take part [all; 4 of a --plan that names no machine]")
      .rule(whole_number(1, kMostDevices))
      .type_name("N");
  command
      .add_option("--methods,--method", options->methods,
                  "Which matrix stays where it is; auto: the largest; dtensor: none [all but auto; of a --plan auto]")
      .type_name("LIST");
  command
      .add_option("--partitions", options->partitions,
                  "How A, B and C are cut, as in row,column,row; again for more of them [three usual ones; of a --plan "
                  "block,block,block]")
      .type_name("A,B,C");
  const Option& replications = command
                                   .add_option("--replications", options->replications,
                                               "Copies of each matrix [1, and 2 of an even number of GPUs]")
                                   .type_name("LIST");
  const Option& pace =
      command
          .add_option("--pace", options->pace,
                      "once: before the governor's first tick; again: at the clock that the power limit allows")
          .type_name("once|again")
          .show_default();
  const Option& without =
      command
          .add_option("--without", options->without,
                      "Leaves mechanisms out, to see what each is worth: fetch-order, copy-engine, kernel-order, "
                      "hand-over")
          .type_name("LIST");
  const Option& measured =
      command
          .add_option("--measured", options->measured,
                      "Predicts the rows of this file of measured ones instead, and says how right that is")
          .type_name("FILE")
          .reads();
  const Option& plan =
      command
          .add_flag("--plan", options->plan,
                    "Who multiplies what, and what travels, of one method, partition and replication; runs nothing")
          .excludes(replications)
          .excludes(pace)
          .excludes(without)
          .excludes(measured);
  command.add_option("--replication", options->replication, "Of a --plan: copies of each matrix, or of A, B and C")
      .type_name("R or A,B,C")
      .show_default()
      .needs(plan);
  command
      .add_option("--prefetch", options->prefetch,
                  "Of a --plan: buffers for fetched parts of A, and as many for those of B")
      .rule(whole_number(1, 64))
      .type_name("COUNT")
      .show_default()
      .needs(plan);
  command.add_option("--outstanding", options->outstanding, "Of a --plan: products on their way to each owner")
      .rule(whole_number(1, 64))
      .type_name("COUNT")
      .show_default()
      .needs(plan);
  options->machine = MachineOptions::add_to(command);
  options->child.add_limits(command);
  options->output.add_to(command);
  command.footer(kUniversalGemmExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench
