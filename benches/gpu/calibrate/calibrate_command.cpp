// `kernbench-gpu calibrate`: probes of this machine's GPU to a machine file.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "benches/gpu/calibrate/probe_bench.hpp"
#include "benches/gpu/options.hpp"
#include "benches/gpu/run_cases.hpp"
#include "benches/io/files/write_file.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/program/program.hpp"
#include "benches/io/text/terminal.hpp"
#include "benches/measured/probes/probe_cases.hpp"
#include "benches/measured/probes/probed_gpu.hpp"
#include "benches/measured/reference/device.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/errors.hpp"

namespace kernbench::gpu {
namespace {

constexpr std::size_t kLargestRows = std::size_t{64} << 20U;

struct CalibrateOptions {
  Options measuring;
  std::string out;
  std::string base = "topology/h200.yaml";
  std::string rows;
  std::string rows_out = "out/gpu/probes.json";
  bool wide = false;
  ChoiceOptions choice;
};

int measure_probes(const CalibrateOptions& options) {
  Options measuring = options.measuring;
  measuring.out = options.rows_out;
  const ProbeBench bench;
  return run_cases(measuring, kProbeBench,
                   probe_cases(static_cast<int>(read_facts(0).sms), visible_gpus(), measuring.smoke),
                   [&bench](const PlannedCase& planned, Row& row) { bench.measure(planned, row); });
}

void tell_rows_without_numbers(const Results& rows) {
  for (const Row& row : rows.rows) {
    if (row.status != "ok")
      std::printf("%s: %s: %s\n", row.status.c_str(), row.point.dump().c_str(), row.reason.c_str());
  }
}

int calibrate(const CalibrateOptions& options) {
  if (options.out.empty()) throw ConfigError("--out: expected the machine file to write, such as my_gpu.yaml");
  if (std::filesystem::exists(options.base) && !is_gpu_file(options.base)) {
    throw ConfigError("--base: expected the machine file of a GPU (kind: gpu), such as topology/h200.yaml, got " +
                      options.base);
  }
  const LoadedGpu base = load_gpu(options.base);
  const bool measures = options.rows.empty();
  const int code = measures ? measure_probes(options) : 0;
  const std::string file = measures ? options.rows_out : options.rows;
  const Results rows = parse_results(read_file(file, kLargestRows), file);
  const std::vector<ChosenNumber> numbers = choose_numbers(probe_findings(rows, file, base.spec), base, options.choice);
  const std::string device = probed_device(rows, file);
  const std::string when = rows.provenance.value("created_at", "").substr(0, 10);
  write_gpu_file(options.out,
                 format_gpu_file(numbers, device_slug(device),
                                 device + " as a simulated machine: probes" + (when.empty() ? "" : " of " + when) +
                                     ", and " + base.spec.name + " where none measures what a key means."));
  std::fputs(choice_table(numbers).format(stdout_terminal(options.wide)).c_str(), stdout);
  tell_rows_without_numbers(rows);
  std::printf("\n%s: written; `kernbench topology check %s` reads it\n", options.out.c_str(), options.out.c_str());
  return code;
}

constexpr const char* kNotes = R"(Examples:
  kernbench-gpu calibrate --out my_gpu.yaml                      half a minute of probes, then the file
  kernbench-gpu calibrate --out my_gpu.yaml --rows probes.json   the file anew, from saved rows, without a GPU
  kernbench sim gemm --topology my_gpu.yaml --m 4096 --k 4096 --n 4096 --dtype bf16

Each number is shown beside the base's. A key takes what the driver says; else what a probe measured, where that is what
the key means; else the base's number. The column `takes` says which, and so does `from` in the file. Probes that measure
something near a key (an empty kernel is no product) are shown and not taken: --take KEY does. The file appears whole,
after it has been read back. docs/gpu-probes.md explains each probe.

Exit codes: 0 all well, 1 a probe failed (its keys are the base's), 2 wrong input and nothing written.)";

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<CalibrateOptions>();
  options->measuring.budget_s = 120;
  command.add_option("--out", options->out, "Machine file to write").rule(file_to_write()).writes();
  command.add_option("--base", options->base, "GPU's file whose numbers stay where no probe has them")
      .show_default()
      .reads();
  Option& rows =
      command.add_option("--rows", options->rows, "Take saved rows instead of measuring (needs no GPU)").reads();
  command.add_option("--rows-out", options->rows_out, "File for the rows; its folder is made")
      .excludes(rows)
      .show_default()
      .writes();
  command
      .add_option("--budget", options->measuring.budget_s,
                  "Seconds until measuring ends; probes that do not fit are counted as skipped")
      .rule(decimal_number(0.001, 1e9))
      .show_default();
  command
      .add_option("--take", options->choice.take,
                  "Keys, or all: take what a probe says though it measures another thing")
      .separated_by(',');
  command.add_option("--keep", options->choice.keep, "Keys that stay the base's").separated_by(',');
  command.add_flag("--wide", options->wide, "All columns of the table: why each number was taken");
  command.add_flag("--smoke", options->measuring.smoke, "A few short probes only, to see that all works");
  command.add_flag("--list", options->measuring.list,
                   "Print the probes of as many GPUs and SMs as the base has, and measure nothing");
  command.footer(kNotes);
  return [options] {
    if (!options->measuring.list) return calibrate(*options);
    const GpuSpec base = load_gpu(options->base).spec;
    const int gpus = base.nvlink.given ? static_cast<int>(base.nvlink.gpus) : 1;
    return list_cases(probe_cases(static_cast<int>(base.sm.count), gpus, options->measuring.smoke));
  };
}

const bool registered = register_command({70, "calibrate", "Probes of a GPU to a machine file", set_up});

}  // namespace
}  // namespace kernbench::gpu
