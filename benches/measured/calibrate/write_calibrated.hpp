// The file of a calibrated GPU (adr/0056): the base's text with its fitted numbers changed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benches/measured/calibrate/calibration_errors.hpp"

namespace kernbench {

struct CalibratedFile {
  std::filesystem::path base;
  std::filesystem::path out;
  std::string heading;  ///< "Calibrated: the command line"
};

/// "gemm.json, more.json".
[[nodiscard]] std::string names_of_files(const CalibrationRows& rows);

/// Writes `out` as one that load_gpu reads to exactly `gpu`: the base's text, each fitted number with its rows and the
/// error on them, each number that --set changed as assumed; and beside it the CSV `fitted_to` with the products of the
/// base's and of these rows. Throws as write_file does.
void write_calibrated(const CalibratedFile& file, const LoadedGpu& base, const CalibrationRows& rows,
                      const Calibration& calibration, const GpuSpec& gpu);

}  // namespace kernbench
