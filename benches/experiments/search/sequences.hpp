// Numbers that fill a cube evenly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernbench {

/// Rows of numbers in [0, 1), one for each axis.
using Sequence = std::vector<std::vector<double>>;

/// A Sobol sequence (Boost's, of Joe and Kuo's numbers), each axis shifted around the end by a number drawn with the
/// seed: any seed gives one as even as any other.
[[nodiscard]] Sequence sobol_sequence(std::size_t axes, std::size_t count, std::uint32_t seed);

/// Each axis is cut into as many strata as there are rows, and each stratum has one.
[[nodiscard]] Sequence latin_hypercube(std::size_t axes, std::size_t count, std::uint32_t seed);

}  // namespace kernbench
