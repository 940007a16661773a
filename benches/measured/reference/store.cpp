// Folders and files below the root.
#include "benches/measured/reference/store.hpp"

#include <algorithm>

#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPublished = "published";
constexpr const char* kDeviceFile = "device.json";

std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  if (!fs::is_directory(folder)) return names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

ReferenceFolder folder_named(const fs::path& root, const std::string& name, bool published) {
  ReferenceFolder found{name, published, {}};
  for (const auto& entry : fs::directory_iterator(root / name)) {
    if (entry.path().extension() != ".json" || entry.path().filename() == kDeviceFile) continue;
    std::string bench = "gpu-" + entry.path().stem().string();
    std::replace(bench.begin(), bench.end(), '_', '-');
    found.benches.push_back(std::move(bench));
  }
  std::sort(found.benches.begin(), found.benches.end());
  return found;
}

}  // namespace

std::string reference_file_name(const std::string& bench) {
  std::string stem = bench.starts_with("gpu-") ? bench.substr(4) : bench;
  std::replace(stem.begin(), stem.end(), '-', '_');
  return stem + ".json";
}

std::vector<ReferenceFolder> all_references(const fs::path& root) {
  std::vector<ReferenceFolder> found;
  for (const std::string& name : folders_in(root)) {
    if (name != kPublished) found.push_back(folder_named(root, name, false));
  }
  for (const std::string& where : folders_in(root / kPublished)) {
    found.push_back(folder_named(root, std::string(kPublished) + "/" + where, true));
  }
  return found;
}

std::optional<Results> read_reference(const fs::path& root, const std::string& name, const std::string& bench) {
  const fs::path file = root / name / reference_file_name(bench);
  if (!fs::exists(file)) return std::nullopt;
  Results results = read_results(file);
  if (results.bench != bench) {
    throw ConfigError(file.string() + ": bench: expected \"" + bench + "\" for its file name, got \"" + results.bench +
                      "\"");
  }
  return results;
}

Device read_device(const fs::path& root, const std::string& slug) {
  const fs::path file = root / slug / kDeviceFile;
  if (!fs::exists(file)) {
    throw ConfigError("there is no device card " + file.string() +
                      ": kernbench reference import FILE... --device device.json brings it");
  }
  return parse_device(read_file(file), file.string());
}

}  // namespace kernbench
