// From m, n, k, dtype and kind to a time, learned from rows (adr/0046).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benches/measured/predictor/boosted_trees.hpp"
#include "benches/measured/predictor/gemm_rows.hpp"

namespace kernbench {

/// Places in GemmRows::rows.
using RowPlaces = std::vector<std::size_t>;

/// What rows of one dtype and kind reach from and to.
struct TrainedRange {
  std::array<std::int64_t, 3> least{};  ///< m, n, k
  std::array<std::int64_t, 3> most{};
};

/// The lower limit of a time that the rows themselves show: the highest rates that any of a dtype reaches (46.3).
class RowsRoofline {
 public:
  RowsRoofline(const GemmRows& rows, const RowPlaces& training);
  /// In ns, of a row whose dtype is that of some training row.
  [[nodiscard]] double time_ns(const GemmRow& row) const;

 private:
  struct Rates {
    double flops_per_ns = 0;
    double bytes_per_ns = 0;
  };
  std::map<Dtype, Rates> rates_;
};

class GemmPredictor {
 public:
  /// Learns from those of the rows; `rows` has to live as long. Throws std::runtime_error as BoostedTrees does.
  GemmPredictor(const GemmRows& rows, const RowPlaces& training, std::uint32_t seed);

  /// Whether there is a training row of this dtype.
  [[nodiscard]] bool knows(Dtype dtype) const;
  /// The range of the training rows of the row's dtype and kind; nothing where there are none.
  [[nodiscard]] std::optional<TrainedRange> range(const GemmRow& row) const;
  /// Whether m, n and k are within range().
  [[nodiscard]] bool covers(const GemmRow& row) const;
  /// In ns, of rows of any size whose dtype was trained; their own times are not looked at.
  [[nodiscard]] std::vector<double> times_ns(std::span<const GemmRow> asked) const;

 private:
  [[nodiscard]] std::vector<float> features(const GemmRow& row) const;

  const GemmRows& rows_;
  RowsRoofline roofline_;
  std::map<std::pair<Dtype, std::size_t>, TrainedRange> ranges_;  ///< by dtype and kind
  std::vector<Dtype> dtypes_;                                     ///< of the training rows
  std::vector<std::vector<float>> kind_features_;                 ///< by kind
  std::optional<BoostedTrees> trees_;
};

/// m, n and k.
[[nodiscard]] std::array<std::int64_t, 3> sizes_of(const GemmRow& row);

/// The row nearest to `asked`, by how often m, n and k have to be doubled or halved, with its TFLOPS, in words; of its
/// dtype and kind alone, where there has to be one, or of all.
[[nodiscard]] std::string nearest_words(const GemmRows& rows, const GemmRow& asked, bool of_its_kind);

/// Throws ConfigError where `asked` is outside what its dtype and kind were trained on: which range that is, and the
/// row of it that is nearest (46.7).
void refuse_extrapolation(const GemmPredictor& predictor, const GemmRows& rows, const GemmRow& asked);

}  // namespace kernbench
