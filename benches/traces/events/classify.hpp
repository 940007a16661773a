// What a GPU event is counted as, by its name (ADR-0040, 40.7).
#pragma once

#include <string>
#include <string_view>

namespace kernbench::traces {

/// ASCII letters as small ones.
[[nodiscard]] std::string lower_case(std::string_view text);

/// A kernel of NCCL, RCCL, NVSHMEM and the like, in any case of letters.
[[nodiscard]] bool is_communication_name(std::string_view kernel);

/// A kernel by which ROCm copies.
[[nodiscard]] bool is_copy_kernel_name(std::string_view kernel);

/// A kernel that multiplies matrices: by the function's own name, without namespaces, template arguments and
/// parameters, since attention kernels have CUTLASS types there; of CUTLASS's entry points by the kernel's type, their
/// first argument. Convolutions, attention, and what fills or transposes operands are none.
[[nodiscard]] bool is_gemm_name(std::string_view kernel);

/// An operator whose calls are GEMMs: aten::mm, addmm, bmm, baddbmm, _scaled_mm, _int_mm.
[[nodiscard]] bool is_gemm_op(std::string_view op);

}  // namespace kernbench::traces
