// Reads Perfetto's TrackEvent packets for TraceFacts.
#pragma once

#include <filesystem>

#include "benches/traces/merge/trace_facts.hpp"

namespace kernbench::traces {

/// Fills `facts`. Throws ConfigError with the byte for what is no packet.
void read_perfetto_facts(const std::filesystem::path& file, TraceFacts& facts);

}  // namespace kernbench::traces
