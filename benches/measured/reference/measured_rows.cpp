#include "benches/measured/reference/measured_rows.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "benches/io/files/source_tree.hpp"
#include "benches/measured/reference/store.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {

MeasuredRows::MeasuredRows(const std::string& bench, std::vector<std::string> fields,
                           const std::function<bool(const Row&)>& wanted)
    : fields_(std::move(fields)) {
  const auto root = in_source_tree(kReferenceFolder);
  std::set<std::string> known;
  for (const ReferenceFolder& folder : all_references(root)) {
    if (folder.published) continue;
    const std::optional<Results> results = read_reference(root, folder.name, bench);
    if (!results) continue;
    for (const Row& row : results->rows) {
      if (row.status != "ok" || !row.metrics.has(kTime) || (wanted && !wanted(row))) continue;
      const std::string key = key_of(row.point);
      rows_[folder.name].insert_or_assign(key, row);
      if (!known.insert(key).second) continue;
      Json& point = points_.emplace_back(Json::object());
      for (const std::string& field : fields_) point[field] = row.point.at(field);
    }
  }
}

const Row* MeasuredRows::find(const std::string& device, const Json& point) const {
  const auto rows = rows_.find(device);
  if (rows == rows_.end()) return nullptr;
  const auto row = rows->second.find(key_of(point));
  return row == rows->second.end() ? nullptr : &row->second;
}

bool MeasuredRows::contains(const Json& point) const {
  const std::string key = key_of(point);
  return std::ranges::any_of(rows_, [&key](const auto& device) { return device.second.contains(key); });
}

std::string MeasuredRows::key_of(const Json& point) const {
  std::string key;
  for (const std::string& field : fields_) {
    const auto value = point.find(field);
    if (value == point.end()) return "";
    key += value->dump() + " ";
  }
  return key;
}

std::string not_measured_on(const std::string& device) {
  return "not measured on " + (device.empty() ? "any device" : device);
}

void take_over_noisy(Row& row, const Row& measured) {
  if (std::ranges::find(measured.flags, "noisy") != measured.flags.end()) row.flags.emplace_back("noisy");
}

}  // namespace kernbench
