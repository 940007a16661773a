// The memory that a command may take: what is estimated to need more is refused before it is begun (ADR-0010, 10.13).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/plan/memory_estimate.hpp"

namespace kernbench {

/// What this process may use at most: the machine's memory, or what its control groups leave it. `root` stands for / in
/// tests. Throws std::runtime_error where Linux does not say.
[[nodiscard]] Bytes usable_memory(const std::filesystem::path& root = "/");

/// What a piece of work will take.
struct MemoryNeed {
  std::string what;  ///< "all_reduce ring 64 MiB on milestone-1h"
  MemoryEstimate estimate;
  std::string remedy;  ///< what can be made smaller: "fewer --ranks, a larger --chunk"
};

struct MemoryLimit {
  Bytes bytes = 0;
  std::string origin;  ///< "--memory 2 GiB"; "80 % of this machine's 16 GiB; --memory says otherwise"

  /// Throws ConfigError with the estimate, part by part, where it is more.
  void require(const MemoryNeed& need) const;
  /// How many of these pieces of work, `jobs` at most and 1 at least, fit at a time. Throws as require() where one
  /// alone does not.
  [[nodiscard]] int jobs_that_fit(const std::vector<MemoryNeed>& needs, int jobs) const;
};

/// 80 % of usable_memory().
[[nodiscard]] MemoryLimit default_memory_limit();

/// This process gets no more than `bytes` beyond what it has: an allocation beyond fails with std::bad_alloc, and the
/// machine does not begin to swap or to kill.
void limit_own_memory(Bytes bytes);

}  // namespace kernbench
