// Errors gathered while a machine file is read, so that a user sees all of them at once, in the order of the file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernbench {

/// Where a value was given: a line and column of a file (from 1), or an override as the user typed it.
struct Place {
  int line = 1;
  int column = 1;
  int override_number = 0;    ///< 0: a file; n: the n-th --set
  std::string override_text;  ///< "pe.clock=2 GHz"
  std::size_t file = 0;       ///< of Diagnostics::add_file; 0: the file that was asked for
};

class Diagnostics {
 public:
  explicit Diagnostics(std::string_view file_name) : files_{std::string(file_name)} {}

  /// Another file that places are in, and how messages call it.
  std::size_t add_file(std::string_view name);

  /// `subject` is the key's path; may be empty where the error is no key's.
  void add(const Place& place, std::string_view subject, std::string_view message);

  /// There are as many errors as anybody reads: the reader may stop.
  [[nodiscard]] bool full() const;

  /// Throws ConfigError with all errors, sorted by place, and their number; returns where there is none.
  void throw_if_any() const;

 private:
  struct Entry {
    Place place;
    std::string text;
  };
  std::vector<std::string> files_;
  std::vector<Entry> entries_;
};

}  // namespace kernbench
