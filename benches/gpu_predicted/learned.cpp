#include "benches/gpu_predicted/learned.hpp"

#include "benches/gpu_predicted/measured_cases.hpp"
#include "benches/harness/predictor/held_out.hpp"

namespace kernbench {
namespace {

constexpr std::uint32_t kSeed = 1;

std::string key_of(std::int64_t m, std::int64_t k, std::int64_t n, const std::string& dtype, double time_ns) {
  return std::to_string(m) + " " + std::to_string(k) + " " + std::to_string(n) + " " + dtype + " " +
         std::to_string(time_ns);
}

}  // namespace

std::map<const Row*, double> learned_times(const Results& predicted, const std::vector<const Row*>& rows) {
  std::map<const Row*, double> times;
  if (rows.empty()) return times;
  const auto device = rows.front()->metrics.find("device");
  if (device == rows.front()->metrics.end()) return times;
  static_cast<void>(predicted);
  const GemmRows measured = measured_products(device->get<std::string>());
  const auto held_out = predict_held_out(measured, folds_by_group(measured, find_grouping("shape"), kSeed), kSeed);
  std::map<std::string, double> by_key;
  for (std::size_t i = 0; i < measured.rows.size(); ++i) {
    const GemmRow& row = measured.rows[i];
    if (!held_out[i].covered || held_out[i].predicted_ns <= 0) continue;
    by_key[key_of(row.m, row.k, row.n, std::string(name_of(row.dtype)), row.time_ns)] = held_out[i].predicted_ns;
  }
  for (const Row* row : rows) {
    const auto found = by_key.find(key_of(row->point.at("m"), row->point.at("k"), row->point.at("n"),
                                          row->point.at("dtype"), row->metrics.at("measured_ns")));
    if (found != by_key.end()) times[row] = found->second;
  }
  return times;
}

}  // namespace kernbench
