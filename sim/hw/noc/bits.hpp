// Round robin on sets of up to 64 or 128 small numbers.
#pragma once

#include <bit>
#include <cstdint>

namespace kernbench {

__extension__ using Wide = unsigned __int128;

/// The smallest number in a set that is not empty.
inline int lowest(std::uint64_t set) { return std::countr_zero(set); }
inline int lowest(Wide set) {
  const auto low = static_cast<std::uint64_t>(set);
  return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(set >> 64U));
}

template <class Set>
Set only(int number) {
  return Set{1} << static_cast<unsigned>(number);
}

/// The first number of a set that is not empty, counted from `start` upwards and then from 0.
template <class Set>
int first_from(Set set, int start) {
  const Set after = set >> static_cast<unsigned>(start) << static_cast<unsigned>(start);
  return lowest(after != 0 ? after : set);
}

/// Takes the smallest number out of a set that is not empty.
template <class Set>
int take_lowest(Set& set) {
  const int number = lowest(set);
  set &= set - 1;
  return number;
}

}  // namespace kernbench
