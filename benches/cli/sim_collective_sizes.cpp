#include "benches/cli/sim_collective_sizes.hpp"

#include "benches/harness/text/lists.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kMostSizes = 1000;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw ConfigError("--sizes " + text + ": " + why +
                    "; expected a size (64KiB), a list (16B,1KiB,1MiB) or a range (16B:64MiB:x4, 1KiB:8KiB:+1KiB)");
}

Bytes parse_size(const std::string& size_text, const std::string& whole) {
  Bytes size = 0;
  try {
    size = parse_quantity(size_text, Dimension::kBytes);
  } catch (const ConfigError& error) {
    refuse(whole, error.what());
  }
  if (size % kElementBytes != 0) {
    refuse(whole,
           std::to_string(size) + " B are no whole number of elements of " + std::to_string(kElementBytes) + " B");
  }
  return size;
}

/// How a range goes on: times `factor`, then plus `summand`.
struct Stride {
  std::int64_t factor = 1;
  Bytes summand = 0;
};

Stride parse_stride(const std::string& text, const std::string& whole) {
  if (text.size() > 1 && text.front() == '+') {
    const Bytes summand = parse_size(text.substr(1), whole);
    if (summand > 0) return {1, summand};
  }
  if (text.size() < 8 && text.starts_with("x")) {
    try {
      const std::int64_t factor = parse_quantity(text.substr(1), Dimension::kCount);
      if (factor > 1) return {factor, 0};
    } catch (const ConfigError&) {  // said below
    }
  }
  refuse(whole, "a range ends in x and a factor above 1, or in + and a size, got '" + text + "'");
}

std::vector<Bytes> parse_range(const std::vector<std::string>& parts, const std::string& whole) {
  const Bytes first = parse_size(parts[0], whole);
  const Bytes last = parse_size(parts[1], whole);
  const Stride stride = parts.size() == 3 ? parse_stride(parts[2], whole) : Stride{4, 0};
  if (first > last) refuse(whole, "the range ends before it begins");
  if (first == 0 && stride.factor > 1) refuse(whole, "0 B times a factor stays 0 B");
  std::vector<Bytes> sizes;
  for (Bytes size = first; size <= last && sizes.size() <= kMostSizes; size = size * stride.factor + stride.summand) {
    sizes.push_back(size);
    if (size > (last - stride.summand) / stride.factor) break;  // before the next one passes what a number holds
  }
  return sizes;
}

}  // namespace

std::vector<Bytes> parse_sizes(const std::string& text) {
  std::vector<Bytes> sizes;
  for (const std::string& item : list_items("--sizes", text)) {
    const std::vector<std::string> ends = list_items("--sizes", item, ':');
    if (ends.size() > 3) refuse(text, "too many colons");
    const std::vector<Bytes> more =
        ends.size() >= 2 ? parse_range(ends, text) : std::vector<Bytes>{parse_size(ends.front(), text)};
    sizes.insert(sizes.end(), more.begin(), more.end());
  }
  if (sizes.size() > kMostSizes) refuse(text, "more than " + std::to_string(kMostSizes) + " sizes");
  return each_once(sizes);
}

}  // namespace kernbench
