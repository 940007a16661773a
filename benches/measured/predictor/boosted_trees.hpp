// The library that learns: XGBoost's gradient-boosted regression trees. Nothing else includes it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace kernbench {

/// Rows of features, all of the same length; NaN where a feature is not there.
using Features = std::vector<std::vector<float>>;

/// Trained once (46.4). The same rows, in the same order, and the same seed give the same trees.
class BoostedTrees {
 public:
  /// Throws std::runtime_error with the library's words where it refuses.
  BoostedTrees(const Features& features, const std::vector<float>& targets, std::uint32_t seed);
  BoostedTrees(const BoostedTrees&) = delete;
  BoostedTrees& operator=(const BoostedTrees&) = delete;
  ~BoostedTrees();
  BoostedTrees(BoostedTrees&&) noexcept;
  BoostedTrees& operator=(BoostedTrees&&) noexcept;

  /// A target for each row of features.
  [[nodiscard]] std::vector<float> predict(const Features& features) const;

 private:
  struct Booster;
  std::unique_ptr<Booster> booster_;
};

}  // namespace kernbench
