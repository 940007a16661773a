#include "sim/plan/memory_estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr double kLeastShare = 0.01;  // of the whole, of a part that is described

/// "16,785,408"; as a power of ten where nobody would count digits.
std::string approximate_count(double count) {
  if (count >= 1e12) return formatted("%.1e", count);
  std::string digits = formatted("%.0f", std::ceil(count));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

}  // namespace

double MemoryEstimate::bytes() const {
  return std::accumulate(parts_.begin(), parts_.end(), 0.0,
                         [](double sum, const MemoryPart& part) { return sum + part.bytes(); });
}

std::string MemoryEstimate::describe() const {
  std::vector<MemoryPart> parts = parts_;
  std::ranges::stable_sort(parts, [](const MemoryPart& a, const MemoryPart& b) { return a.bytes() > b.bytes(); });
  std::string text;
  for (const MemoryPart& part : parts) {
    if (part.bytes() < kLeastShare * bytes()) continue;
    text += "  " + approximate_count(part.count) + " " + part.what + ": " + approximate_bytes(part.bytes()) + "\n";
  }
  return text;
}

std::string approximate_bytes(double bytes) {
  constexpr std::array<std::string_view, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return formatted(bytes < 10 && unit > 0 ? "%.1f " : "%.0f ", bytes) + std::string(kUnits.at(unit));
}

}  // namespace kernbench
