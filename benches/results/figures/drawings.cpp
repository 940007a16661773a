#include "benches/results/figures/drawings.hpp"

#include <sstream>

#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/sha256.hpp"

namespace kernbench {
namespace {

std::optional<std::string> text_of(const std::filesystem::path& file) {
  try {
    return read_file(file);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

}  // namespace

NewFile list_of(const std::vector<Drawing>& drawings) {
  std::string text;
  for (const Drawing& drawing : drawings) {
    text += drawing.of + " " + sha256_hex(drawing.bytes) + " " + drawing.name + "\n";
  }
  return {kDrawingsFile, text};
}

KnownDrawings::KnownDrawings(const std::vector<std::filesystem::path>& folders) {
  for (const std::filesystem::path& folder : folders) {
    std::istringstream text(text_of(folder / kDrawingsFile).value_or(""));
    std::string line;
    while (std::getline(text, line)) {
      std::istringstream words(line);
      Line known{folder};
      if (words >> known.of >> known.sha256 >> known.name) lines_.push_back(std::move(known));
    }
  }
}

std::optional<std::string> KnownDrawings::find(const std::string& name, const std::string& of) const {
  for (const Line& line : lines_) {
    if (line.of != of || line.name != name) continue;
    std::optional<std::string> bytes = text_of(line.folder / name);
    if (bytes && sha256_hex(*bytes) == line.sha256) return bytes;
  }
  return std::nullopt;
}

}  // namespace kernbench
