// Element types as PyTorch names them in traces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernbench::traces {

/// "BFloat16" of "c10::BFloat16", "complex<Half>" of "c10::complex<c10::Half>".
[[nodiscard]] std::string element_type(std::string_view recorded);
/// Of a recorded number of the enumeration ScalarType, "15"; "" of one that is not known.
[[nodiscard]] std::string scalar_type(std::string_view number);

/// Bytes of an element; 0: not known.
[[nodiscard]] std::int64_t element_bytes(std::string_view type);
/// Values that an element packs: 2 of Float4_e2m1fn_x2.
[[nodiscard]] std::int64_t values_in(std::string_view type);
[[nodiscard]] bool is_complex(std::string_view type);

}  // namespace kernbench::traces
