// How much memory something will take, part by part: worked out before it is spent (adr/0010, 10.13).
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/base/units.hpp"

namespace kernbench {

/// What the program itself takes, with its libraries, as far as they come into memory: a little more than the peak of
/// the smallest simulation (10.13).
inline constexpr std::int64_t kProgramMemory = 40 << 20;

/// So many of something, each of so many bytes. Real numbers: an estimate neither overflows nor needs its last digit.
struct MemoryPart {
  std::string what;  ///< "links of the network"
  double count = 0;
  double each = 0;
  [[nodiscard]] double bytes() const { return count * each; }
};

class MemoryEstimate {
 public:
  template <class Count, class Each>
  void add(std::string what, Count count, Each each) {
    parts_.push_back({std::move(what), static_cast<double>(count), static_cast<double>(each)});
  }
  void add(const MemoryEstimate& other) { parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end()); }

  [[nodiscard]] const std::vector<MemoryPart>& parts() const { return parts_; }
  [[nodiscard]] double bytes() const;
  /// A line for each part that counts, the largest first: "  16,785,408 links of the network: 3.2 GiB".
  [[nodiscard]] std::string describe() const;

 private:
  std::vector<MemoryPart> parts_;
};

/// Two digits or more, in the unit that makes them legible: "3.2 GiB", "512 MiB".
[[nodiscard]] std::string approximate_bytes(double bytes);

}  // namespace kernbench
