// What `--only` leaves alone: rows of other points in the results of an earlier run (ADR-0010, 10.11).
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

struct KeptRows {
  std::map<std::string, Row> rows;  ///< by the point's JSON text
  std::size_t dropped = 0;          ///< rows of other points that may not stand beside those of this run
  bool unreadable = false;          ///< the file is no results file: what was in it is not known
  std::string why;                  ///< they may not
};

/// The rows of `file` that are of none of the points that are `run`. They are kept where they are of `bench`, `source`
/// and this very build of the program, which their provenance must say.
[[nodiscard]] KeptRows kept_rows(const std::filesystem::path& file, const Bench& bench, const Source& source,
                                 const std::vector<LabelledPoint>& run);

}  // namespace kernbench
