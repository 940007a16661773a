#include "benches/milestone_1h_gemm/figures/points.hpp"

#include <algorithm>

namespace kernbench {
namespace {

bool under_tile(const Row& row) {
  return std::find(row.flags.begin(), row.flags.end(), "under_tile") != row.flags.end();
}

}  // namespace

std::string shape_label(const Row& row) {
  const auto size = [&](const char* axis) { return row.point.at(axis).dump(); };
  const std::string m = size("m");
  const std::string k = size("k");
  const std::string n = size("n");
  if (under_tile(row)) return m + "×" + k + "×" + n + " †";
  return m == k && k == n ? m + "³" : m + "×" + k + "×" + n;
}

std::vector<std::string> shape_labels(const Results& results) {
  std::vector<std::string> labels;
  for (const Row& row : results.rows) {
    std::string label = shape_label(row);
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(std::move(label));
  }
  return labels;
}

std::vector<std::string> with_under_tile_note(const Results& results, const std::string& note) {
  if (std::none_of(results.rows.begin(), results.rows.end(), under_tile)) return {note};
  return {note, "† under-tile: a dimension is smaller than the machine's tile; the staging variants pad it"};
}

Json point_record(const Row& row) {
  Json record = row.point;
  record["shape"] = shape_label(row);
  record["status"] = row.status;
  if (!row.reason.empty()) record["reason"] = row.reason;
  return record;
}

}  // namespace kernbench
