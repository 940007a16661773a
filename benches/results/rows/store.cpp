// Files of results, and their age in terms of what they depend on.
#include "benches/results/rows/store.hpp"

#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_csv.hpp"
#include "benches/results/rows/results_json.hpp"

namespace kernbench {

std::vector<NewFile> result_files(const Results& results, const std::string& stem) {
  return {{stem + ".json", format_results(results)}, {stem + ".csv", format_csv(results)}};
}

Results read_results(const std::filesystem::path& file) {
  if (file.extension() == ".csv") {
    throw ConfigError(file.string() +
                      ": expected results.json, which has what the rows are of, too; got a table of rows");
  }
  return parse_results(read_file(file), file.string());
}

namespace {

/// "pe.stream_depth (recorded as in its file, now 2)": keys that were set to other values.
std::vector<std::string> changed_settings(const Source& recorded, const Source& current) {
  std::map<std::string, std::string> all = current.settings;
  all.insert(recorded.settings.begin(), recorded.settings.end());
  const auto value = [](const Source& source, const std::string& key) {
    const auto found = source.settings.find(key);
    return found == source.settings.end() ? "as in its file" : found->second;
  };
  std::vector<std::string> changed;
  for (const auto& [key, any] : all) {
    if (value(recorded, key) == value(current, key)) continue;
    changed.push_back(key + " (recorded " + value(recorded, key) + ", now " + value(current, key) + ")");
  }
  return changed;
}

}  // namespace

std::vector<std::string> staleness(const Source& recorded, const Source& current) {
  std::vector<std::string> reasons;
  const auto compare = [&reasons](const std::string& what, const std::string& was, const std::string& is) {
    if (was != is) reasons.push_back(what + " (recorded " + was + ", now " + is + ")");
  };
  compare("machine", recorded.machine, current.machine);
  if (recorded.machine == current.machine && recorded.machine_sha256 != current.machine_sha256) {
    reasons = changed_settings(recorded, current);
    reasons.push_back("machine " + current.machine + " (recorded hash " + recorded.machine_sha256.substr(0, 8) +
                      "..., now " + current.machine_sha256.substr(0, 8) + "...)");
  }
  compare("bench version", recorded.bench, current.bench);
  compare("model version", recorded.model, current.model);
  return reasons;
}

}  // namespace kernbench
