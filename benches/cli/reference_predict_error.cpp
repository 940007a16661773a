// `kernbench reference predict error`: the error of a predictor of GEMM throughput on rows held out by group.
#include <algorithm>
#include <memory>

#include "benches/cli/answer_outputs.hpp"
#include "benches/cli/output_options.hpp"
#include "benches/cli/reference_predict_commands.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/shell.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/measured/predictor/error_report.hpp"
#include "benches/results/figures/page_table.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench::reference_predict_error_command {
namespace {

constexpr const char* kErrorExamples = R"(Examples:
  kernbench reference predict error benches/reference/nvidia-h200/gemm.json
  kernbench reference predict error benches/reference/nvidia-h200/gemm.json --only backend=cublaslt,l2=flushed --group family
  kernbench reference predict error benches/gemm/results --only layout=blocked --group k --out out/predicted
  kernbench reference predict error times.csv --with dtype=fp16 --peaks device.json --simulated out/gemm

A group of rows is held out, a predictor learns from the others, and says what the group takes; so for every group, in
at most ten folds. "random" is the error on the same rows where single rows are held out instead: then others of the
same shape are known, and the error looks smaller than it is for a new shape. Rows outside the range of the others are
refused, and their errors are not in the columns. Errors are |predicted / actual - 1| of the time; the bias is the
geometric mean of predicted / actual, less 1.

The second table holds the predictor against other models on the same rows: the roofline of the card beside the rows,
or of --peaks, and --simulated rows; each as it is, and times one constant that is fitted on training rows.)";

struct ErrorOptions {
  PredictorOptions predictor;
  std::string group = "shape";
  std::filesystem::path peaks;
  std::filesystem::path simulated;
  std::string simulated_only;
  std::filesystem::path out;
  OutputOptions output;
};

constexpr const char* kReportName = "predict-error";

OtherModels other_models(const ErrorOptions& options) {
  OtherModels others;
  const std::vector<std::filesystem::path>& paths = options.predictor.rows().paths;
  std::optional<std::filesystem::path> peaks;
  if (!options.peaks.empty()) {
    peaks = options.peaks;
  } else if (paths.size() == 1) {
    peaks = card_beside(gemm_rows_file(paths.front()));
  }
  if (peaks) others.peaks = read_peaks(*peaks);
  if (!options.simulated.empty()) {
    const std::filesystem::path simulated = gemm_rows_file(options.simulated);
    const auto is_same = [&](const std::filesystem::path& rows) {
      std::error_code unknown;
      return std::filesystem::equivalent(gemm_rows_file(rows), simulated, unknown);
    };
    if (std::ranges::any_of(paths, is_same)) {
      throw ConfigError("--simulated " + options.simulated.string() +
                        ": these are the rows themselves: expected those of a simulator, of the same shapes");
    }
    others.simulated.emplace(read_gemm_rows(
        {.paths = {options.simulated}, .only = options.simulated_only, .with = options.predictor.rows().with}));
  }
  return others;
}

std::vector<TableCell> error_cells(const ErrorSummary& errors) {
  if (errors.rows == 0) return {"-", "-", "-"};
  return {percent(errors.median), percent(errors.p90), formatted("%+.1f %%", errors.bias * 100)};
}

std::string errors_table(const ErrorReport& report, const Terminal& terminal) {
  Table table({{""},
               {"", Align::kLeft},
               {"rows", Align::kRight},
               {"refused", Align::kRight},
               {"median", Align::kRight},
               {"p90", Align::kRight},
               {"bias", Align::kRight},
               {"random: median", Align::kRight},
               {"random: p90", Align::kRight}});
  std::string before;
  for (const ErrorPart& part : report.parts) {
    std::vector<TableCell> cells{part.what == before ? "" : part.what, part.value,
                                 grouped(static_cast<std::int64_t>(part.held_out.rows)),
                                 grouped(static_cast<std::int64_t>(part.refused.rows + part.unknown))};
    for (TableCell& cell : error_cells(part.held_out)) cells.push_back(std::move(cell));
    std::vector<TableCell> random = error_cells(part.random);
    cells.push_back(random[0]);
    cells.push_back(random[1]);
    table.add_row(std::move(cells));
    before = part.what;
  }
  return table.format(terminal);
}

std::string models_table(const ErrorReport& report, const Terminal& terminal) {
  Table table({{"model"},
               {"rows", Align::kRight},
               {"median", Align::kRight},
               {"p90", Align::kRight},
               {"bias", Align::kRight},
               {.title = "", .rank = 0, .wraps = true}});
  for (const ComparedModel& model : report.models) {
    const ErrorSummary errors = model.errors.value_or(ErrorSummary{});
    std::vector<TableCell> cells{model.name,
                                 model.errors ? grouped(static_cast<std::int64_t>(errors.rows)) : std::string("-")};
    for (TableCell& cell : error_cells(errors)) cells.push_back(std::move(cell));
    cells.emplace_back(printable(model.note));
    table.add_row(std::move(cells));
  }
  return table.format(terminal);
}

std::string tables_of(const ErrorReport& report, const GemmRows& rows, const Terminal& terminal) {
  std::string text = prose(printable(joined(rows.sources)), terminal);
  std::string counts = counted(static_cast<std::int64_t>(rows.rows.size()), "row") + ", held out by " +
                       report.grouping + " (" + report.meaning + "): " + std::to_string(report.groups) + " groups in " +
                       std::to_string(report.folds) + " folds, seed " + std::to_string(report.seed);
  if (rows.left_out > 0) {
    counts += "; " + counted(static_cast<std::int64_t>(rows.left_out), "row") + " failed or skipped are left out";
  }
  text += prose(counts, terminal) + "\n" + errors_table(report, terminal);
  const ErrorSummary& refused = report.parts.front().refused;
  if (refused.rows > 0) {
    text += prose("Refused rows, had they been answered: median error " + percent(refused.median) +
                      ", 90th percentile " + percent(refused.p90) + ".",
                  terminal);
  }
  return text + "\n" + models_table(report, terminal);
}

std::string headline_of_errors(const ErrorReport& report) {
  const ErrorPart& all = report.parts.front();
  return "Held out by " + report.grouping + ", half of the predictions are within " + percent(all.held_out.median) +
         " of the row's time and nine of ten within " + percent(all.held_out.p90) + "; with single rows held out " +
         percent(all.random.median) + " and " + percent(all.random.p90) + ".";
}

std::string command_of(const ErrorOptions& options) {
  std::string line = "kernbench reference predict error" + options.predictor.given() + " --group " + options.group;
  const auto add = [&line](const char* option, const std::string& value) {
    if (!value.empty()) line += std::string(" ") + option + " " + quoted_for_shell(value);
  };
  add("--peaks", options.peaks.string());
  add("--simulated", options.simulated.string());
  add("--simulated-only", options.simulated_only);
  return line;
}

void write_errors(const ErrorOptions& options, const ErrorReport& report, const GemmRows& rows) {
  const Results errors = error_results(report, rows);
  const Results held_out = held_out_results(report, rows);
  std::vector<NewFile> files;
  for (const auto& [results, stem] : {std::pair(&errors, "tables/errors"), std::pair(&held_out, "tables/held_out")}) {
    for (NewFile& file : result_files(*results, stem)) files.push_back(std::move(file));
  }
  write_report({kReportName,
                {.title = "A predictor of GEMM throughput: " + joined(rows.sources),
                 .headline = headline_of_errors(report),
                 .command = command_of(options)},
                joined(rows.sources),
                report.parts.front().held_out.rows > 0 ? std::vector<Figure>{held_out_figure(report, rows)}
                                                       : std::vector<Figure>{},
                page_tables(errors, {}, {"rows", "refused", "median_error", "p90_error", "bias"}),
                std::move(files)},
               options.out);
}

int run_error(const ErrorOptions& options) {
  if (!options.out.empty()) check_answer_folder(options.out, kReportName);
  const Grouping& grouping = find_grouping(options.group);
  const GemmRows rows = options.predictor.read();
  const ErrorReport report = error_report(rows, grouping, options.predictor.seed(), other_models(options));
  if (!options.out.empty()) write_errors(options, report, rows);
  options.output.deliver([&](const Terminal& terminal) { return tables_of(report, rows, terminal); },
                         results_documents([&] { return error_results(report, rows); }));
  return 0;
}

std::vector<std::string> grouping_names() {
  std::vector<std::string> names;
  for (const Grouping& grouping : groupings()) names.push_back(grouping.name);
  return names;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<ErrorOptions>();
  options->predictor.add_to(command, "ROWS");
  command.add_option("--group", options->group, "What rows of a group have in common: they are held out together")
      .rule(one_of(grouping_names()))
      .type_name("GROUPING")
      .show_default();
  command
      .add_option("--peaks", options->peaks,
                  "Roofline of this device's card or machine file (of one PE) [the device.json beside the rows]")
      .type_name("FILE")
      .reads();
  command
      .add_option("--simulated", options->simulated,
                  "Simulated rows of the same shapes, of a machine that models the device")
      .type_name("PATH")
      .reads();
  command.add_option("--simulated-only", options->simulated_only, "Of these only rows with these values")
      .type_name("FIELD=VALUE,...");
  command.add_option("--out", options->out, "Write tables, the figure and a page into this folder")
      .type_name("DIR")
      .writes_folder();
  options->output.add_to(command);
  command.footer(kErrorExamples);
  return [options] { return run_error(*options); };
}

}  // namespace kernbench::reference_predict_error_command
