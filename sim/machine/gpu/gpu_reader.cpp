#include "sim/machine/gpu/gpu_reader.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "sim/base/errors.hpp"
#include "sim/base/nearest.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/gpu/gpu_contradictions.hpp"
#include "sim/machine/missed_key.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kLargestGpuFile = std::size_t{1} << 20U;
constexpr std::size_t kMostBases = 8;
constexpr std::array<const char*, 6> kHeadKeys{"schema", "kind", "name", "base", "device", "fitted_to"};

/// What a file may have directly in a section ("": the file itself).
std::vector<std::string> names_below(const std::string& section) {
  std::vector<std::string> names = gpu_names_below(section);
  if (section.empty()) names.insert(names.begin(), kHeadKeys.begin(), kHeadKeys.end());
  return names;
}

bool is_optional(std::string_view section) {
  return std::ranges::find(gpu_sections(), section, &GpuSection::path) != gpu_sections().end();
}

bool is_plain_name(const std::string& name) {
  constexpr std::size_t kLongest = 64;
  return name.size() <= kLongest && std::ranges::all_of(name, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
                  c == '.';
         });
}

std::string sources() {
  std::vector<std::string> names;
  for (const std::string_view name : kNumberSources.all()) {
    if (name != "set") names.emplace_back(name);
  }
  return joined(names, ", ");
}

Place place_of(const YAML::Node& node, std::size_t file) {
  Place place;
  place.line = node.Mark().line + 1;
  place.column = node.Mark().column + 1;
  place.file = file;
  return place;
}

/// What is expected of a file in its place; "" where it may be one.
std::string wrong_base(const std::string& path, const std::vector<std::string>& seen) {
  if (std::ranges::find(seen, path) != seen.end()) return "expected a file that is not based on itself";
  if (seen.size() > kMostBases) return "expected at most " + std::to_string(kMostBases) + " files one upon the other";
  if (!std::filesystem::is_regular_file(path)) return "expected a file that is there";
  return is_gpu_file(path) ? "" : "expected a GPU (kind: gpu)";
}

}  // namespace

bool GpuReader::is_dropped(const std::string& section, std::size_t file) const {
  const auto found = dropped_.find(section);
  return found != dropped_.end() && found->second < file;
}

void GpuReader::read_file() {
  std::string path = path_;
  std::vector<std::string> seen{path};
  for (std::size_t file = 0;; file = diagnostics_.add_file(path)) {
    base_.clear();
    read_text(path, file);
    if (base_.empty()) return;
    path = (std::filesystem::path(path).parent_path() / base_).lexically_normal().string();
    const std::string wrong = wrong_base(path, seen);
    if (!wrong.empty()) {
      diagnostics_.add(base_place_, "base", wrong + ", got " + path);
      incomplete_ = true;
      return;
    }
    seen.push_back(path);
    gpu_.bases.push_back(path);
  }
}

void GpuReader::read_text(const std::string& path, std::size_t file) {
  try {
    const YamlDocument document = parse_yaml_document(kernbench::read_file(path, kLargestGpuFile));
    const auto refuse = [&](const YAML::Mark& mark, const std::string& why) {
      diagnostics_.add(Place{mark.line + 1, mark.column + 1, 0, "", file}, "", why);
    };
    for (const YamlRefusal& refused : document.refused)
      refuse(refused.mark, "expected plain YAML, got " + refused.what);
    if (document.following) refuse(*document.following, "expected one GPU in a file, got a second YAML document");
    if (!document.refused.empty() || document.following) return;
    if (!document.root.IsMap()) {
      diagnostics_.add(Place{1, 1, 0, "", file}, "", "expected a GPU: sections with numbers, got no map");
      return;
    }
    read_head(document.root, path, file);
  } catch (const YAML::Exception& error) {
    diagnostics_.add(Place{error.mark.line + 1, error.mark.column + 1, 0, "", file}, "",
                     "not valid YAML: " + error.msg);
  }
}

void GpuReader::read_head(const YAML::Node& root, const std::string& path, std::size_t file) {
  const auto text_of = [&](const char* key) { return root[key] && root[key].IsScalar() ? root[key].Scalar() : ""; };
  base_ = text_of("base");
  base_place_ = root["base"] ? place_of(root["base"], file) : Place{};
  const auto expect = [&](const char* key, std::string_view word) {
    if (const std::string text = text_of(key); text != word && !(text.empty() && !base_.empty() && !root[key])) {
      const Place place = root[key] ? place_of(root[key], file) : Place{1, 1, 0, "", file};
      diagnostics_.add(place, key, "expected " + std::string(word) + ", got '" + text + "'");
    }
  };
  expect("schema", kGpuSchema);
  expect("kind", "gpu");
  const std::string name = text_of("name");
  if (!is_plain_name(name)) {
    diagnostics_.add(place_of(root["name"], file), "name", "expected up to 64 letters, digits, '_', '-' and '.'");
  }
  if (root["base"] && base_.empty()) {
    diagnostics_.add(place_of(root["base"], file), "base", "expected a file");
    incomplete_ = true;
  }
  if (gpu_.spec.name.empty()) gpu_.spec.name = name;
  if (name.empty() && base_.empty())
    diagnostics_.add(Place{1, 1, 0, "", file}, "name", "missing; expected the name of the GPU");
  if (file == 0) {
    gpu_.device = text_of("device");
    if (const std::string list = text_of("fitted_to"); root["fitted_to"]) {
      gpu_.fitted_to = (std::filesystem::path(path).parent_path() / list).lexically_normal().string();
      if (list.empty() || !std::filesystem::is_regular_file(gpu_.fitted_to)) {
        diagnostics_.add(place_of(root["fitted_to"], file), "fitted_to",
                         "expected a CSV file that is there, got '" + list + "'");
      }
    }
  }
  read_section(root, "", path, file);
}

void GpuReader::read_section(const YAML::Node& node, const std::string& section, const std::string& path,
                             std::size_t file) {
  std::vector<std::string> seen;
  for (const auto& entry : node) {
    const Place place = place_of(entry.first, file);
    if (!entry.first.IsScalar()) {
      diagnostics_.add(place, section, "expected a key, got a map or a list");
      continue;
    }
    const std::string name = entry.first.Scalar();
    const std::string full = section.empty() ? name : section + "." + name;
    if (std::ranges::find(seen, name) != seen.end()) {
      diagnostics_.add(place, full, "duplicate key: expected it once");
      continue;
    }
    seen.push_back(name);
    if (is_dropped(full, file)) continue;
    if (section.empty() && std::ranges::find(kHeadKeys, name) != kHeadKeys.end()) continue;
    if (const GpuKey* key = find_gpu_key(full)) {
      if (attempted_.contains(full)) continue;  // a base's, which the file replaces
      attempted_[full] = place;
      read_number(*key, entry.second, place, path);
      continue;
    }
    if (is_gpu_section(full)) {
      read_subsection(entry.second, full, place, path);
      continue;
    }
    const std::vector<std::string> siblings = names_below(section);
    if (const auto instead = instead_of_key(full); !instead.empty()) {
      diagnostics_.add(place, full, "unknown key; " + std::string(instead));
      continue;
    }
    const std::string nearest = nearest_name(name, siblings);
    diagnostics_.add(place, full,
                     nearest.empty() ? "unknown key; expected one of " + joined(siblings)
                                     : "unknown key; did you mean '" + nearest + "'?");
  }
}

void GpuReader::read_subsection(const YAML::Node& node, const std::string& section, const Place& place,
                                const std::string& path) {
  if (node.IsMap()) {
    read_section(node, section, path, place.file);
  } else if (node.IsNull() && !base_.empty() && is_optional(section)) {
    dropped_.emplace(section, place.file);
  } else {
    diagnostics_.add(place, section, "expected a section with the keys " + joined(names_below(section)));
  }
}

void GpuReader::read_number(const GpuKey& key, const YAML::Node& node, const Place& place, const std::string& path) {
  const std::string example = std::string(example_of(key.dimension));
  if (!node.IsMap()) {
    return diagnostics_.add(place, key.path,
                            "expected how the number was obtained beside it: {is: VALUE, from: SOURCE, note: ...}, " +
                                std::string("with ") + example + " and one of " + sources());
  }
  std::vector<std::string> parts;
  for (const auto& entry : node) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (std::ranges::find(parts, name) != parts.end()) {
      return diagnostics_.add(place_of(entry.first, place.file), key.path, "duplicate " + name + ": expected it once");
    }
    parts.push_back(name);
    if (name != "is" && name != "from" && name != "note") {
      return diagnostics_.add(place_of(entry.first, place.file), key.path,
                              "expected is, from and note, got '" + name + "'");
    }
  }
  const auto text_of = [&](const char* part) { return node[part] && node[part].IsScalar() ? node[part].Scalar() : ""; };
  const std::string from = text_of("from");
  const auto source = kNumberSources.find(from);
  if (!source || *source == NumberSource::kSet) {
    return diagnostics_.add(place, key.path, "from: expected one of " + sources() + ", got '" + from + "'");
  }
  GpuOrigin origin{*source, text_of("note"), "", path};
  if (origin.note.empty() && *source != NumberSource::kDataSheet) {
    return diagnostics_.add(place, key.path,
                            *source == NumberSource::kSame ? "note: expected the key whose number it is"
                                                           : "note: expected which rows, which page or why");
  }
  if (*source == NumberSource::kSame) {
    if (node["is"]) return diagnostics_.add(place, key.path, "is: expected none beside from: same");
    given_[std::string(key.path)] = {place, origin};
    return;
  }
  if (!node["is"]) return diagnostics_.add(place, key.path, "is: missing; expected " + example);
  set(key, text_of("is"), place, origin);
}

void GpuReader::set(const GpuKey& key, const std::string& text, const Place& place, GpuOrigin origin) {
  try {
    origin.written = read_gpu_number(key, text, gpu_.spec);
    given_[std::string(key.path)] = {place, origin};
  } catch (const ConfigError& error) {
    diagnostics_.add(place, key.path, error.what());
  }
}

void GpuReader::read_override(const std::string& assignment) {
  const Place place{0, 0, ++overrides_, assignment, 0};
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) {
    return diagnostics_.add(place, "", "expected key.path=value, such as hbm.bandwidth='3 TB/s'");
  }
  const std::string path(trimmed(std::string_view(assignment).substr(0, equals)));
  const GpuKey* key = find_gpu_key(path);
  if (key == nullptr) {
    if (const auto instead = instead_of_key(path); !instead.empty()) {
      return diagnostics_.add(place, path, "unknown key of a GPU; " + std::string(instead));
    }
    std::vector<std::string> paths;
    for (const GpuKey& one : gpu_keys()) paths.emplace_back(one.path);
    const std::string nearest = nearest_name(path, paths);
    return diagnostics_.add(place, path,
                            "unknown key of a GPU" + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }
  attempted_[path] = place;
  set(*key, std::string(trimmed(std::string_view(assignment).substr(equals + 1))), place,
      {NumberSource::kSet, "--set", "", "--set"});
}

bool GpuReader::section_given(std::string_view section) const {
  return std::ranges::any_of(attempted_,
                             [&](const auto& one) { return one.first.starts_with(std::string(section) + "."); });
}

void GpuReader::take_over_same() {
  for (auto& [path, given] : given_) {
    if (given.origin.from != NumberSource::kSame) continue;
    const GpuKey* other = find_gpu_key(given.origin.note);
    const GpuKey& key = *find_gpu_key(path);
    const auto found = given_.find(given.origin.note);
    if (found == given_.end() && attempted_.contains(given.origin.note)) continue;  // its own error is told
    if (other == nullptr || other->dimension != key.dimension || found == given_.end() ||
        found->second.origin.from == NumberSource::kSame) {
      diagnostics_.add(
          given.place, path,
          "note: expected a key of the same kind that has a number itself, got '" + given.origin.note + "'");
      continue;
    }
    key.ref(gpu_.spec) = other->ref(gpu_.spec);
    given.origin.written = found->second.origin.written;
  }
}

void GpuReader::report_missing() {
  for (const GpuSection& section : gpu_sections()) section.given(gpu_.spec) = section_given(section.path);
  std::vector<std::string> missing;
  for (const GpuKey& key : gpu_keys()) {
    if (attempted_.contains(std::string(key.path))) continue;
    const GpuSection* section = gpu_section_of(key.path);
    if (section != nullptr && !section->given(gpu_.spec)) continue;
    diagnostics_.add(
        Place{}, key.path,
        "missing; expected {is: ..., from: ..., note: ...} with " + std::string(example_of(key.dimension)));
  }
}

void GpuReader::report_contradictions() {
  for (const GpuContradiction& one : gpu_contradictions()) {
    if (!std::ranges::all_of(one.keys, [&](std::string_view key) {
          const GpuSection* section = gpu_section_of(key);
          return given_.contains(std::string(key)) || (section != nullptr && !section->given(gpu_.spec));
        })) {
      continue;
    }
    const std::string message = one.check(gpu_.spec);
    if (message.empty()) continue;
    // Where --set says one of them, that is where the contradiction came from.
    const auto is_set = [this](std::string_view key) {
      const auto found = given_.find(std::string(key));
      return found != given_.end() && found->second.origin.from == NumberSource::kSet;
    };
    const auto set = std::ranges::find_if(one.keys, is_set);
    const auto found = given_.find(std::string(set == one.keys.end() ? one.keys.front() : *set));
    diagnostics_.add(found == given_.end() ? Place{} : found->second.place, one.keys.front(), message);
  }
}

LoadedGpu GpuReader::finish() {
  if (!diagnostics_.full() && !incomplete_) {
    take_over_same();
    report_missing();
    report_contradictions();
  }
  diagnostics_.throw_if_any();
  for (const auto& [path, given] : given_) gpu_.origins[path] = given.origin;
  return gpu_;
}

}  // namespace kernbench
