// Fits the numbers of a GPU's file to measured products (adr/0056).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "benches/measured/calibrate/calibration_rows.hpp"
#include "sim/base/names.hpp"
#include "sim/machine/gpu/gpu_keys.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {

/// What is fitted together, in this order.
enum class CalibrationGroup { kProducts, kLibrary };
inline constexpr Names<CalibrationGroup> kCalibrationGroups{
    "group", {{CalibrationGroup::kProducts, "products"}, {CalibrationGroup::kLibrary, "library"}}};

struct CalibrationSettings {
  std::vector<CalibrationGroup> groups;
  std::size_t budget = 0;  ///< trials of the products' numbers; of the library a twentieth
  std::uint32_t seed = 1;
  std::vector<std::string> only{};                  ///< keys, or sections with all their keys; empty: all
  std::function<void(std::size_t trials)> tried{};  ///< told of them as they come
};

/// A number that is fitted.
struct FittedNumber {
  const GpuKey* key = nullptr;
  CalibrationGroup group = CalibrationGroup::kProducts;
  std::vector<const GpuKey*> followers;  ///< keys that are `from: same`
  std::vector<std::size_t> rows;         ///< whose times it changes
};

/// One that is `from: fit` in the file and stays as it is.
struct KeptNumber {
  std::string path;
  std::string why;
};

class Calibration {
 public:
  /// Throws ConfigError where nothing is left to fit, or there are fewer times than numbers.
  Calibration(const LoadedGpu& base, const CalibrationRows& rows, CalibrationSettings settings);

  [[nodiscard]] const std::vector<FittedNumber>& numbers() const { return numbers_; }
  [[nodiscard]] const std::vector<KeptNumber>& kept() const { return kept_; }
  /// Trials of one fit at most.
  [[nodiscard]] std::size_t trials() const;

  /// The machine with its numbers fitted to these rows alone, rounded as a file has them.
  [[nodiscard]] GpuSpec fitted_to(const std::vector<std::size_t>& rows) const;

 private:
  using Which = std::vector<std::size_t>;

  void check_only() const;
  void find_numbers();
  [[nodiscard]] std::string why_kept(const FittedNumber& number) const;
  [[nodiscard]] std::vector<const GpuKey*> followers_of(std::string_view path) const;
  void fit(CalibrationGroup group, const Which& rows, GpuSpec& gpu) const;
  [[nodiscard]] double loss(CalibrationGroup group, const Which& rows, const GpuSpec& gpu) const;
  void add_residuals(CalibrationGroup group, std::size_t index, const GpuSpec& gpu, std::vector<double>& into) const;
  [[nodiscard]] Which rows_that_see(const FittedNumber& number) const;
  [[nodiscard]] std::size_t budget_of(CalibrationGroup group) const;

  const LoadedGpu& base_;
  const CalibrationRows& rows_;
  CalibrationSettings settings_;
  std::vector<FittedNumber> numbers_;
  std::vector<KeptNumber> kept_;
};

/// Whether a fit stopped because it may go no further from the base's number (56.4).
[[nodiscard]] bool at_its_limit(const GpuKey& key, double base, double fitted);

/// Of a key, in base units of its dimension: four digits; sizes 13 binary ones.
[[nodiscard]] std::int64_t rounded_number(const GpuKey& key, double value);

}  // namespace kernbench
