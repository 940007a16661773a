#include "benches/measured/reference/row_counts.hpp"

#include <algorithm>

#include "benches/io/text/numbers.hpp"

namespace kernbench {
namespace {

std::string text_in(const Json& object, const std::string& name) {
  if (!object.is_object()) return "";
  const auto found = object.find(name);
  return found == object.end() || !found->is_string() ? "" : found->get<std::string>();
}

}  // namespace

RowCounts count_rows(const Results& results) {
  RowCounts counts;
  for (const Row& row : results.rows) {
    if (row.status == "ok") ++counts.ok;
    if (row.status == "failed") ++counts.failed;
    if (row.status == "skipped") ++counts.skipped;
    if (std::find(row.flags.begin(), row.flags.end(), "noisy") != row.flags.end()) ++counts.noisy;
  }
  return counts;
}

std::string counts_in_words(const RowCounts& counts) {
  std::string text = counted(static_cast<std::int64_t>(counts.ok), "row") + " ok";
  if (counts.noisy > 0) text += " (" + std::to_string(counts.noisy) + " noisy)";
  if (counts.failed > 0) text += ", " + std::to_string(counts.failed) + " failed";
  if (counts.skipped > 0) text += ", " + std::to_string(counts.skipped) + " skipped";
  return text;
}

std::string provenance_text(const Results& results, const std::string& name) {
  return text_in(results.provenance, name);
}

std::string environment_text(const Results& results, const std::string& name) {
  const auto environment = results.provenance.find("environment");
  return environment == results.provenance.end() ? "" : text_in(*environment, name);
}

}  // namespace kernbench
