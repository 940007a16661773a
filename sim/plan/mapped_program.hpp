// What the program of a mapping does on its PE: its calls, in their order, which hang on no time (adr/0032-mappings.md,
// 32.4).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/gemm_mapping.hpp"

namespace kernbench {

struct MappedCall {
  enum class What : std::uint8_t { kLoad, kRef, kWaitForLoad, kWaitForStep, kMultiply };
  What what = What::kMultiply;
  std::int64_t number = 0;  ///< of the load or the step; of a ref the BlockOf
};

class MappedProgram {
 public:
  explicit MappedProgram(const MappedGemm& mapped) : loaded_(mapped.mapping().blocks), loads_(mapped.loads()) {}

  [[nodiscard]] const BlockLoad& load(std::int64_t number) const { return loads_[static_cast<std::size_t>(number)]; }
  /// Loads that the steps so far have started.
  [[nodiscard]] std::int64_t loads_started() const { return static_cast<std::int64_t>(started_); }
  /// The calls of the next step.
  [[nodiscard]] std::vector<MappedCall> next();

 private:
  /// Starts, in their order, the loads that steps up to `needed` use, and those that steps up to `before` make
  /// possible: it waits for these steps.
  void start_loads(std::int64_t needed, std::int64_t before, std::vector<MappedCall>& calls);

  Residency loaded_;
  std::vector<BlockLoad> loads_;
  std::int64_t step_ = 0;
  std::int64_t over_ = -1;   ///< the last step that has been waited for
  std::size_t started_ = 0;  ///< loads
  std::size_t awaited_ = 0;  ///< loads
};

}  // namespace kernbench
