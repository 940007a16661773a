#include "sim/system/kernel_names.hpp"

#include <algorithm>
#include <array>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/system/kernel.hpp"
#include "sim/system/multi_pe_gemm.hpp"
#include "sim/system/user_kernel.hpp"

namespace kernbench {

namespace {

struct NamedKind {
  KernelKind kind;
  bool known;
  const char* before;  ///< of the name, in the command that runs it
};

template <class Kernels>
bool knows(const Kernels& kernels, const std::string& name) {
  return std::ranges::any_of(kernels, [&name](const auto& kernel) { return kernel.name == name; });
}

}  // namespace

void refuse_other_kinds(KernelKind asked, const std::string& name) {
  const std::array<NamedKind, 3> kinds{
      {{KernelKind::kGemm, knows(gemm_kernels(), name), "kernbench sim gemm --variant "},
       {KernelKind::kMultiPeGemm, knows(multi_pe_gemm_kernels(), name), "kernbench sim gemm --over die --variant "},
       {KernelKind::kUser, knows(user_kernels(), name), "kernbench sim "}}};
  const auto has_it = [asked](const NamedKind& kind) { return kind.kind == asked && kind.known; };
  if (std::ranges::any_of(kinds, has_it)) return;
  for (const NamedKind& kind : kinds) {
    if (!kind.known) continue;
    throw ConfigError("unknown " + std::string(asked == KernelKind::kUser ? "kernel " : "variant ") + in_quotes(name) +
                      " of this command: expected it as " + kind.before + name);
  }
}

}  // namespace kernbench
