// `kernbench trace report`: tables, figures and a page of traces.
#include "benches/traces/report/trace_report.hpp"

#include <iostream>
#include <memory>
#include <utility>

#include "benches/cli/answer_outputs.hpp"
#include "benches/cli/trace_commands.hpp"
#include "benches/cli/trace_options.hpp"
#include "benches/cli/trace_reference.hpp"
#include "benches/cli/written_text.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/traces/report/trace_figures.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::trace_report_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench trace report rank0.json.gz --out report
  kernbench trace report sweep/ --steps 3..5 --out report

Writes index.html, a page that needs no network, all tables as CSV and JSON (tables/), figures as SVG, PNG and Vega-Lite
(figures/), and report.json, which says what is there.)";

struct Options {
  TraceOptions traces;
  std::filesystem::path out;
};

void run(const Options& options) {
  const std::string name = "trace-report";
  check_answer_folder(options.out, name);
  const std::vector<traces::PlacedTrace> all = options.traces.read();
  std::vector<traces::TraceTable> tables = traces::report_tables(all, options.traces.selection());
  for (traces::TraceTable& table : traces::reason_tables(all, options.traces.selection(), reference_times())) {
    tables.push_back(std::move(table));
  }
  const std::string source = traces::report_source(all, options.traces.selection());
  const PageText text{.title = "Where the time went: " + printable(options.traces.paths().front().string()),
                      .headline = traces::report_headline(tables),
                      .command = "kernbench trace report " + options.traces.given(),
                      .warnings = traces::report_warnings(all, tables)};
  const auto files = write_report({name, text, source, traces::trace_figures(tables, source),
                                   traces::trace_page_tables(tables), traces::table_files(tables)},
                                  options.out);
  std::cout << prose(text.headline, stdout_terminal(false)) << written_text(files, options.out, false);
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  options->traces.add_reading(command);
  options->traces.add_selection(command);
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

}  // namespace kernbench::trace_report_command
