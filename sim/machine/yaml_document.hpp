// One YAML document from a text, and what in it machine files do not take.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kernbench {

/// Levels of maps and lists inside each other; a machine has 4.
inline constexpr std::size_t kDeepestYaml = 16;

/// An anchor, an alias or a tag, where it stands. With them the same key could be given twice, or a value be called
/// something that it is not.
struct YamlRefusal {
  YAML::Mark mark;
  std::string what;  ///< "an alias"
};

struct YamlDocument {
  YAML::Node root;                      ///< null for an empty text, and where something is refused
  std::optional<YAML::Mark> following;  ///< where a second document begins: text that `root` does not contain
  std::vector<YamlRefusal> refused;     ///< in the order of the text, the first hundred
};

/// Throws YAML::Exception for text that is not YAML, or is nested too deep, with its mark.
YamlDocument parse_yaml_document(const std::string& text);

}  // namespace kernbench
