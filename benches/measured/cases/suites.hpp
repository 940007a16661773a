// The lists of cases that GPUs are measured on (scripts/gpu/suites.json), read for C++; Python reads the same file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/results/rows/checked_json.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

class Suites {
 public:
  /// Throws ConfigError naming the file where it cannot be read or is no JSON.
  explicit Suites(const std::string& file);
  /// `file` is for messages only.
  Suites(const std::string& text, const std::string& file);

  /// A part that must be there: "gemm".
  [[nodiscard]] CheckedJson part(const std::string& name) const { return CheckedJson(json_, file_).at(name); }

 private:
  Json json_;
  std::string file_;
};

/// A list of texts. Throws ConfigError where it is something else.
[[nodiscard]] std::vector<std::string> texts_of(const CheckedJson& list);

/// A list of whole numbers above 0.
[[nodiscard]] std::vector<std::int64_t> sizes_of(const CheckedJson& list);

/// Lists of `length` whole numbers above 0 each: shapes.
[[nodiscard]] std::vector<std::vector<std::int64_t>> shapes_of(const CheckedJson& list, std::size_t length);

}  // namespace kernbench
