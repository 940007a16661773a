// bfloat16: the upper half of an IEEE 754 single.
#pragma once

#include <bit>
#include <cstdint>

namespace kernbench {

struct Bf16 {
  std::uint16_t bits = 0;

  constexpr Bf16() = default;
  /// Rounds to nearest, ties to even. Finite values only.
  explicit constexpr Bf16(float value) {
    const auto single = std::bit_cast<std::uint32_t>(value);
    bits = static_cast<std::uint16_t>((single + 0x7FFFU + ((single >> 16U) & 1U)) >> 16U);
  }
  explicit constexpr operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }
  constexpr bool operator==(const Bf16&) const = default;
};

}  // namespace kernbench
