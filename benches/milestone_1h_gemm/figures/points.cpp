#include "benches/milestone_1h_gemm/figures/points.hpp"

#include <algorithm>
#include <map>

#include "sim/base/text.hpp"

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

std::string bottleneck_words(const std::string& bottleneck) {
  static const std::map<std::string, std::string> kWords{{"hbm", "HBM"},
                                                         {"dma_in", "DMA into TCM"},
                                                         {"fetch", "fetch from TCM"},
                                                         {"mac", "MAC array"},
                                                         {"vector", "vector unit"},
                                                         {"store", "store into TCM"},
                                                         {"dma_out", "DMA out of TCM"}};
  std::vector<std::string> words;
  for (const std::string& resource : split(bottleneck, "+")) {
    const auto known = kWords.find(resource);
    words.push_back(known == kWords.end() ? resource : known->second);
  }
  return joined_in_words(words);
}

Json point_record(const Row& row) {
  Json record = row.point;
  record["shape"] = shape_label(row);
  record["status"] = row.status;
  if (!row.reason.empty()) record["reason"] = row.reason;
  return record;
}

}  // namespace kernbench
