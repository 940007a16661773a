// Axes that take any value, as benches of workloads of one's own have them (adr/0035-what-if.md, 35.11).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// Of texts; `check` throws ConfigError for one that is no value. `usual` is the bench's own.
[[nodiscard]] Axis text_axis(const std::string& name, const char* usual, std::function<void(const std::string&)> check);

/// Of a whole number from `least` to `most`. `usual` is the bench's own, one or more.
[[nodiscard]] Axis count_axis(const std::string& name, int usual, std::int64_t least, std::int64_t most);
[[nodiscard]] Axis count_axis(const std::string& name, const std::vector<int>& usual, std::int64_t least,
                              std::int64_t most);

/// Of a dimension of a GEMM: a whole number, 512 where none is asked for.
[[nodiscard]] Axis dimension_axis(const std::string& name);

}  // namespace kernbench
