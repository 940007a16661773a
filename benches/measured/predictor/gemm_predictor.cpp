#include "benches/measured/predictor/gemm_predictor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "benches/io/text/plain_text.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr int kMostTwos = 7;  // a tile of more than 2^7 along a dimension is rare

/// Power of two that divides a size, 7 at most.
float twos(std::int64_t size) {
  return static_cast<float>(std::min(std::countr_zero(static_cast<std::uint64_t>(size)), kMostTwos));
}

float log2_of(double value) { return static_cast<float>(std::log2(value)); }

/// How much longer a size gets where it is filled up to whole tiles, as a logarithm.
float padding(std::int64_t size, std::int64_t tile) {
  const std::int64_t tiles = (size + tile - 1) / tile;
  return log2_of(static_cast<double>(tiles * tile) / static_cast<double>(size));
}

/// Of each kind: 1 for each value that a field of it has, of all values that the kinds have, else 0.
std::vector<std::vector<float>> kind_features_of(const std::vector<GemmKind>& kinds) {
  std::set<std::pair<std::string, std::string>> values;
  for (const GemmKind& kind : kinds) {
    for (const auto& [name, value] : kind.fields.items()) values.emplace(name, plain_text(value));
  }
  std::vector<std::vector<float>> all;
  for (const GemmKind& kind : kinds) {
    std::vector<float> of_kind;
    for (const auto& [name, value] : values) {
      of_kind.push_back(kind.fields.contains(name) && plain_text(kind.fields.at(name)) == value ? 1.0F : 0.0F);
    }
    all.push_back(std::move(of_kind));
  }
  return all;
}

/// Sum over m, n and k of how often the one has to be doubled to be the other.
double doublings_between(const GemmRow& a, const GemmRow& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    sum += std::abs(std::log2(static_cast<double>(sizes_of(a)[i]) / static_cast<double>(sizes_of(b)[i])));
  }
  return sum;
}

}  // namespace

std::string nearest_words(const GemmRows& rows, const GemmRow& asked, bool of_its_kind) {
  const GemmRow* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const GemmRow& row : rows.rows) {
    if (of_its_kind && (row.dtype != asked.dtype || row.kind != asked.kind)) continue;
    const double distance = doublings_between(row, asked);
    if (distance < least) nearest = &row;
    least = std::min(least, distance);
  }
  return words_of(*nearest, rows) + formatted(": %.4g TFLOPS", nearest->tflops());
}

std::array<std::int64_t, 3> sizes_of(const GemmRow& row) { return {row.m, row.n, row.k}; }

RowsRoofline::RowsRoofline(const GemmRows& rows, const RowPlaces& training) {
  for (const std::size_t place : training) {
    const GemmRow& row = rows.rows[place];
    Rates& rates = rates_[row.dtype];
    rates.flops_per_ns = std::max(rates.flops_per_ns, row.flops() / row.time_ns);
    rates.bytes_per_ns = std::max(rates.bytes_per_ns, row.bytes() / row.time_ns);
  }
}

double RowsRoofline::time_ns(const GemmRow& row) const {
  const Rates& rates = rates_.at(row.dtype);
  return std::max(row.flops() / rates.flops_per_ns, row.bytes() / rates.bytes_per_ns);
}

GemmPredictor::GemmPredictor(const GemmRows& rows, const RowPlaces& training, std::uint32_t seed)
    : rows_(rows), roofline_(rows, training), kind_features_(kind_features_of(rows.kinds)) {
  std::set<Dtype> dtypes;
  for (const std::size_t place : training) {
    const GemmRow& row = rows.rows[place];
    dtypes.insert(row.dtype);
    const auto [range, is_new] = ranges_.try_emplace({row.dtype, row.kind}, TrainedRange{sizes_of(row), sizes_of(row)});
    for (std::size_t i = 0; i < 3; ++i) {
      range->second.least[i] = std::min(range->second.least[i], sizes_of(row)[i]);
      range->second.most[i] = std::max(range->second.most[i], sizes_of(row)[i]);
    }
  }
  dtypes_.assign(dtypes.begin(), dtypes.end());
  Features known;
  std::vector<float> targets;
  for (const std::size_t place : training) {
    const GemmRow& row = rows.rows[place];
    known.push_back(features(row));
    targets.push_back(static_cast<float>(std::log(row.time_ns / roofline_.time_ns(row))));
  }
  trees_.emplace(known, targets, seed);
}

bool GemmPredictor::knows(Dtype dtype) const { return std::ranges::find(dtypes_, dtype) != dtypes_.end(); }

std::optional<TrainedRange> GemmPredictor::range(const GemmRow& row) const {
  const auto found = ranges_.find({row.dtype, row.kind});
  return found == ranges_.end() ? std::nullopt : std::optional(found->second);
}

bool GemmPredictor::covers(const GemmRow& row) const {
  const std::optional<TrainedRange> known = range(row);
  if (!known) return false;
  const std::array<std::int64_t, 3> sizes = sizes_of(row);
  for (std::size_t i = 0; i < 3; ++i) {
    if (sizes[i] < known->least[i] || sizes[i] > known->most[i]) return false;
  }
  return true;
}

std::vector<double> GemmPredictor::times_ns(std::span<const GemmRow> asked) const {
  Features wanted;
  for (const GemmRow& row : asked) wanted.push_back(features(row));
  const std::vector<float> shares = trees_->predict(wanted);
  std::vector<double> times;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    times.push_back(std::exp(static_cast<double>(shares[i])) * roofline_.time_ns(asked[i]));
  }
  return times;
}

std::vector<float> GemmPredictor::features(const GemmRow& row) const {
  const auto m = static_cast<double>(row.m);
  const auto n = static_cast<double>(row.n);
  const auto k = static_cast<double>(row.k);
  std::vector<float> all;
  for (const double value :
       {m, n, k, m * n, m * k, n * k, row.flops(), row.bytes(), row.flops() / row.bytes(), roofline_.time_ns(row)}) {
    all.push_back(log2_of(value));
  }
  for (const std::int64_t size : sizes_of(row)) all.push_back(twos(size));
  const std::vector<std::int64_t>& tile = rows_.kinds[row.kind].tile;
  const std::array<std::int64_t, 3> in_order_of_tile{row.m, row.k, row.n};
  for (std::size_t i = 0; i < 3; ++i) {
    all.push_back(tile.empty() ? std::numeric_limits<float>::quiet_NaN() : padding(in_order_of_tile.at(i), tile[i]));
  }
  for (const Dtype dtype : dtypes_) all.push_back(row.dtype == dtype ? 1.0F : 0.0F);
  const std::vector<float>& of_kind = kind_features_[row.kind];
  all.insert(all.end(), of_kind.begin(), of_kind.end());
  return all;
}

void refuse_extrapolation(const GemmPredictor& predictor, const GemmRows& rows, const GemmRow& asked) {
  const std::string& kind = rows.kinds[asked.kind].name;
  const std::string of = std::string(name_of(asked.dtype)) + (kind.empty() ? "" : ", " + kind);
  const std::optional<TrainedRange> range = predictor.range(asked);
  if (!range) {
    std::set<std::string> dtypes;
    for (const GemmRow& row : rows.rows) dtypes.insert(std::string(name_of(row.dtype)));
    const std::vector<std::string> known(dtypes.begin(), dtypes.end());
    throw ConfigError("--dtype: there are no rows of " + of + ": nothing is known of it. Dtypes there are: " +
                      joined(known) + "; the nearest row is " + nearest_words(rows, asked, false));
  }
  if (predictor.covers(asked)) return;
  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t size = sizes_of(asked)[i];
    if (size >= range->least[i] && size <= range->most[i]) continue;
    wrong.push_back("--" + std::string(1, "mnk"[i]) + " " + std::to_string(size) + ": expected " +
                    std::to_string(range->least[i]) + ".." + std::to_string(range->most[i]));
  }
  throw ConfigError(joined(wrong) + ": what rows of " + of +
                    " reach from and to; nothing is extrapolated; the nearest row is " +
                    nearest_words(rows, asked, true));
}

}  // namespace kernbench
