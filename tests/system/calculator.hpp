// A second account of the model: what ADR-0004, 0005, 0006, 0008, 0014 and 0032 say, as plain recurrences and without a
// simulator. It shares nothing with sim/ but the machine's values and the units, so that the two can be compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/machine/machine_spec.hpp"

namespace kernbench::calculator {

/// Picoseconds as a plain number; all of the calculator's times are such.
using Time = std::int64_t;

/// 32.1, of those that hold both operands in blocks.
struct Mapping {
  TileShape tile;
  TileShape block;
  std::string order = "mnk";
  std::int64_t buffers = 1;
  std::string sums = "fp32";  ///< or fp16, bf16, int32
  bool sums_in_hbm = false;   ///< 32.19
};

/// C (m x n) = A (m x k) x B (k x n), run by the kernel `variant`: ref_ref, load_ref or load_load; or by a mapping.
struct Run {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  bool row_major = false;  ///< the layout; blocked otherwise
  std::string variant;
  std::string dtype = "bf16";
  std::string dtype_b = {};  ///< of B, where the vector unit converts it (34.8); empty: as A
  std::optional<Mapping> mapping{};
};

/// Totals of one stage (8.1 to 8.3).
struct Stage {
  std::int64_t records = 0;
  Time wall = 0;
  Time busy = 0;
  Bytes bytes = 0;
  std::int64_t macs = 0;
};

struct Outcome {
  Time pe_start = 0;
  Time pe_end = 0;
  Time composite_start = 0;
  Time composite_end = 0;
  std::map<std::string, Stage> stages;  ///< those with a record, by name
  std::int64_t tiles = 0;
  Bytes hbm_read = 0;
  Bytes hbm_written = 0;
};

/// Supposes a run that the machine can hold (6.10). Throws std::invalid_argument for another variant.
Outcome calculate(const MachineSpec& machine, const Run& run);

}  // namespace kernbench::calculator
