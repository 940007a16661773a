// How a command gives its answer: tables for people, or a document for programs.
#pragma once

#include <functional>
#include <string>

#include "benches/io/program/command.hpp"
#include "benches/io/text/terminal.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// --wide.
class WideOption {
 public:
  void add_to(CommandSpec& command);
  [[nodiscard]] Terminal terminal() const { return stdout_terminal(wide_); }

 private:
  bool wide_ = false;
};

/// What a command can say to programs; without `csv` it has no --csv.
struct Documents {
  std::function<std::string()> json;
  std::function<std::string()> csv;
};

/// Of a results document (docs/results.md).
[[nodiscard]] Documents results_documents(std::function<Results()> results);

/// --json [FILE] and --csv [FILE]: a document on stdout instead of the tables, or in a file beside them; --wide.
class OutputOptions {
 public:
  enum class Kinds { kJson, kJsonAndCsv };

  void add_to(CommandSpec& command, Kinds kinds = Kinds::kJsonAndCsv);
  /// Whether a document is printed instead of tables.
  [[nodiscard]] bool is_document() const;
  /// Prints and writes what is asked for. Throws ConfigError as write_own_file(), then with nothing printed.
  void deliver(const std::function<std::string(const Terminal&)>& tables, const Documents& documents) const;

 private:
  struct Document {
    Option* option = nullptr;
    std::string file;
    [[nodiscard]] bool wanted() const { return option != nullptr && option->given(); }
  };

  Document json_;
  Document csv_;
  WideOption wide_;
};

}  // namespace kernbench
