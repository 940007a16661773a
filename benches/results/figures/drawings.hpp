// What drawings were made of: a list beside them, so that a figure that would come out the same is not drawn again
// (adr/0011-figures.md, 11.23).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benches/io/files/file_set.hpp"
#include "benches/io/files/run_outputs.hpp"

namespace kernbench {

/// A file of a figure.
struct Drawing {
  std::string name;
  std::string of;  ///< SHA-256 of all that its bytes follow from
  std::string bytes;
};

[[nodiscard]] NewFile list_of(const std::vector<Drawing>& drawings);

/// The drawings that some folders have.
class KnownDrawings {
 public:
  /// A folder without a list, and a line that is none, give nothing.
  explicit KnownDrawings(const std::vector<std::filesystem::path>& folders);

  /// The bytes of that file in the first folder where it was drawn of `of` and did not change since.
  [[nodiscard]] std::optional<std::string> find(const std::string& name, const std::string& of) const;

 private:
  struct Line {
    std::filesystem::path folder;
    std::string of = {};
    std::string sha256 = {};
    std::string name = {};
  };
  std::vector<Line> lines_;
};

}  // namespace kernbench
