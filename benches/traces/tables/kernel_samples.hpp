// The kernels that causes are told from: of each rank the kernel of every GEMM call, and those that show its clock
// (ADR-0040, 40.24 to 40.27).
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/overlaps.hpp"
#include "benches/traces/tables/selection.hpp"

namespace kernbench::traces {

/// Kernels that do the same: one name, and where a GEMM operator launched them one operator and shape.
struct KernelKey {
  GemmShape shape;  ///< its op is "" where no GEMM operator launched the kernel
  std::string kernel;

  auto operator<=>(const KernelKey&) const = default;
};

/// Numbers keys from 0, for all traces together.
class KernelKeys {
 public:
  [[nodiscard]] std::size_t id_of(KernelKey key);
  [[nodiscard]] const KernelKey& key(std::size_t id) const { return *keys_[id]; }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  std::map<KernelKey, std::size_t> ids_;
  std::vector<const KernelKey*> keys_;  ///< into ids_
};

struct KernelSample {
  TraceId event = kNoId;  ///< into RankTrace::gpu_events
  std::size_t key = 0;
  TracePs duration = 0;
  TracePs overlap = 0;              ///< what of it communication of its rank runs, too
  std::optional<std::size_t> step;  ///< into RankTrace::steps

  /// Of its duration, 0 to 1.
  [[nodiscard]] double share() const;
  /// Communication runs during less than 1 % of it.
  [[nodiscard]] bool is_alone() const { return overlap * 100 < duration; }
};

struct RankSamples {
  const PlacedTrace* placed = nullptr;
  std::vector<KernelSample> calls;   ///< the longest kernel of each GEMM call, by event
  std::vector<KernelSample> steady;  ///< computation kernels of 5 µs or more that are alone, by event
};

/// One a trace, in their order; the traces have to outlive them.
[[nodiscard]] std::vector<RankSamples> kernel_samples(const std::vector<PlacedTrace>& traces,
                                                      const TraceSelection& selection, KernelKeys& keys);

}  // namespace kernbench::traces
