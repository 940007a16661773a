// What PyTorch calls collectives (`Collective name`), and what their bytes and busbw are (ADR-0040, 40.21).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "benches/traces/events/rank_trace.hpp"
#include "sim/plan/collective/schedule.hpp"

namespace kernbench::traces {

/// "_allgather_base" is an all_gather. Nothing for what no algorithm here is: send, gather, a kernel's name.
[[nodiscard]] std::optional<kernbench::Collective> collective_of(const std::string& kind);

/// "send" or "recv".
[[nodiscard]] bool is_point_to_point(const std::string& kind);

/// Whether its ranks may have sizes that differ: all_to_allv.
[[nodiscard]] bool has_sizes_of_its_own(const std::string& kind);

/// The size of a collective as nccl-tests counts it: what a rank gives, of an all_gather what it gets, of a gather and
/// a scatter what the root gets or gives; 0: not known.
[[nodiscard]] std::int64_t collective_bytes(const CollectiveSignature& signature);

/// What algbw is multiplied by; nothing where the kind has no such factor.
[[nodiscard]] std::optional<double> busbw_factor_of(const std::string& kind, std::int64_t ranks);

}  // namespace kernbench::traces
