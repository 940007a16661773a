#include "benches/gpu_predicted/learned.hpp"

#include <map>
#include <optional>

#include "benches/gpu_predicted/measured_cases.hpp"
#include "benches/measured/predictor/held_out.hpp"
#include "benches/results/rows/measured_metrics.hpp"

namespace kernbench {
namespace {

constexpr std::uint32_t kSeed = 1;

std::string key_of(std::int64_t m, std::int64_t k, std::int64_t n, const std::string& dtype, double time_ns) {
  return std::to_string(m) + " " + std::to_string(k) + " " + std::to_string(n) + " " + dtype + " " +
         std::to_string(time_ns);
}

}  // namespace

OtherPrediction predicted_by_trees(const std::string& device) {
  const GemmRows measured = measured_products(device);
  const auto held_out = predict_held_out(measured, folds_by_group(measured, find_grouping("shape"), kSeed), kSeed);
  std::map<std::string, double> times;
  for (std::size_t i = 0; i < measured.rows.size(); ++i) {
    const GemmRow& row = measured.rows[i];
    if (!held_out[i].covered || held_out[i].predicted_ns <= 0) continue;
    times[key_of(row.m, row.k, row.n, std::string(name_of(row.dtype)), row.time_ns)] = held_out[i].predicted_ns;
  }
  return {"trees", [times = std::move(times)](const Row& row) {
            const auto time = times.find(key_of(row.point.at("m"), row.point.at("k"), row.point.at("n"),
                                                row.point.at("dtype"), row.metrics.at(kMeasuredTime)));
            return time == times.end() ? std::nullopt : std::optional(time->second);
          }};
}

}  // namespace kernbench
