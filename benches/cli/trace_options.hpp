// The options that `kernbench trace ...` commands share: which traces, how they are read, what of them counts.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "benches/cli/output_options.hpp"
#include "benches/io/program/command.hpp"
#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/tables/selection.hpp"
#include "benches/traces/tables/top.hpp"
#include "benches/traces/tables/trace_table.hpp"

namespace kernbench {

class TraceOptions {
 public:
  /// TRACES, --layout, --comm, --step-mark, --skip-bad.
  void add_reading(CommandSpec& command);
  /// --steps, --unlinked.
  void add_selection(CommandSpec& command);
  /// --top.
  void add_top(CommandSpec& command);

  /// Reads the traces, on all cores, and says on stderr what makes them doubtful. Throws ConfigError.
  [[nodiscard]] std::vector<traces::PlacedTrace> read() const;
  /// The same of each of the paths by itself.
  [[nodiscard]] std::vector<std::vector<traces::PlacedTrace>> read_each() const;
  /// Throws ConfigError.
  [[nodiscard]] traces::TraceSelection selection() const;
  /// Rows a file.
  [[nodiscard]] std::size_t top() const { return top_; }
  [[nodiscard]] const std::vector<std::filesystem::path>& paths() const { return paths_; }
  /// The paths and the options of reading and selection that are given, for a command line.
  [[nodiscard]] std::string given() const;

 private:
  [[nodiscard]] std::vector<traces::PlacedTrace> read(const std::vector<std::filesystem::path>& paths) const;

  std::vector<std::filesystem::path> paths_;
  std::string layout_;
  std::string communication_;
  std::string step_mark_;
  std::string steps_;
  std::size_t top_ = traces::kTopRows;
  bool skip_bad_ = false;
  bool unlinked_ = false;
};

/// --table: which of several tables a command gives.
class TableOption {
 public:
  /// The first is the one where the option is not given.
  explicit TableOption(std::vector<std::string> names) : names_(std::move(names)), name_(names_.front()) {}

  void add_to(CommandSpec& command);
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::vector<std::string> names_;
  std::string name_;
};

/// A command whose answer is one table: reading, selection and output options; `more` adds others, nothing where empty.
using TraceTableOf = std::function<traces::TraceTable(const TraceOptions&, const std::vector<traces::PlacedTrace>&)>;
std::function<int()> set_up_trace_table(CommandSpec& command, const char* examples, TraceTableOf table,
                                        const std::function<void(TraceOptions&)>& more = {});

/// Says on stderr which files of folders are no traces; TraceOptions::read does so itself.
void warn_passed_over(const std::vector<traces::TraceFile>& files);

/// As tables, CSV or JSON; a table without rows as a sentence, which is on stderr where a document is printed.
void deliver_table(const OutputOptions& output, const traces::TraceTable& table);

}  // namespace kernbench
