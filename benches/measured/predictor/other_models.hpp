// What else says how long a GEMM takes, to hold a predictor's error against: a roofline, a simulation (46.8).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benches/measured/predictor/held_out.hpp"

namespace kernbench {

/// What a device reaches at best.
struct Peaks {
  std::string name;                ///< "NVIDIA H200", "one PE of milestone-1h"
  std::map<Dtype, double> tflops;  ///< 10^12 FLOP/s, dense
  double memory_gbs = 0;           ///< 10^9 B/s

  /// max(FLOP / peak, bytes / bandwidth) in ns; nothing for a dtype without a peak.
  [[nodiscard]] std::optional<double> roofline_ns(const GemmRow& row) const;
};

/// Of a device's card (.json) or of one PE of a machine file and its partition of the HBM. Throws ConfigError as
/// parse_device and load_machine do.
[[nodiscard]] Peaks read_peaks(const std::filesystem::path& file);
/// The card beside a file of reference rows; nothing where there is none.
[[nodiscard]] std::optional<std::filesystem::path> card_beside(const std::filesystem::path& rows);

/// A simulated time for a row; nothing where the shape was not simulated in its dtype.
class SimulatedTimes {
 public:
  /// Throws ConfigError where two rows have the same m, n, k and dtype: which of them is meant?
  explicit SimulatedTimes(const GemmRows& rows);
  [[nodiscard]] std::optional<double> time_ns(const GemmRow& row) const;
  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  std::map<std::string, double> times_;  ///< by shape and dtype
  std::string source_;
};

struct OtherModels {
  std::optional<Peaks> peaks{};
  std::optional<SimulatedTimes> simulated{};
};

struct ComparedModel {
  std::string name;                      ///< "predictor", "roofline", "roofline x constant", "simulator", ...
  std::optional<ErrorSummary> errors{};  ///< nothing: it is not there
  std::string note{};                    ///< what it is; why it is not there
};

/// All of them on the same held-out rows: those that the predictor covers and every model that is there has a time for.
/// A constant is the geometric mean of actual / model over the rows outside of a row's fold.
[[nodiscard]] std::vector<ComparedModel> compare_models(const GemmRows& rows, const std::vector<std::size_t>& folds,
                                                        const std::vector<HeldOutRow>& held_out,
                                                        const OtherModels& others);

}  // namespace kernbench
