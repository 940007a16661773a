// What the parts of the table of a GPU's keys are written with.
#pragma once

#include "sim/machine/gpu/gpu_keys.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses, cppcoreguidelines-macro-usage): a member's path takes none
#define IN_GPU(member) \
  [](GpuSpec & gpu) -> auto& { return gpu.member; }
// NOLINTEND(bugprone-macro-parentheses, cppcoreguidelines-macro-usage)

namespace kernbench {

using GpuMember = double& (*)(GpuSpec&);

constexpr GpuKey gpu_time(std::string_view path, GpuMember ref, std::string_view meaning) {
  return {path, Dimension::kTime, "0 ns", "1000 us", ref, meaning};
}
constexpr GpuKey gpu_bandwidth(std::string_view path, GpuMember ref, std::string_view meaning,
                               std::string_view least = "1 GB/s") {
  return {path, Dimension::kBandwidth, least, "1000 TB/s", ref, meaning};
}
constexpr GpuKey gpu_count(std::string_view path, std::string_view most, GpuMember ref, std::string_view meaning) {
  return {path, Dimension::kCount, "1", most, ref, meaning};
}
constexpr GpuKey gpu_number(std::string_view path, std::string_view least, std::string_view most, GpuMember ref,
                            std::string_view meaning) {
  return {path, Dimension::kRatio, least, most, ref, meaning};
}

}  // namespace kernbench
