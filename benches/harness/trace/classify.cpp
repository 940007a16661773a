#include "benches/harness/trace/classify.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kernbench::traces {
namespace {

constexpr std::array<std::string_view, 7> kCommunicationWords{
    "nccl", "rccl", "cross_device_reduce", "quickreduce", "deep_ep", "nvshmem", "rocshmem"};
constexpr std::array<std::string_view, 4> kGemmWords{"gemm", "nvjet", "cijk_", "cutlass"};
constexpr std::array<std::string_view, 8> kNoGemmWords{"igemm", "conv", "bwd_weight", "bwd_data",
                                                       "cudnn", "fmha", "flash",      "attention"};
constexpr std::array<std::string_view, 6> kGemmOps{"aten::mm",      "aten::addmm",      "aten::bmm",
                                                   "aten::baddbmm", "aten::_scaled_mm", "aten::_int_mm"};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char character) { return std::tolower(character); });
  return lower;
}

template <std::size_t kCount>
bool has_one_of(const std::string& text, const std::array<std::string_view, kCount>& words) {
  return std::ranges::any_of(words, [&text](std::string_view word) { return text.find(word) != std::string::npos; });
}

}  // namespace

bool is_communication_name(std::string_view kernel) { return has_one_of(lower_case(kernel), kCommunicationWords); }

bool is_copy_kernel_name(std::string_view kernel) {
  return kernel.find("__amd_rocclr_copyBuffer") != std::string_view::npos;
}

bool is_gemm_name(std::string_view kernel) {
  const std::string function = lower_case(kernel.substr(0, kernel.find_first_of("<(")));
  return has_one_of(function, kGemmWords) && !has_one_of(function, kNoGemmWords);
}

bool is_gemm_op(std::string_view op) { return std::ranges::find(kGemmOps, op) != kGemmOps.end(); }

}  // namespace kernbench::traces
