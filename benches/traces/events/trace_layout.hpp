// Layouts of a sweep's tree: which parts of a path are the rank and the axes.
#pragma once

#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace kernbench::traces {

class TraceLayout {
 public:
  /// "{channels}ch_{threads}threads/rank{rank}.json". Throws ConfigError for a text without {rank} or with a name
  /// twice.
  explicit TraceLayout(const std::string& text);

  /// Names and what stands there, where the path ends so; nothing where it does not, or the rank is no number.
  [[nodiscard]] std::optional<std::vector<std::pair<std::string, std::string>>> match(
      const std::filesystem::path& path) const;

 private:
  std::vector<std::string> names_;
  std::regex pattern_;
};

inline constexpr const char* kRankName = "rank";

/// Those that are tried where none is given, the first that fits: with axes, then the rank alone.
[[nodiscard]] const std::vector<TraceLayout>& known_layouts();

}  // namespace kernbench::traces
