// Bytes as a gzip file holds them.
#pragma once

#include <string>
#include <string_view>

namespace kernbench {

/// A whole gzip file without name and time: equal bytes give equal files. Throws SimulationError where memory runs out.
[[nodiscard]] std::string gzipped(std::string_view bytes);

}  // namespace kernbench
