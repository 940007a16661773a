// The nearest valid name to a mistyped one, for "did you mean".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kernbench {

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the least distance to `name` (the first of equals), or "" where none is near: more than a third
/// of the longer name would have to change.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace kernbench
