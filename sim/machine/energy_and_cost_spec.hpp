// What operations and bytes of a machine take, and what its parts cost, as far as its file says (adr/0036).
#pragma once

#include <cstdint>
#include <string>

#include "sim/machine/per_dtype.hpp"

namespace kernbench {

/// Of a value that nobody gave: unknown, and not zero.
inline constexpr std::int64_t kNotGiven = -1;

/// In femtojoules: of an operation, or of a byte.
struct EnergySpec {
  PerDtype<kNotGiven> mac;             ///< a multiply-accumulate
  std::int64_t vector = kNotGiven;     ///< an operation of the vector unit on one element
  std::int64_t registers = kNotGiven;  ///< a byte between TCM and the array's registers
  std::int64_t tcm = kNotGiven;
  std::int64_t sram = kNotGiven;
  std::int64_t hbm = kNotGiven;
  std::int64_t router = kNotGiven;  ///< a byte through a router and the wire behind it
  std::int64_t die_to_die = kNotGiven;
  std::int64_t package_link = kNotGiven;
  std::int64_t static_power = kNotGiven;  ///< of a PE, in milliwatts
};

/// In millionths of the file's unit; a size is a MiB's (TCM, SRAM), GiB's (HBM) or KiB's (buffers), a bandwidth a
/// GB/s's.
struct CostSpec {
  std::string unit = "unit";
  std::int64_t pe = kNotGiven;
  PerDtype<kNotGiven> mac;  ///< a MAC a cycle
  std::int64_t lane = kNotGiven;
  std::int64_t buffer = kNotGiven;
  std::int64_t tcm = kNotGiven;
  std::int64_t tcm_bandwidth = kNotGiven;
  std::int64_t sram = kNotGiven;
  std::int64_t sram_bandwidth = kNotGiven;
  std::int64_t hbm = kNotGiven;
  std::int64_t hbm_bandwidth = kNotGiven;
  std::int64_t router_bandwidth = kNotGiven;
  std::int64_t die_to_die_bandwidth = kNotGiven;
  std::int64_t package_link_bandwidth = kNotGiven;
  std::int64_t host_link_bandwidth = kNotGiven;
};

}  // namespace kernbench
