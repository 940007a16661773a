#include "benches/results/figures/caption.hpp"

#include <algorithm>

#include "benches/io/text/plain_text.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {

std::vector<std::string> axis_values(const Results& results, const std::string& axis) {
  std::vector<std::string> values;
  for (const Row& row : results.rows) {
    const auto found = row.point.find(axis);
    if (found == row.point.end()) continue;
    std::string value = plain_text(*found);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
  }
  return values;
}

namespace {

/// "256 B", or "256 B to 4 KiB": the packets that the rows were simulated with, where they say so.
std::string packet_sizes(const Results& results) {
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const Row& row : results.rows) {
    const std::int64_t bytes = row.metrics.value_or(kPacketBytes, std::int64_t{0});
    if (bytes == 0) continue;
    least = least == 0 ? bytes : std::min(least, bytes);
    most = std::max(most, bytes);
  }
  if (most == 0) return "";
  const std::string text = format_quantity(least, Dimension::kBytes);
  return least == most ? text : text + " to " + format_quantity(most, Dimension::kBytes);
}

}  // namespace

std::string caption(const Results& results) {
  const Source& source = results.source;
  constexpr std::size_t kHashDigits = 8;
  std::string line = "bench " + results.bench + " (version " + source.bench + ") · machine " + source.machine;
  if (!source.machine_sha256.empty()) line += " (sha256 " + source.machine_sha256.substr(0, kHashDigits) + ")";
  line += " · model " + source.model;
  const std::vector<std::string> variants = axis_values(results, "variant");
  for (std::size_t i = 0; i < variants.size(); ++i) line += (i == 0 ? " · variants " : ", ") + variants[i];
  const std::string packets = packet_sizes(results);
  if (!packets.empty()) line += " · packets of " + packets;
  return line;
}

Json figure_title(const std::string& title, const std::string& source, const std::vector<std::string>& notes) {
  Json lines = Json::array({source});
  for (const std::string& note : notes) lines.push_back(note);
  return {{"text", title}, {"subtitle", std::move(lines)}};
}

Json figure_title(const std::string& title, const Results& results, const std::vector<std::string>& notes) {
  return figure_title(title, caption(results), notes);
}

}  // namespace kernbench
