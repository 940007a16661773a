// Measured products that the numbers of a GPU's file are fitted to (adr/0056).
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/machine/gpu/gpu_spec.hpp"
#include "sim/plan/gpu/gpu_kernel.hpp"

namespace kernbench {

/// Times in ns, clocks in GHz; 0 where the row has none.
struct CalibrationRow {
  std::string place;  ///< "gemm.json: rows[3]"
  std::size_t file = 0;
  GpuGemm gemm;
  GpuKernel kernel;    ///< that was launched
  double warm = 0;     ///< a burst, the same operands again
  double flushed = 0;  ///< a burst, operands from HBM
  double steady = 0;   ///< the same operands again, under the power limit
  double clock = 0;    ///< of the SMs meanwhile
  std::string family;  ///< square, narrow, short k, long k, huge or other (56.5)
};

struct CalibrationFile {
  std::string name;  ///< without folders
  std::string sha256;
  std::vector<std::string> products;  ///< that are used, each once
  std::size_t used = 0;               ///< rows
};

struct CalibrationRows {
  std::vector<CalibrationRow> rows;
  std::vector<CalibrationFile> files;
  std::map<std::string, std::size_t> left_out;  ///< by reason
};

/// All rows of the files {"rows": [{"m", "n", "k", "dtype", "warm_burst_us", "kernels": [{"name"}], ...}]} that this
/// GPU has a model for. Throws ConfigError "FILE: rows[3].m: expected WHAT, got WHAT".
[[nodiscard]] CalibrationRows read_calibration_rows(const std::vector<std::filesystem::path>& paths,
                                                    const GpuSpec& gpu);

/// "4096,4096,4096,bf16": m, k, n, dtype, as a GPU's `fitted_to` has it.
[[nodiscard]] std::string product_text(const GpuGemm& gemm);

}  // namespace kernbench
