// What all figures of gemm-micro take from a row.
#include "benches/results/figures/rows.hpp"

#include <algorithm>
#include <array>

#include "benches/gemm_micro/figures.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {

std::vector<const Row*> most_efficient(const std::vector<const Row*>& rows) {
  constexpr std::size_t kMost = 10;
  std::vector<const Row*> found;
  std::ranges::copy_if(rows, std::back_inserter(found),
                       [](const Row* row) { return metric(row, kTflopsPerWatt).is_number(); });
  std::ranges::stable_sort(found, std::ranges::greater(),
                           [](const Row* row) { return row->metrics.at(kTflopsPerWatt); });
  found.resize(std::min(found.size(), kMost));
  return found;
}

std::vector<std::string> dtypes_of(const std::vector<const Row*>& rows) {
  std::vector<std::string> dtypes;
  for (const Row* row : rows) {
    const std::string dtype = row->point.at("dtype");
    if (std::ranges::find(dtypes, dtype) == dtypes.end()) dtypes.push_back(dtype);
  }
  return dtypes;
}

Json dtype_colours(const std::vector<std::string>& dtypes) {
  constexpr std::array<std::pair<const char*, const char*>, 7> kColours{{{"fp32", palette::kOrange},
                                                                         {"tf32", palette::kPurple},
                                                                         {"fp16", palette::kPaleVermillion},
                                                                         {"bf16", palette::kBlue},
                                                                         {"fp8_e4m3", palette::kGreen},
                                                                         {"fp8_e5m2", palette::kPaleGreen},
                                                                         {"int8", palette::kVermillion}}};
  Json colours = Json::array();
  for (const std::string& dtype : dtypes) {
    const auto known = std::ranges::find(kColours, dtype, [](const auto& one) { return std::string(one.first); });
    colours.push_back(known == kColours.end() ? palette::kInk : known->second);
  }
  return {{"domain", dtypes}, {"range", std::move(colours)}};
}

std::string micro_shape(const Row& row) {
  return row.point.at("m").dump() + "×" + row.point.at("k").dump() + "×" + row.point.at("n").dump();
}

Json micro_record(const Row& row) {
  Json record{{"shape", micro_shape(row)}, {"status", row.status}};
  for (const char* name : {"m", "k", "n", "dtype"}) record[name] = row.point.at(name);
  for (const char* name : {"time_ns", "tflops", "peak_tflops", "peak_fraction", "avg_power_w", "tflops_per_watt"}) {
    record[name] = metric(&row, name);
  }
  return record;
}

Json micro_tooltip() {
  return Json::parse(R"json([
    {"field": "shape", "title": "M×K×N"}, {"field": "dtype"}, {"field": "status"},
    {"field": "tflops", "title": "TFLOPS", "format": ",.4~r"},
    {"field": "peak_fraction", "title": "of peak", "format": ".1%"},
    {"field": "time_ns", "title": "time (ns)", "format": ",.5~r"},
    {"field": "avg_power_w", "title": "power (W)", "format": ",.4~r"},
    {"field": "tflops_per_watt", "title": "TFLOPS a watt", "format": ",.4~r"}
  ])json");
}

}  // namespace kernbench
