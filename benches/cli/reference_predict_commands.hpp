// The commands `kernbench reference predict ...`, and the options by which each is told what to learn from.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "benches/io/program/command.hpp"
#include "benches/measured/predictor/gemm_rows.hpp"

namespace kernbench {

namespace reference_predict_error_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace reference_predict_tflops_command {
std::function<int()> set_up(CommandSpec& command);
}

/// Rows, --only, --with, --columns and --seed.
class PredictorOptions {
 public:
  /// `paths`: what the rows are called on the command line, "ROWS" or "--from".
  void add_to(CommandSpec& command, const std::string& paths);
  [[nodiscard]] GemmRows read() const { return read_gemm_rows(rows_); }
  [[nodiscard]] const GemmRowsToRead& rows() const { return rows_; }
  [[nodiscard]] std::uint32_t seed() const { return static_cast<std::uint32_t>(seed_); }
  /// As they were given, for a shell; each after a space.
  [[nodiscard]] std::string given() const;

 private:
  GemmRowsToRead rows_;
  std::int64_t seed_ = 1;
};

}  // namespace kernbench
