#include "benches/io/text/key_names.hpp"

#include <algorithm>

#include "sim/base/text.hpp"

namespace kernbench {

std::string names_by_section(const std::vector<NamedKey>& keys) {
  std::vector<std::string> words;
  for (const NamedKey& key : keys) {
    if (!key.named) continue;
    std::string word = key.path;
    for (std::size_t dot = word.find('.'); dot != std::string::npos; dot = word.find('.', dot + 1)) {
      const std::string section = word.substr(0, dot + 1);
      const auto below = [&](const NamedKey& one) { return one.path.starts_with(section); };
      if (std::ranges::count_if(keys, below) > 1 &&
          std::ranges::all_of(keys, [&](const NamedKey& one) { return !below(one) || one.named; })) {
        word = section + "*";
        break;
      }
    }
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  return joined(words, ", ");
}

}  // namespace kernbench
