// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>

namespace kernbench {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  /// In (0, 1].
  double unit() { return static_cast<double>((next() >> 11U) + 1) * 0x1p-53; }

  /// 0 to bound - 1; bound must be positive.
  std::int64_t below(std::int64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int64_t>((static_cast<Wide>(next()) * static_cast<std::uint64_t>(bound)) >> 64U);
  }

 private:
  std::uint64_t state_;
};

}  // namespace kernbench
