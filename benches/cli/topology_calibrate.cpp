// `kernbench topology calibrate`: the numbers of a GPU's file, fitted to measured products.
#include <algorithm>
#include <memory>
#include <numeric>

#include "benches/cli/output_options.hpp"
#include "benches/cli/topology_commands.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/key_names.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/progress.hpp"
#include "benches/io/text/shell.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/measured/calibrate/write_calibrated.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/system/model_version.hpp"

namespace kernbench {
namespace {

constexpr Metric<bool> kAtItsLimit{"at_its_limit"};
constexpr Metric<std::string> kNumberBefore{"before"};
constexpr Metric<std::string> kNumberFitted{"fitted"};
constexpr Metric<std::string> kNumberGroup{"group"};
constexpr Metric<std::int64_t> kTimeCount{"times"};
constexpr Metric<std::string> kReason{"why"};

constexpr const char* kCalibrateExamples = R"(Examples:
  kernbench topology calibrate gemm.json --base topology/h200.yaml --out my_h200.yaml
  kernbench topology calibrate gemm.json more.json --base topology/h200.yaml --groups library
  kernbench topology calibrate gemm.json --base topology/h200.yaml --set l2.request='0 ns'     what a part of the model is worth

Rows: {"rows": [{"m": 8192, "n": 1024, "k": 4096, "dtype": "bf16", "warm_burst_us": 60.1, "hbm_burst_us": 61.2,
"warm_steady_us": 70.3, "sm_mhz": 1500, "kernels": [{"name": "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NNT"}]}]}
Each time may be left out. Fitted are numbers that the base has as `from: fit`, each from a quarter of what it is to four
times that; all others stay. "held out": each family of shapes as it is predicted by a fit to the others.)";

struct CalibrateOptions {
  std::vector<std::filesystem::path> rows;
  std::string base;
  std::vector<std::string> overrides;
  std::filesystem::path out;
  std::vector<std::string> groups;
  std::vector<std::string> only;
  std::int64_t budget = 6000;
  std::int64_t seed = 1;
  bool no_held_out = false;
  OutputOptions output;
};

/// A point of the bar for every so many trials.
class TrialProgress {
 public:
  static constexpr std::size_t kTrialsOfPoint = 100;

  TrialProgress(std::size_t fits, std::size_t trials)
      : points_((trials + kTrialsOfPoint - 1) / kTrialsOfPoint),
        progress_("calibrate", fits * points_, 0, static_cast<double>(fits * points_), Progress::Shows::kBar) {}

  void tried(std::size_t trials) {
    trials_ += trials;
    while (trials_ >= kTrialsOfPoint && done_ < points_) {
      trials_ -= kTrialsOfPoint;
      point();
    }
  }
  /// A fit that stood still early leaves its other trials out.
  void fit_done() {
    while (done_ < points_) point();
    done_ = trials_ = 0;
  }

 private:
  void point() {
    ++done_;
    progress_.point_done("", 1, false);
  }

  std::size_t points_;
  std::size_t trials_ = 0;
  std::size_t done_ = 0;
  Progress progress_;
};

struct CalibrateReport {
  const LoadedGpu* base = nullptr;
  const CalibrationRows* rows = nullptr;
  const Calibration* calibration = nullptr;
  CalibratedMachines machines;
  std::vector<CalibrationPart> parts;
};

/// A line for each reason, with the keys that it keeps of all that are fitted.
std::string kept_words(const Calibration& calibration) {
  const std::vector<KeptNumber>& kept = calibration.kept();
  std::vector<std::string> reasons;
  for (const KeptNumber& one : kept) {
    if (std::ranges::find(reasons, one.why) == reasons.end()) reasons.push_back(one.why);
  }
  std::string text;
  for (const std::string& why : reasons) {
    std::vector<NamedKey> keys;
    for (const KeptNumber& one : kept) keys.push_back({one.path, one.why == why});
    for (const FittedNumber& one : calibration.numbers()) keys.push_back({std::string(one.key->path), false});
    text += "\n  " + why + ": " + names_by_section(keys);
  }
  return text;
}

std::vector<CalibrationGroup> groups_of(const CalibrateOptions& options) {
  std::vector<CalibrationGroup> groups;
  for (const std::string& name : options.groups) groups.push_back(kCalibrationGroups.parse(name, "--groups"));
  if (groups.empty()) {
    groups = {CalibrationGroup::kProducts, CalibrationGroup::kLibrary};
  }
  return groups;
}

/// Fits to all rows, then to all but each family.
CalibratedMachines fitted_machines(const CalibrateOptions& options, const LoadedGpu& base, const CalibrationRows& rows,
                                   const Calibration& calibration, TrialProgress& progress) {
  std::vector<std::size_t> all(rows.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  CalibratedMachines machines{base.spec, calibration.fitted_to(all), {}, {}};
  progress.fit_done();
  if (options.no_held_out) return machines;
  const std::vector<std::string> families = families_of(rows);
  if (families.size() < 2) throw ConfigError("all rows are of one family: expected --no-held-out");
  for (const std::string& family : families) {
    std::vector<std::size_t> others;
    std::ranges::copy_if(all, std::back_inserter(others),
                         [&](std::size_t row) { return rows.rows[row].family != family; });
    machines.held_out.push_back(calibration.fitted_to(others));
    progress.fit_done();
  }
  for (const CalibrationRow& row : rows.rows) {
    machines.machine_of.push_back(static_cast<std::size_t>(std::ranges::find(families, row.family) - families.begin()));
  }
  return machines;
}

std::string written(const FittedNumber& number, const GpuSpec& gpu) {
  GpuSpec copy = gpu;
  const GpuKey& key = *number.key;
  return format_quantity(rounded_number(key, key.ref(copy)), key.dimension);
}

bool is_at_its_limit(const FittedNumber& number, const CalibrateReport& report) {
  GpuSpec before = report.machines.before;
  GpuSpec after = report.machines.after;
  return at_its_limit(*number.key, number.key->ref(before), number.key->ref(after));
}

std::string calibrated_errors_table(const CalibrateReport& report, const Terminal& terminal) {
  const bool held_out = !report.machines.held_out.empty();
  Table table({{""},
               {""},
               {"times", Align::kRight},
               {"before: mean", Align::kRight},
               {"fitted: mean", Align::kRight},
               {"median", Align::kRight, 2},
               {"p90", Align::kRight, 1},
               {"bias", Align::kRight, 3},
               {"held out: mean", Align::kRight},
               {"median", Align::kRight, 2},
               {"p90", Align::kRight, 1}});
  std::string before;
  for (const CalibrationPart& part : report.parts) {
    const auto held = [&](double value) { return held_out ? percent(value) : std::string("-"); };
    table.add_row({part.what == before ? "" : part.what, part.value,
                   grouped(static_cast<std::int64_t>(part.after.rows)), percent(part.before.mean),
                   percent(part.after.mean), percent(part.after.median), percent(part.after.p90),
                   formatted("%+.1f %%", part.after.bias * 100), held(part.held_out.mean), held(part.held_out.median),
                   held(part.held_out.p90)});
    before = part.what;
  }
  return table.format(terminal);
}

std::string numbers_table(const CalibrateReport& report, const Terminal& terminal) {
  Table table(
      {{"number"}, {"before", Align::kRight}, {"fitted", Align::kRight}, {"rows", Align::kRight}, {"group"}, {""}});
  bool limited = false;
  for (const FittedNumber& number : report.calibration->numbers()) {
    const bool limit = is_at_its_limit(number, report);
    limited |= limit;
    table.add_row({std::string(number.key->path), report.base->origins.at(std::string(number.key->path)).written,
                   written(number, report.machines.after), std::to_string(number.rows.size()),
                   std::string(kCalibrationGroups[number.group]),
                   limit ? TableCell("at its limit", Style::kYellow) : TableCell("")});
  }
  std::string text = table.format(terminal);
  if (limited) {
    text += "\n" + prose(
                       "at its limit: a quarter of the base's number, four times it, or what the key may be; the rows "
                       "would go further. Give a base that is nearer, or --set the number and fit the others.",
                       terminal);
  }
  return text;
}

std::string calibration_tables(const CalibrateReport& report, const CalibrateOptions& options,
                               const Terminal& terminal) {
  const CalibrationRows& rows = *report.rows;
  std::string text = styled("calibration of " + report.base->spec.name, Style::kBold, terminal.colours) + "\n" +
                     fact("rows", std::to_string(rows.rows.size()) + " of " + names_of_files(rows), terminal);
  for (const auto& [why, count] : rows.left_out) text += fact("not used", std::to_string(count) + ": " + why, terminal);
  text += "\n" + calibrated_errors_table(report, terminal) + "\n" + numbers_table(report, terminal);
  if (const std::string kept = kept_words(*report.calibration); !kept.empty()) {
    text += "\n" + prose("fitted before, and kept:" + kept, terminal);
  }
  text +=
      "\n" + prose(
                 "before: the base's numbers, which may have seen these rows. held out: each family of shapes, as a "
                 "fit to the others predicts it. With the kernels that were launched, but \"kernel by rule\".",
                 terminal);
  if (!options.out.empty()) text += fact("written", options.out.string(), terminal);
  return text;
}

void put_error(Metrics& metrics, const std::string& before, const ErrorSummary& error) {
  if (error.rows == 0) return;
  metrics.set(prefixed(before, kMeanOfErrors), error.mean);
  metrics.set(prefixed(before, kMedianOfErrors), error.median);
  metrics.set(prefixed(before, kP90OfErrors), error.p90);
  metrics.set(prefixed(before, kBias), error.bias);
}

Results calibration_results(const CalibrateReport& report) {
  Results results;
  results.bench = "gpu-calibration";
  results.source = {"sim", report.base->spec.name, report.base->sha256, kModelVersion, "1", {}};
  const auto add = [&](Json point) -> Row& {
    Row& row = results.rows.emplace_back();
    row.point = std::move(point);
    return row;
  };
  for (const CalibrationPart& part : report.parts) {
    Row& row = add({{"table", "errors"}, {"part", part.what}, {"value", part.value}});
    row.metrics.set(kTimeCount, part.after.rows);
    put_error(row.metrics, "before_", part.before);
    put_error(row.metrics, "", part.after);
    put_error(row.metrics, "held_out_", part.held_out);
  }
  for (const FittedNumber& number : report.calibration->numbers()) {
    const std::string path(number.key->path);
    add({{"table", "numbers"}, {"number", path}}).metrics = {{kNumberBefore, report.base->origins.at(path).written},
                                                             {kNumberFitted, written(number, report.machines.after)},
                                                             {kRowCount, number.rows.size()},
                                                             {kNumberGroup, kCalibrationGroups[number.group]},
                                                             {kAtItsLimit, is_at_its_limit(number, report)}};
  }
  for (const KeptNumber& one : report.calibration->kept()) {
    add({{"table", "kept"}, {"number", one.path}}).metrics.set(kReason, one.why);
  }
  for (const auto& [why, count] : report.rows->left_out) {
    add({{"table", "not_used"}, {"why", why}}).metrics.set(kRowCount, count);
  }
  return results;
}

std::string heading_of(const CalibrateOptions& options, const CalibrationRows& rows) {
  std::string line = "Calibrated: kernbench topology calibrate";
  for (const CalibrationFile& file : rows.files) line += " " + quoted_for_shell(file.name);
  line += " --base " + quoted_for_shell(std::filesystem::path(options.base).filename().string());
  for (const std::string& one : options.overrides) line += " --set " + quoted_for_shell(one);
  if (!options.groups.empty()) line += " --groups " + joined(options.groups, ",");
  if (!options.only.empty()) line += " --only " + joined(options.only, ",");
  return line + " --budget " + std::to_string(options.budget) + " --seed " + std::to_string(options.seed);
}

int run_calibrate(const CalibrateOptions& options) {
  const std::vector<CalibrationGroup> groups = groups_of(options);
  const LoadedGpu base = load_gpu(options.base, options.overrides);
  const CalibrationRows rows = read_calibration_rows(options.rows, base.spec);
  TrialProgress* told = nullptr;
  const Calibration calibration(base, rows,
                                {.groups = groups,
                                 .budget = static_cast<std::size_t>(options.budget),
                                 .seed = static_cast<std::uint32_t>(options.seed),
                                 .only = options.only,
                                 .tried = [&told](std::size_t trials) { told->tried(trials); }});
  CalibrateReport report{&base, &rows, &calibration, {}, {}};
  {
    TrialProgress progress(1 + (options.no_held_out ? 0 : families_of(rows).size()), calibration.trials());
    told = &progress;
    report.machines = fitted_machines(options, base, rows, calibration, progress);
  }
  report.parts = calibration_parts(rows, report.machines);
  if (!options.out.empty()) {
    write_calibrated({options.base, options.out, heading_of(options, rows)}, base, rows, calibration,
                     report.machines.after);
  }
  options.output.deliver([&](const Terminal& terminal) { return calibration_tables(report, options, terminal); },
                         results_documents([&] { return calibration_results(report); }));
  return 0;
}

}  // namespace

std::function<int()> topology_calibrate_command::set_up(CommandSpec& command) {
  auto options = std::make_shared<CalibrateOptions>();
  command.add_option("ROWS", options->rows, "Measured products, with times and the kernels that were launched")
      .required()
      .type_name("FILE...")
      .reads();
  command.add_option("--base", options->base, "The GPU's file whose numbers are fitted, from where they are")
      .required()
      .type_name("FILE")
      .reads();
  command.add_option("--out", options->out, "Write the file with the fitted numbers")
      .rule(file_to_write())
      .type_name("FILE")
      .writes();
  command.add_option("--set", options->overrides, "A number that is held at this value")
      .type_name("KEY=VALUE")
      .one_value_each();
  command
      .add_option("--groups", options->groups,
                  "What is fitted: times and clocks of products, how the library chooses [all]")
      .rule(one_of({"products", "power", "library"}))
      .type_name("GROUP,...")
      .separated_by(',');
  command.add_option("--only", options->only, "Of these only those, each a key or a section")
      .type_name("KEY,...")
      .separated_by(',');
  command
      .add_option("--budget", options->budget,
                  "At most so many trials of a fit to products; a twentieth of it for the library")
      .rule(whole_number(20, 10'000'000))
      .type_name("N")
      .show_default();
  command.add_option("--seed", options->seed, "The same seed, the same answer")
      .rule(whole_number(0, 4'000'000'000))
      .type_name("N")
      .show_default();
  command.add_flag("--no-held-out", options->no_held_out, "Fit to all rows only: a seventh of the time");
  options->output.add_to(command);
  command.footer(kCalibrateExamples);
  return [options] { return run_calibrate(*options); };
}
}  // namespace kernbench
