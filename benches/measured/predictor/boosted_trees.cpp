#include "benches/measured/predictor/boosted_trees.hpp"

#include <xgboost/c_api.h>

#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr int kRounds = 400;

void check_call(int failed) {
  if (failed != 0) throw std::runtime_error(std::string("XGBoost: ") + XGBGetLastError());
}

/// Features as the library holds them.
class Matrix {
 public:
  explicit Matrix(const Features& features) {
    std::vector<float> flat;
    for (const std::vector<float>& row : features) flat.insert(flat.end(), row.begin(), row.end());
    check_call(XGDMatrixCreateFromMat(flat.data(), features.size(), features.front().size(),
                                      std::numeric_limits<float>::quiet_NaN(), &handle_));
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  [[nodiscard]] DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

}  // namespace

struct BoostedTrees::Booster {
  BoosterHandle handle = nullptr;

  explicit Booster(const Matrix& matrix) {
    const std::array<DMatrixHandle, 1> known{matrix.handle()};
    check_call(XGBoosterCreate(known.data(), known.size(), &handle));
  }
  ~Booster() { XGBoosterFree(handle); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  void set(const char* name, const std::string& value) const {
    check_call(XGBoosterSetParam(handle, name, value.c_str()));
  }
};

BoostedTrees::BoostedTrees(const Features& features, const std::vector<float>& targets, std::uint32_t seed) {
  const Matrix matrix(features);
  check_call(XGDMatrixSetFloatInfo(matrix.handle(), "label", targets.data(), targets.size()));
  booster_ = std::make_unique<Booster>(matrix);
  const double mean = std::accumulate(targets.begin(), targets.end(), 0.0) / static_cast<double>(targets.size());
  const std::array<std::pair<const char*, std::string>, 12> parameters{{{"verbosity", "0"},
                                                                        {"nthread", "1"},
                                                                        {"seed", std::to_string(seed)},
                                                                        {"objective", "reg:squarederror"},
                                                                        {"base_score", formatted("%.9g", mean)},
                                                                        {"tree_method", "hist"},
                                                                        {"max_depth", "5"},
                                                                        {"eta", "0.1"},
                                                                        {"subsample", "0.7"},
                                                                        {"colsample_bytree", "0.7"},
                                                                        {"min_child_weight", "2"},
                                                                        {"lambda", "1"}}};
  for (const auto& [name, value] : parameters) booster_->set(name, value);
  for (int round = 0; round < kRounds; ++round) {
    check_call(XGBoosterUpdateOneIter(booster_->handle, round, matrix.handle()));
  }
}

BoostedTrees::~BoostedTrees() = default;
BoostedTrees::BoostedTrees(BoostedTrees&&) noexcept = default;
BoostedTrees& BoostedTrees::operator=(BoostedTrees&&) noexcept = default;

std::vector<float> BoostedTrees::predict(const Features& features) const {
  if (features.empty()) return {};
  constexpr const char* kConfig =
      R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})";
  const Matrix matrix(features);
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* values = nullptr;
  check_call(XGBoosterPredictFromDMatrix(booster_->handle, matrix.handle(), kConfig, &shape, &dimensions, &values));
  return {values, values + features.size()};
}

}  // namespace kernbench
