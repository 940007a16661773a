// Tables of published numbers: a bench's own, and those beside the source tree that it was made of.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "benches/io/text/csv.hpp"
#include "sim/base/read_file.hpp"
#include "tests/figures/sample_results.hpp"

namespace kernbench::sample {

using Cells = std::map<std::string, std::string>;

inline std::vector<Cells> table(const std::string& file) { return csv_rows(read_file(file), file); }

/// Of the data beside the source tree; empty where there are none.
inline std::vector<Cells> published_table(const std::string& name) {
  const std::string place = "/../shared/data/mesh/" + name;
  if (std::filesystem::exists(kSource + place)) return table(kSource + place);
  MESSAGE("skipped: there is no " << place.substr(1) << " beside the source tree");
  return {};
}

}  // namespace kernbench::sample
