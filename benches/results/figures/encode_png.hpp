// Pixels as a PNG file holds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kernbench {

/// The whole file. A pixel is 0x00RRGGBB; rows stand one after the other, each `stride` pixels from the one before it,
/// and their first `width` pixels are the picture's. Throws std::runtime_error where memory runs out.
[[nodiscard]] std::string encode_png(std::span<const std::uint32_t> pixels, std::size_t width, std::size_t stride);

}  // namespace kernbench
