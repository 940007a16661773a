#include "benches/cli/gpu_distributed.hpp"

#include <algorithm>
#include <memory>

#include "benches/cli/output_options.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/cli/sim_workloads.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/run_report.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/dimension.hpp"

namespace kernbench {
namespace {

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

On PEs: kernbench run universal-gemm. What a method is: docs/distributed-gemm.md.)";

constexpr int kMostGpus = 128;
constexpr std::size_t kShown = 20;

struct Options {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t gpus = 0;
  std::string methods = "stationary_a,stationary_b,stationary_c,dtensor";
  std::vector<std::string> partitions;
  std::string replications;
  std::string pace = "once";
  std::string without;
  std::string measured;
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

std::vector<DistributedGemm> problems(const Options& options, const GpuSpec& gpu) {
  std::vector<std::string> partitions = options.partitions;
  if (partitions.empty()) partitions = {"row,column,row", "column,row,row", "block,block,block"};
  const auto gpus = static_cast<int>(options.gpus > 0 ? options.gpus : static_cast<std::int64_t>(gpu.nvlink.gpus));
  if (gpus < 2) throw ConfigError("sim universal-gemm: expected at least 2 GPUs, " + gpu.name + " is one");
  std::vector<DistributedGemm> all;
  const std::string usual = gpus % 2 == 0 ? "1,2" : "1";
  for (std::string replication : split(options.replications.empty() ? usual : options.replications, ",")) {
    if (const std::string wrong = whole_number(1, kMostGpus).read(replication); !wrong.empty()) {
      throw ConfigError("--replications " + in_quotes(replication) + ": " + wrong);
    }
    const int copies = std::stoi(replication);
    for (const std::string& triple : partitions) {
      for (const std::string& method : split(options.methods, ",")) {
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

std::string cases_table(const std::vector<Row>& rows, const Look& look) {
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
    const auto us = [&](const char* name) { return formatted("%.1f", row.metrics.at(name).get<double>() / 1000); };
    const auto text = [&](const char* name) { return row.point.at(name).get<std::string>(); };
    table.add_row({text("method"), text("partitions"), std::to_string(row.point.at("replication").get<int>()),
                   us("time_ns"), percent(row.metrics.at("peak_fraction").get<double>()), us("kernels_ns"),
                   us("copies_ns"), row.metrics.at("limited_by").get<std::string>()});
  }
  return table.format(look);
}

int run_cases(const Options& options, const LoadedGpu& gpu) {
  if (options.m == 0 || options.k == 0 || options.n == 0) {
    throw ConfigError("--m, --k, --n: expected all three, or --measured FILE");
  }
  const GpuPace pace = kGpuPaces.parse(options.pace, "--pace");
  const GpuCommandRules rules = rules_of(options.without);
  std::vector<Row> rows;
  int gpus = 0;
  for (const DistributedGemm& problem : problems(options, gpu.spec)) {
    rows.push_back(row_of_distributed(problem, gpu_distributed(problem, gpu.spec, pace, rules), gpu.spec));
    rows.back().point["pace"] = options.pace;
    gpus = problem.devices;
  }
  say_without(rows, options.without);
  std::ranges::stable_sort(rows, {}, [](const Row& row) { return row.metrics.at("time_ns").get<double>(); });
  const auto tables = [&](const Look& look) {
    const std::string shape =
        std::to_string(options.m) + "x" + std::to_string(options.k) + "x" + std::to_string(options.n);
    std::string text = styled("gemm " + shape + " bf16 over " + counted(gpus, "GPU") + " of " + gpu.spec.name,
                              Style::kBold, look.colours) +
                       "\n" + cases_table(rows, look);
    if (rows.size() > kShown) text += "... " + std::to_string(rows.size()) + " in all: --json has them\n";
    return text + "\n" +
           prose(pace == GpuPace::kOnce ? "once: before the governor's first tick."
                                        : "again and again, at the clock that the power limit allows.",
                 look);
  };
  options.output.deliver(tables,
                         results_documents([&] { return as_results(rows, "sim-universal-gemm", as_machine(gpu)); }));
  return 0;
}

int run(const Options& options) {
  if (options.machine->kind() != MachineKind::kGpu) {
    throw ConfigError("--topology " + options.machine->file() +
                      ": expected a machine file of `kind: gpu`; on PEs: kernbench run universal-gemm");
  }
  note_keys_without_time(options.machine->overrides());
  const LoadedGpu gpu = load_gpu(options.machine->file(), options.machine->overrides());
  if (options.measured.empty()) return run_cases(options, gpu);
  std::vector<Row> rows = predict_measured(options.measured, gpu.spec, rules_of(options.without));
  say_without(rows, options.without);
  options.output.deliver([&](const Look& look) { return format_measured(rows, look); }, results_documents([&] {
                           return as_results(rows, "sim-universal-gemm-measured", as_machine(gpu));
                         }));
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
  row.metrics = {{"time_ns", made.total},          {"tflops", tflops},
                 {"peak_fraction", tflops / peak}, {"sm_clock_mhz", made.clock * 1000},
                 {"power_w", made.power},          {"kernels_ns", made.kernels},
                 {"copies_ns", made.copies},       {"received_bytes", made.received},
                 {"limited_by", made.limit()},     {"commands", made.commands.size()},
                 {"events", made.run.events}};
  return row;
}

std::function<int()> sim_universal_gemm_command::set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  const ValueRule dimension = whole_number(1, kLargestDimension);
  command.add_option("--m", options->m, "Rows of A and C").rule(dimension).type_name("M");
  command.add_option("--k", options->k, "Columns of A, rows of B").rule(dimension).type_name("K");
  command.add_option("--n", options->n, "Columns of B and C").rule(dimension).type_name("N");
  command.add_option("--gpus", options->gpus, "GPUs that take part [all]").rule(whole_number(1, kMostGpus));
  command.add_option("--methods", options->methods, "Which matrix stays where it is; auto: the largest; dtensor: none")
      .type_name("LIST")
      .show_default();
  command
      .add_option("--partitions", options->partitions,
                  "How A, B and C are cut, as in row,column,row; again for more of them [three usual ones]")
      .type_name("A,B,C");
  command
      .add_option("--replications", options->replications, "Copies of each matrix [1, and 2 of an even number of GPUs]")
      .type_name("LIST");
  command
      .add_option("--pace", options->pace,
                  "once: before the governor's first tick; again: at the clock that the power limit allows")
      .type_name("once|again")
      .show_default();
  command
      .add_option("--without", options->without,
                  "Leaves mechanisms out, to see what each is worth: fetch-order, copy-engine, kernel-order, hand-over")
      .type_name("LIST");
  command
      .add_option("--measured", options->measured,
                  "Predicts the rows of this file of measured ones instead, and says how right that is")
      .type_name("FILE")
      .reads();
  options->machine = MachineOptions::add_to(command);
  options->output.add_to(command);
  command.footer(kUniversalGemmExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench
