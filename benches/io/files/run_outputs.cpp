#include "benches/io/files/run_outputs.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "benches/io/files/own_file.hpp"
#include "benches/io/text/json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

/// Folders in which files with these endings are a run's.
struct OutputFolder {
  const char* name;
  std::vector<const char*> extensions;
};

/// What runs write, whatever the run, beside the folders `figures`, `tables` and `traces`, which are theirs.
constexpr std::array kOutputs{"results.json", "results.csv", "theory.json", "theory.csv",
                              "report.json",  "index.html",  kDrawingsFile};
/// One of these is in every folder that a run wrote to.
constexpr std::array kMarked{"results.json", "report.json"};

const std::array<OutputFolder, 2>& output_folders() {
  static const std::array<OutputFolder, 2> folders{
      {{kOutputFolders[0], {".svg", ".png", ".vl.json", kDrawingsFile}}, {kOutputFolders[1], {".csv", ".json"}}}};
  return folders;
}

void add_outputs(std::vector<fs::path>& names, const fs::path& folder, const OutputFolder& in) {
  std::error_code error;
  for (fs::directory_iterator entry(folder / in.name, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto ends_so = [&name](const char* extension) { return name.ends_with(extension); };
    if (std::ranges::any_of(in.extensions, ends_so)) names.push_back(fs::path(in.name) / name);
  }
}

/// What the list beside the drawings names: a drawing, and what it was drawn by.
void add_drawn(std::set<fs::path>& names, const fs::path& folder) {
  const fs::path figures = kOutputFolders[0];
  std::ifstream list(folder / figures / kDrawingsFile);
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string of;
    std::string sha256;
    std::string name;
    if (!(words >> of >> sha256 >> name)) continue;
    names.insert(figures / kDrawingsFile);
    names.insert(figures / name);
    names.insert(figures / fs::path(name).replace_extension(".vl.json"));
  }
}

void add_reported(std::set<fs::path>& names, const fs::path& folder) {
  const fs::path file = folder / kMarked[1];
  if (!is_own_document(file)) return;
  try {
    const Json report = parse_json(read_file(file), file.string());
    for (const Json& name : report.value("files", Json::array())) {
      if (name.is_string()) names.insert(name.get<std::string>());
    }
  } catch (const ConfigError&) {
    return;  // damaged: it names nothing
  }
}

}  // namespace

std::vector<fs::path> written_outputs_in(const fs::path& folder) {
  std::set<fs::path> written;
  add_drawn(written, folder);
  add_reported(written, folder);
  std::vector<fs::path> names = run_outputs_in(folder);
  std::erase_if(names, [&written](const fs::path& name) {
    const bool is_told_by_lists = std::ranges::find(kOutputFolders, name.begin()->string()) != kOutputFolders.end();
    return is_told_by_lists && !written.contains(name);
  });
  return names;
}

std::vector<fs::path> run_outputs_in(const fs::path& folder) {
  std::vector<fs::path> names;
  std::error_code error;
  for (const char* name : kOutputs) {
    if (fs::exists(fs::symlink_status(folder / name, error))) names.emplace_back(name);
  }
  for (const OutputFolder& in : output_folders()) add_outputs(names, folder, in);
  for (fs::recursive_directory_iterator entry(folder / kTracesFolder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file(error)) names.push_back(fs::relative(entry->path(), folder, error));
  }
  std::ranges::sort(names);
  return names;
}

bool is_run_output(const fs::path& name) {
  const std::string first = name.begin()->string();
  return std::ranges::find(kOutputs, name.string()) != kOutputs.end() || first == kTracesFolder ||
         std::ranges::find(kOutputFolders, first) != kOutputFolders.end();
}

void require_own_outputs(const fs::path& folder) {
  const std::vector<fs::path> outputs = run_outputs_in(folder);
  const auto is_ours = [&folder](const char* name) { return is_own_document(folder / name); };
  if (outputs.empty() || std::ranges::any_of(kMarked, is_ours)) return;
  throw ConfigError(
      folder.string() + " has " + outputs.front().string() +
      " and no results of kernbench: what is there would be replaced; expected a new folder, or one of an "
      "earlier run");
}

}  // namespace kernbench
