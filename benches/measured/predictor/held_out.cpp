#include "benches/measured/predictor/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/base/errors.hpp"
#include "sim/base/random.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kMostFolds = 10;
constexpr std::int64_t kAligned = 16;     // elements: what units of tensors ask for
constexpr std::int64_t kSkinny = 256;     // the smaller of m and n
constexpr std::int64_t kSkinnyRatio = 8;  // of the larger to the smaller
constexpr std::int64_t kDeepRatio = 4;    // of k to the larger of m and n

std::string shape_of(const GemmRow& row) {
  return std::to_string(row.m) + "x" + std::to_string(row.n) + "x" + std::to_string(row.k);
}

/// "2^31": of FLOP.
std::string octave_of(const GemmRow& row) {
  return "2^" + std::to_string(static_cast<int>(std::floor(std::log2(row.flops()))));
}

/// The fold of each group, by its number from 0.
std::vector<std::size_t> dealt(std::size_t groups, std::uint32_t seed) {
  std::vector<std::size_t> order(groups);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  for (std::size_t i = groups; i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
  }
  std::vector<std::size_t> folds(groups);
  for (std::size_t i = 0; i < groups; ++i) folds[order[i]] = i % std::min(groups, kMostFolds);
  return folds;
}

void require_two(std::size_t groups, const std::string& of) {
  if (groups >= 2) return;
  throw ConfigError("expected rows of two groups by " + of + " or more, to hold one out; all are of one");
}

}  // namespace

std::string family_of(const GemmRow& row) {
  const auto is_ragged = [](std::int64_t size) { return size % kAligned != 0; };
  if (is_ragged(row.n) || is_ragged(row.k) || (row.m > kAligned && is_ragged(row.m))) return "ragged";
  if (row.m == row.n && row.n == row.k) return "square";
  const auto [least, most] = std::minmax(row.m, row.n);
  if (least <= kSkinny && most >= kSkinnyRatio * least) return "skinny";
  return row.k >= kDeepRatio * most ? "deep" : "rectangular";
}

const std::vector<Grouping>& groupings() {
  static const std::vector<Grouping> all{
      {"shape", "rows of the same m, n and k, of whatever dtype and kind", shape_of},
      {"family", "ragged, square, skinny, deep (large k) or rectangular", family_of},
      {"m", "rows of the same m", [](const GemmRow& row) { return std::to_string(row.m); }},
      {"n", "rows of the same n", [](const GemmRow& row) { return std::to_string(row.n); }},
      {"k", "rows of the same k", [](const GemmRow& row) { return std::to_string(row.k); }},
      {"flop", "rows of as many FLOP, within a factor of two", octave_of}};
  return all;
}

const Grouping& find_grouping(const std::string& name) {
  std::vector<std::string> names;
  for (const Grouping& grouping : groupings()) {
    if (grouping.name == name) return grouping;
    names.push_back(grouping.name);
  }
  refuse_name("grouping", name, names, "--group");
}

std::vector<std::size_t> folds_by_group(const GemmRows& rows, const Grouping& grouping, std::uint32_t seed) {
  std::map<std::string, std::size_t> numbers;
  for (const GemmRow& row : rows.rows) numbers.emplace(grouping.group_of(row), 0);
  require_two(numbers.size(), grouping.name);
  std::size_t next = 0;
  for (auto& [group, number] : numbers) number = next++;
  const std::vector<std::size_t> folds = dealt(numbers.size(), seed);
  std::vector<std::size_t> of_rows;
  for (const GemmRow& row : rows.rows) of_rows.push_back(folds[numbers.at(grouping.group_of(row))]);
  return of_rows;
}

std::vector<std::size_t> folds_at_random(const GemmRows& rows, std::uint32_t seed) {
  require_two(rows.rows.size(), "row");
  return dealt(rows.rows.size(), seed);
}

std::vector<HeldOutRow> predict_held_out(const GemmRows& rows, const std::vector<std::size_t>& folds,
                                         std::uint32_t seed) {
  std::vector<HeldOutRow> all(rows.rows.size());
  const std::size_t count = *std::max_element(folds.begin(), folds.end()) + 1;
  for (std::size_t fold = 0; fold < count; ++fold) {
    RowPlaces training;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (folds[i] != fold) training.push_back(i);
    }
    const GemmPredictor predictor(rows, training, seed);
    RowPlaces places;
    std::vector<GemmRow> asked;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (folds[i] != fold || !predictor.knows(rows.rows[i].dtype)) continue;
      places.push_back(i);
      asked.push_back(rows.rows[i]);
    }
    const std::vector<double> times = predictor.times_ns(asked);
    for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = {times[i], predictor.covers(asked[i])};
  }
  return all;
}

}  // namespace kernbench
