// Correlation and external ids of several ranks in one file: those of a rank move behind those of the ranks before it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string_view>
#include <system_error>

namespace kernbench::traces {

/// A whole number up to 2^64 - 1; false for all else.
inline bool read_id(std::string_view text, std::uint64_t& id) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc{} && rest == text.data() + text.size();
}

class MergedIds {
 public:
  /// Whether an argument of that name is such an id.
  [[nodiscard]] static bool is_id(std::string_view argument) {
    return argument == "correlation" || argument == "External id" || argument == "external id";
  }

  /// Ids that follow are another rank's.
  void start_rank() {
    first_ = next_;
    large_.clear();
  }

  /// The id in the merged file. 0 and 2^64 - 1, which name nothing, stay. Ids of 2^48 and more, as old profilers wrote
  /// them, are numbered from 2^62 on.
  [[nodiscard]] std::uint64_t merged(std::uint64_t id) {
    if (id == 0 || id == ~std::uint64_t{0}) return id;
    if (id >= kLarge) {
      const auto [found, is_new] = large_.try_emplace(id, next_large_);
      if (is_new) ++next_large_;
      return found->second;
    }
    next_ = std::max(next_, first_ + id);
    return first_ + id;
  }

 private:
  static constexpr std::uint64_t kLarge = std::uint64_t{1} << 48U;

  std::uint64_t first_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t next_large_ = std::uint64_t{1} << 62U;
  std::map<std::uint64_t, std::uint64_t> large_;
};

}  // namespace kernbench::traces
