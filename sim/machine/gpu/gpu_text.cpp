#include "sim/machine/gpu/gpu_text.hpp"

#include <algorithm>
#include <optional>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/yaml_document.hpp"

namespace kernbench {
namespace {

std::size_t next_line(const std::string& text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  return end == std::string::npos ? text.size() : end + 1;
}

/// Behind the } that closes the { at `open`; texts in quotes are passed over.
std::size_t closing(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      const bool opens = text[at - 1] == ' ' || text[at - 1] == '{' || text[at - 1] == ':' || text[at - 1] == ',';
      if (!opens) continue;  // an apostrophe
      for (++at; at < text.size() && text[at] != c; ++at) {
        if (c == '"' && text[at] == '\\') ++at;
      }
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return at + 1;
    }
  }
  throw ConfigError("the machine file: expected a } for each {");
}

/// The part of a path that the text has, and what is below it.
struct Found {
  std::size_t key = std::string::npos;  ///< where the last known key stands
  YAML::Node node;
  std::vector<std::string> rest;
};

Found find_in(const std::string& text, const std::string& path) {
  Found found;
  found.node = parse_yaml_document(text).root;
  found.rest = split(path, ".");
  while (!found.rest.empty() && found.node.IsMap()) {
    std::optional<std::pair<std::size_t, YAML::Node>> next;
    for (const auto& entry : found.node) {
      if (!entry.first.IsScalar() || entry.first.Scalar() != found.rest.front()) continue;
      next.emplace(static_cast<std::size_t>(entry.first.Mark().pos), entry.second);
    }
    if (!next) break;
    found.key = next->first;
    found.node.reset(next->second);
    found.rest.erase(found.rest.begin());
  }
  return found;
}

}  // namespace

std::string with_gpu_number(const std::string& text, const std::string& path, const std::string& value) {
  const Found found = find_in(text, path);
  std::string changed = text;
  if (found.rest.empty()) {
    const auto open = static_cast<std::size_t>(found.node.Mark().pos);
    if (!found.node.IsMap() || text[open] != '{') {
      throw ConfigError("the machine file: " + path + ": expected {is: ..., from: ..., note: ...} on one line");
    }
    return changed.replace(open, closing(text, open) - open, value);
  }
  std::string indent;
  std::size_t at = text.size();
  if (found.key != std::string::npos) {
    const auto depth = split(path, ".").size() - found.rest.size();
    indent = std::string(2 * depth, ' ');
    at = next_line(text, found.key);
  } else if (!text.empty() && text.back() != '\n') {
    changed += "\n";
    at = changed.size();
  }
  std::string lines;
  for (std::size_t i = 0; i < found.rest.size(); ++i) {
    lines += indent + found.rest[i] + ":" + (i + 1 < found.rest.size() ? "" : " " + value) + "\n";
    indent += "  ";
  }
  return changed.insert(at, lines);
}

std::string with_heading_line(const std::string& text, const std::string& line) {
  const std::string begin = "# " + line.substr(0, line.find(':') + 1);
  std::string changed = text;
  std::size_t at = 0;
  while (at < changed.size() && changed[at] == '#') {
    const std::size_t next = next_line(changed, at);
    if (changed.compare(at, begin.size(), begin) == 0) {
      changed.erase(at, next - at);
    } else {
      at = next;
    }
  }
  return changed.insert(at, "# " + line + "\n");
}

std::string with_head_key(const std::string& text, const std::string& key, const std::string& value) {
  const std::string line = key + ": " + value + "\n";
  std::string changed = text;
  if (const Found old = find_in(text, key); old.rest.empty()) {
    return changed.replace(old.key, next_line(changed, old.key) - old.key, line);
  }
  std::size_t at = 0;
  for (const char* before : {"schema", "kind", "name", "base", "device"}) {
    const Found head = find_in(changed, before);
    if (head.rest.empty()) at = std::max(at, next_line(changed, head.key));
  }
  return changed.insert(at, line);
}

}  // namespace kernbench
