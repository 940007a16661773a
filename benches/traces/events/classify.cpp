#include "benches/traces/events/classify.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/base/text.hpp"

namespace kernbench::traces {
namespace {

constexpr std::array<std::string_view, 7> kCommunicationWords{
    "nccl", "rccl", "cross_device_reduce", "quickreduce", "deep_ep", "nvshmem", "rocshmem"};
constexpr std::array<std::string_view, 3> kGemmWords{"gemm", "nvjet", "cijk_"};
constexpr std::array<std::string_view, 9> kNoGemmWords{"igemm", "conv",  "bwd_weight", "bwd_data",     "cudnn",
                                                       "fmha",  "flash", "attention",  "implicit_gemm"};
// Of a name's words between underscores: what is done to a GEMM's operands.
constexpr std::array<std::string_view, 4> kBesideGemm{"transpose", "fill", "memset", "copy"};
constexpr std::array<std::string_view, 6> kGemmOps{"aten::mm",      "aten::addmm",      "aten::bmm",
                                                   "aten::baddbmm", "aten::_scaled_mm", "aten::_int_mm"};

template <std::size_t kCount>
bool has_one_of(const std::string& text, const std::array<std::string_view, kCount>& words) {
  return std::ranges::any_of(words, [&text](std::string_view word) { return text.find(word) != std::string::npos; });
}

/// A function or type without what its name stands in, and where its template arguments begin.
struct OwnName {
  std::string name;            ///< in lower case
  bool is_cutlass = false;     ///< in a namespace of CUTLASS
  std::string_view arguments;  ///< from behind "<"; empty: none
};

OwnName own_name(std::string_view text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string scope;
  for (std::size_t at = text.find(kAnonymous); at < text.find_first_of("<,>"); at = text.find(kAnonymous)) {
    scope += text.substr(0, at);
    text.remove_prefix(at + kAnonymous.size());
  }
  const std::size_t end = std::min(text.find_first_of("<(,>"), text.size());
  const std::string name = lower_case(scope + std::string(text.substr(0, end)));
  const std::size_t before = name.find_last_of(": ");  // a namespace, or the type that it returns
  const std::size_t from = before == std::string::npos ? 0 : before + 1;
  const bool has_arguments = end < text.size() && text[end] == '<';
  return {name.substr(from), name.substr(0, from).find("cutlass") != std::string::npos,
          has_arguments ? text.substr(end + 1) : std::string_view()};
}

/// Says nothing of what it does: CUTLASS's entry points, and guards as enable_sm90_or_later around a kernel's type.
bool is_wrapper(const OwnName& own, bool is_function) {
  if (!is_function) return own.name.starts_with("enable_");
  return own.is_cutlass && (own.name == "kernel" || own.name == "kernel2" || own.name == "device_kernel");
}

bool prepares_gemm(const std::string& name) {
  return std::ranges::any_of(split(name, "_"), [](const std::string& word) {
    return std::ranges::find(kBesideGemm, word) != kBesideGemm.end();
  });
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char character) { return std::tolower(character); });
  return lower;
}

bool is_communication_name(std::string_view kernel) { return has_one_of(lower_case(kernel), kCommunicationWords); }

bool is_copy_kernel_name(std::string_view kernel) {
  return kernel.find("__amd_rocclr_copyBuffer") != std::string_view::npos;
}

bool is_gemm_name(std::string_view kernel) {
  OwnName own = own_name(kernel);
  for (bool is_function = true; is_wrapper(own, is_function) && !own.arguments.empty(); is_function = false) {
    own = own_name(own.arguments);
  }
  return has_one_of(own.name, kGemmWords) && !has_one_of(own.name, kNoGemmWords) && !prepares_gemm(own.name);
}

bool is_gemm_op(std::string_view op) { return std::ranges::find(kGemmOps, op) != kGemmOps.end(); }

}  // namespace kernbench::traces
