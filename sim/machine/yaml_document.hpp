// One YAML document from a text, and whether another follows.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>

namespace kernbench {

struct YamlDocument {
  YAML::Node root;                      ///< null for an empty text
  std::optional<YAML::Mark> following;  ///< where a second document begins: text that `root` does not contain
};

/// Throws YAML::Exception for text that is not YAML, with its mark.
YamlDocument parse_yaml_document(const std::string& text);

}  // namespace kernbench
