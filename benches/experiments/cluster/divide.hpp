// Points divided into tasks.
#pragma once

#include <cstddef>
#include <vector>

namespace kernbench {

/// Each index of `costs`, dearest first, to the task that has the least cost so far, of equal ones the first. At most
/// `tasks` tasks, none empty.
[[nodiscard]] std::vector<std::vector<std::size_t>> divided(const std::vector<double>& costs, std::size_t tasks);

}  // namespace kernbench
