#include "benches/traces/events/trace_layout.hpp"

#include <algorithm>

#include "sim/base/errors.hpp"

namespace kernbench::traces {
namespace {

[[noreturn]] void refuse_layout(const std::string& text, const std::string& why) {
  throw ConfigError("--layout \"" + text + "\": " + why + ": expected for example " +
                    "{channels}ch_{threads}threads/rank{rank}.json");
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

TraceLayout::TraceLayout(const std::string& text) {
  std::string pattern = "(?:^|.*/)";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (character == '{') {
      const std::size_t close = text.find('}', i);
      if (close == std::string::npos || close == i + 1) refuse_layout(text, "a name has no end");
      names_.push_back(text.substr(i + 1, close - i - 1));
      pattern += names_.back() == kRankName ? "([0-9]+)" : "([^/]+?)";
      i = close;
    } else if (character == '*') {
      pattern += "[^/]*";
    } else {
      if (std::string_view("\\^$.|?+()[]}").find(character) != std::string_view::npos) pattern += '\\';
      pattern += character;
    }
  }
  std::vector<std::string> sorted = names_;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) refuse_layout(text, "a name is there twice");
  if (!std::ranges::binary_search(sorted, kRankName)) refuse_layout(text, "{rank} is not there");
  pattern_ = std::regex(pattern + "(?:\\.gz)?");
}

std::optional<std::vector<std::pair<std::string, std::string>>> TraceLayout::match(
    const std::filesystem::path& path) const {
  const std::string text = path.generic_string();
  std::smatch found;
  if (!std::regex_match(text, found, pattern_)) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> values;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == kRankName && !is_number(found[i + 1].str())) return std::nullopt;
    values.emplace_back(names_[i], found[i + 1].str());
  }
  return values;
}

const std::vector<TraceLayout>& known_layouts() {
  static const std::vector<TraceLayout> layouts{
      TraceLayout("{channels}ch_{threads}threads/rank{rank}.json"),
      TraceLayout("{channels}ch_{threads}threads_{point}/rank{rank}.json"),
      TraceLayout("{threads}thread/nccl_{channels}channels/torch_profiler/rank{rank}/*.json"),
      TraceLayout("rank{rank}.json"),
      TraceLayout("rank{rank}/*.json"),
      TraceLayout("rank{rank}_*.json"),
      TraceLayout("*rank{rank}.json")};
  return layouts;
}

}  // namespace kernbench::traces
