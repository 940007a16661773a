// How far a calibrated GPU is from measured products: those that it was fitted to, and each family of shapes predicted
// by a fit to the others (adr/0056).
#pragma once

#include <string>
#include <vector>

#include "benches/measured/calibrate/calibration.hpp"
#include "benches/measured/cases/error_summary.hpp"

namespace kernbench {

struct CalibrationPart {
  std::string what;   ///< "dtype"
  std::string value;  ///< "bf16"
  ErrorSummary before;
  ErrorSummary after;
  ErrorSummary held_out;  ///< of no time where nothing was held out
};

/// The machine as it was, as fitted to all rows, and for each row as fitted to the rows of the other families.
struct CalibratedMachines {
  GpuSpec before;
  GpuSpec after;
  std::vector<GpuSpec> held_out;        ///< one a family; empty: nothing was held out
  std::vector<std::size_t> machine_of;  ///< of each row, in held_out
};

/// The families of the rows, in order of their names.
[[nodiscard]] std::vector<std::string> families_of(const CalibrationRows& rows);

/// Parts of all rows: by state, whether the kernel is chosen, dtype, time, family.
[[nodiscard]] std::vector<CalibrationPart> calibration_parts(const CalibrationRows& rows,
                                                             const CalibratedMachines& machines);

/// Of all times that a machine predicts of these rows with their kernels.
[[nodiscard]] ErrorSummary error_on(const CalibrationRows& rows, const std::vector<std::size_t>& which,
                                    const GpuSpec& gpu, CalibrationGroup group);

}  // namespace kernbench
