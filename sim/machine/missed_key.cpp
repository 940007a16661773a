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
  if (path == "nccl.turn") {
    return "what ends a turn of the ring is a receive: expected nccl.read and nccl.write, which say how long it takes";
  }
  if (path == "nccl.stream_gain") {
    return "streams and CUDA graphs were measured alike: expected nccl.small_start, which is of both";
  }
  if (path == "nccl.broadcast_start") return "a broadcast begins with its first part: expected nccl.hop, which it has";
  return "";
}

}  // namespace kernbench
