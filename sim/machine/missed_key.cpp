#include "sim/machine/missed_key.hpp"

namespace kernbench {

std::string_view instead_of_key(std::string_view path) {
  if (path == "pe.mac.rates.bf16") {
    return "bf16 is what the others are multiples of: expected pe.mac.macs_per_cycle, or pe.mac.rows, columns and "
           "depth, to say its rate";
  }
  if (path == "pe.vector.rates.add" || path == "pe.vector.rates.multiply") {
    return "additions and multiplications are what the others are multiples of: expected pe.vector.lanes to say their "
           "rate";
  }
  if (path == "sm.burst_clock") return "a burst's clock follows from what a product draws: expected power.peak";
  return "";
}

}  // namespace kernbench
