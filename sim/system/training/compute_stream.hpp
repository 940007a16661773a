// The GEMMs of one rank in their order, each on all its PEs at once (adr/0041, 41.4).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "sim/system/multi_pe_gemm.hpp"
#include "sim/system/training/training_step_run.hpp"

namespace kernbench {

class ComputeStream {
 public:
  struct Gemm {
    MultiPeGemmCall call;
    Picoseconds earliest;  ///< it begins no earlier
    Picoseconds extra;     ///< every PE stays in it so much longer
  };

  /// `gap`: from the end of a GEMM to the start of the next at least. `ended` is called when all PEs have ended a GEMM,
  /// with its index.
  ComputeStream(System& system, const MultiPeGemmKernel& kernel, std::vector<Gemm> gemms, Picoseconds gap,
                std::vector<std::int32_t> pes, std::function<void(std::size_t gemm)> ended);
  ComputeStream(const ComputeStream&) = delete;
  ComputeStream& operator=(const ComputeStream&) = delete;
  ~ComputeStream() = default;

  [[nodiscard]] KernelLaunch& launch() { return launch_; }
  [[nodiscard]] const std::vector<WorkTimes>& times() const { return times_; }

 private:
  Process run(KernelPe pe);
  /// All PEs begin the GEMM together, as soon as it may after `after`.
  void begin(std::size_t gemm, Picoseconds after);
  void end(std::size_t gemm);

  Calendar& calendar_;
  const MultiPeGemmKernel& kernel_;
  std::vector<Gemm> gemms_;
  Picoseconds gap_;
  std::function<void(std::size_t)> ended_;
  std::vector<WorkTimes> times_;
  std::deque<Completion> gates_;        // by GEMM
  std::vector<std::size_t> pes_ended_;  // by GEMM
  KernelLaunch launch_;
};

}  // namespace kernbench
