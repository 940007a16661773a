#include "benches/traces/tables/collective_kinds.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "benches/traces/events/element_types.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"

namespace kernbench::traces {
namespace {

/// What kinds have in them, without "_"; the first that fits.
constexpr std::array<std::pair<std::string_view, kernbench::Collective>, 6> kKindWords{{
    {"allreduce", kernbench::Collective::kAllReduce},
    {"reducescatter", kernbench::Collective::kReduceScatter},
    {"allgather", kernbench::Collective::kAllGather},
    {"alltoall", kernbench::Collective::kAllToAll},
    {"broadcast", kernbench::Collective::kBroadcast},
    {"reduce", kernbench::Collective::kReduce},
}};

std::string without_underscores(std::string kind) {
  std::erase(kind, '_');
  return kind;
}

/// Words of a recorded kind, which is short; a kernel's name says too much to be searched.
bool is_recorded(const std::string& kind) {
  return kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
}

}  // namespace

std::optional<kernbench::Collective> collective_of(const std::string& kind) {
  if (!is_recorded(kind)) return std::nullopt;
  const std::string word = without_underscores(kind);
  for (const auto& [part, collective] : kKindWords) {
    if (word.find(part) != std::string::npos) return collective;
  }
  return std::nullopt;
}

bool is_point_to_point(const std::string& kind) { return kind == "send" || kind == "recv"; }

bool has_sizes_of_its_own(const std::string& kind) {
  return without_underscores(kind).find("alltoallv") != std::string::npos;
}

std::int64_t collective_bytes(const CollectiveSignature& signature) {
  if (has_sizes_of_its_own(signature.kind)) return 0;
  const bool fills = is_recorded(signature.kind) && signature.kind.find("gather") != std::string::npos;
  const std::int64_t elements = fills ? signature.out_elements : signature.in_elements;
  return std::max<std::int64_t>(elements, 0) * element_bytes(signature.dtype);
}

std::optional<double> busbw_factor_of(const std::string& kind, std::int64_t ranks) {
  if (is_point_to_point(kind)) return 1.0;
  if (ranks < 1 || !is_recorded(kind)) return std::nullopt;
  if (const std::optional<kernbench::Collective> collective = collective_of(kind)) {
    return busbw_factor(*collective, ranks);
  }
  // What a gather or scatter moves goes through the root's port, as what an all_gather moves goes through each rank's.
  const bool has_root = kind.find("gather") != std::string::npos || kind.find("scatter") != std::string::npos;
  return has_root ? std::optional(busbw_factor(kernbench::Collective::kAllGather, ranks)) : std::nullopt;
}

}  // namespace kernbench::traces
