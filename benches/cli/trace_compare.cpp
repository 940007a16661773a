// `kernbench trace compare`: several runs or sweeps side by side.
#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "benches/cli/answer_outputs.hpp"
#include "benches/cli/trace_commands.hpp"
#include "benches/cli/trace_options.hpp"
#include "benches/cli/trace_reference.hpp"
#include "benches/cli/written_text.hpp"
#include "benches/io/text/shell.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/traces/report/differences.hpp"
#include "benches/traces/report/runs.hpp"
#include "benches/traces/report/trace_figures.hpp"
#include "benches/traces/report/trace_report.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench::trace_compare_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench trace compare before/ after/ --out compare
  kernbench trace compare a/ b/ c/ --labels 'main,my branch,other' --out compare

Each argument is a run or sweep of its own; the first is what the others are compared with. tables/differences.csv has every
value beside the first's: the difference, in percent, and whether it is beyond the spread of the ranks.)";

struct Options {
  TraceOptions traces;
  std::vector<std::string> labels;
  std::filesystem::path out;
};

/// What each run is called: its label, else its path.
std::vector<std::string> labels_of(const Options& options) {
  const std::size_t count = options.traces.paths().size();
  if (count < 2) throw ConfigError("trace compare: expected two or more runs, such as before/ after/");
  std::vector<std::string> labels = options.labels;
  if (labels.empty()) {
    for (const std::filesystem::path& path : options.traces.paths()) labels.push_back(printable(path.string()));
  }
  if (labels.size() != count) {
    throw ConfigError("--labels: expected " + std::to_string(count) + " labels, one a run, got " +
                      std::to_string(labels.size()));
  }
  for (auto label = labels.begin(); label != labels.end(); ++label) {
    if (label->empty()) throw ConfigError("--labels: expected a text for each run, got an empty one");
    if (std::find(labels.begin(), label, *label) != label) {
      throw ConfigError("--labels: " + in_quotes(*label) + " twice: expected a label of its own for each run");
    }
  }
  return labels;
}

void run(const Options& options) {
  const std::string name = "trace-compare";
  const std::vector<std::string> labels = labels_of(options);
  check_answer_folder(options.out, name);
  const std::vector<traces::PlacedTrace> all = traces::label_runs(options.traces.read_each(), labels);
  std::vector<traces::TraceTable> tables = traces::report_tables(all, options.traces.selection());
  for (traces::TraceTable& table : traces::compared_reason_tables(all, options.traces.selection(), reference_times())) {
    tables.push_back(std::move(table));
  }
  const std::string source = traces::report_source(all, options.traces.selection());
  const std::vector<Figure> figures = traces::trace_figures(tables, source);
  tables.insert(tables.begin(), traces::differences_table(tables));
  std::string command = "kernbench trace compare " + options.traces.given();
  if (!options.labels.empty()) command += " --labels " + quoted_for_shell(joined(options.labels, ","));
  const PageText text{.title = "Traces compared: " + joined(labels),
                      .headline = traces::differences_headline(tables.front()),
                      .command = command,
                      .warnings = traces::report_warnings(all, tables)};
  const auto files = write_report(
      {name, text, source, figures, traces::trace_page_tables(tables), traces::table_files(tables)}, options.out);
  std::cout << prose(text.headline, stdout_terminal(false)) << written_text(files, options.out, false);
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  options->traces.add_reading(command);
  options->traces.add_selection(command);
  command.add_option("--labels", options->labels, "What the runs are called [their paths]")
      .type_name("LABEL,...")
      .separated_by(',');
  command.add_option("--out", options->out, "Folder for tables, figures and the page")
      .required()
      .type_name("DIR")
      .writes_folder();
  command.footer(kExamples);
  return [options] {
    run(*options);
    return 0;
  };
}

}  // namespace kernbench::trace_compare_command
