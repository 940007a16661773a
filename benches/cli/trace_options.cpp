#include "benches/cli/trace_options.hpp"

#include <spdlog/spdlog.h>

#include <memory>
#include <optional>
#include <regex>
#include <utility>

#include "benches/io/program/option_values.hpp"
#include "benches/io/text/shell.hpp"
#include "benches/traces/events/trace_warnings.hpp"
#include "benches/traces/tables/column_meanings.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::optional<std::regex> expression_of(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  try {
    return std::regex(text, std::regex::optimize);
  } catch (const std::regex_error& error) {
    throw ConfigError(std::string(option) + " \"" + text +
                      "\": expected a regular expression (ECMAScript): " + error.what());
  }
}

}  // namespace

void TraceOptions::add_reading(CommandSpec& command) {
  command
      .add_option("traces", paths_, "Trace files (.json, .json.gz), a rank's or a run's folder, or the tree of a sweep")
      .required()
      .type_name("TRACES")
      .reads();
  command
      .add_option("--layout", layout_,
                  "Where paths name the rank and the axes of a sweep: '{channels}ch_{threads}threads/rank{rank}.json'")
      .type_name("LAYOUT");
  command.add_option("--comm", communication_, "Kernels whose names match are communication too").type_name("REGEX");
  command
      .add_option("--step-mark", step_mark_,
                  "Annotations whose names match are the steps, numbered by the first group [ProfilerStep#N]")
      .type_name("REGEX");
  command.add_flag("--skip-bad", skip_bad_, "Leave out events that do not parse, and count them");
}

void TraceOptions::add_selection(CommandSpec& command) {
  command.add_option("--steps", steps_, "Only these steps, as 3 or 3..5 [all]").type_name("STEPS");
  command.add_flag("--unlinked", unlinked_, "Count GPU events whose launch the file does not have, too");
}

void TraceOptions::add_top(CommandSpec& command) {
  command.add_option("--top", top_, "Of each file this many GEMMs, by max - min [5]")
      .type_name("N")
      .rule(whole_number(1, 1'000'000));
}

std::vector<traces::PlacedTrace> TraceOptions::read() const { return read(paths_); }

std::vector<std::vector<traces::PlacedTrace>> TraceOptions::read_each() const {
  std::vector<std::vector<traces::PlacedTrace>> all;
  for (const std::filesystem::path& path : paths_) all.push_back(read({path}));
  return all;
}

std::vector<traces::PlacedTrace> TraceOptions::read(const std::vector<std::filesystem::path>& paths) const {
  traces::TraceReadOptions options;
  options.skip_bad = skip_bad_;
  options.communication = expression_of("--comm", communication_);
  options.step_mark = expression_of("--step-mark", step_mark_);
  std::vector<traces::PlacedTrace> all = traces::read_traces(traces::find_trace_files(paths, layout_), options);
  traces::require_steps(all, selection());
  for (const std::string& line : traces::warning_lines(all)) spdlog::warn("{}", line);
  return all;
}

traces::TraceSelection TraceOptions::selection() const {
  traces::TraceSelection selection;
  selection.unlinked = unlinked_;
  if (!steps_.empty()) selection.steps = traces::parse_steps(steps_);
  return selection;
}

void TableOption::add_to(CommandSpec& command) {
  command.add_option("--table", name_, "Which table: " + joined(names_) + " [" + names_.front() + "]")
      .type_name("TABLE")
      .rule(one_of(names_));
}

std::string TraceOptions::given() const {
  std::vector<std::string> words;
  for (const std::filesystem::path& path : paths_) words.push_back(path.string());
  const auto add = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--layout", layout_);
  add("--comm", communication_);
  add("--step-mark", step_mark_);
  add("--steps", steps_);
  if (top_ != traces::kTopRows) add("--top", std::to_string(top_));
  if (skip_bad_) words.emplace_back("--skip-bad");
  if (unlinked_) words.emplace_back("--unlinked");
  for (std::string& word : words) word = quoted_for_shell(printable(word));
  return joined(words, " ");
}

std::function<int()> set_up_trace_table(CommandSpec& command, const char* examples, TraceTableOf table,
                                        const std::function<void(TraceOptions&)>& more) {
  struct Options {
    TraceOptions traces;
    OutputOptions output;
  };
  auto options = std::make_shared<Options>();
  options->traces.add_reading(command);
  options->traces.add_selection(command);
  if (more) more(options->traces);
  options->output.add_to(command, OutputOptions::Kinds::kJsonAndCsv);
  command.footer(examples);
  return [options, table = std::move(table)] {
    const std::vector<traces::PlacedTrace> all = options->traces.read();
    deliver_table(options->output, table(options->traces, all));
    return 0;
  };
}

void warn_passed_over(const std::vector<traces::TraceFile>& files) {
  for (const traces::TraceFile& file : files) {
    for (const std::string& line : file.passed_over) spdlog::warn("{}", line);
  }
}

void deliver_table(const OutputOptions& output, const traces::TraceTable& table) {
  require_columns_once(table);
  if (output.is_document()) {
    if (table.rows.empty()) spdlog::warn("{}", traces::empty_meaning(table.name));
    for (const std::string& note : table.notes) spdlog::warn("{}", note);
  }
  output.deliver([&table](const Terminal& terminal) { return table_text(table, terminal); },
                 {[&table] { return table_json(table); }, [&table] { return table_csv(table); }});
}

}  // namespace kernbench
