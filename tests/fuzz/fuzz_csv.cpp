// A table of somebody else's: the first line is --columns, the second --with, the rest the file. Any is taken, or
// refused with findings or a ConfigError; what is taken passes or fails the checks of reference data.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "benches/measured/reference/checks.hpp"
#include "benches/measured/reference/published_csv.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace {

/// The first line of `text`, which is taken off.
std::string take_line(std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string line = text.substr(0, end);
  text.erase(0, std::min(end + 1, text.size()));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  kernbench::PublishedTable table;
  table.where = "somebody";
  table.columns = take_line(text);
  table.with = take_line(text);
  table.no_value = {"-"};
  if (!kernbench::is_utf8(table.columns) || !kernbench::is_utf8(table.with)) return 0;  // no command line has it (26.3)
  for (const char* bench : {"gpu-gemm", "gpu-collectives"}) {
    table.bench = bench;
    try {
      const auto rows = kernbench::read_published_csv(text, "t.csv", table, "2026-01-31T12:00:00Z");
      if (rows.findings.empty()) (void)kernbench::check_reference(rows.results, nullptr, "t.csv");
      (void)kernbench::format_results(rows.results);
    } catch (const kernbench::ConfigError&) {  // refused
    }
  }
  return 0;
}
