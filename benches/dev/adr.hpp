// Architecture decision records: the files adr/NNNN-title.md as values. Format: adr/0012-decisions-and-layers.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kernbench::adr {

/// What is wrong with a record or a test, and where.
struct Finding {
  std::string file;  ///< relative to the repository
  int line = 0;      ///< from 1
  std::string message;

  /// "file:line: message"
  [[nodiscard]] std::string text() const;
};

/// One numbered sentence of a decision: a line that begins `**3.2** `.
struct Clause {
  std::string id;  ///< "3.2"
  int line = 0;
  int words = 0;  ///< outside of tables and code blocks, up to the next clause or heading
};

/// One line of the section Confirmation: `- 3.2: tests/machine/units_test.cpp`; several files are separated by commas.
struct Confirmation {
  std::string clause;
  std::vector<std::string> files;
  int line = 0;
};

struct Record {
  int number = 0;
  std::string title;
  std::string status;  ///< proposed, accepted or superseded by NNNN
  std::string file;    ///< relative to the repository
  std::vector<Clause> clauses;
  std::vector<Confirmation> confirmations;

  [[nodiscard]] bool accepted() const { return status == "accepted"; }
};

/// The records of a repository, by number, and what is wrong with their form.
struct Records {
  std::vector<Record> records;
  std::vector<Finding> findings;
};

/// Reads one record. `file` is its path in the repository; what breaks the format is added to `findings`.
Record parse_record(const std::string& file, std::string_view text, std::vector<Finding>& findings);

/// Reads adr/NNNN-*.md below `root`. Throws ConfigError where there is no folder adr.
Records read_records(const std::filesystem::path& root);

/// "0012", as in file names and test suites.
std::string padded(int number);

}  // namespace kernbench::adr
