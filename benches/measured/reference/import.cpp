// Files one after the other, each into what is there and what came before it.
#include "benches/measured/reference/import.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "benches/io/files/write_file.hpp"
#include "benches/io/text/json.hpp"
#include "benches/measured/reference/checks.hpp"
#include "benches/measured/reference/reference_bench.hpp"
#include "benches/measured/reference/trace_folder.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/results_json.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

class Import {
 public:
  explicit Import(const ImportRequest& request) : request_(request) {}

  ImportPlan plan() {
    std::vector<fs::path> results;
    if (request_.device) guarded([&] { take_card(*request_.device); });
    for (const fs::path& file : request_.files)
      guarded([&] { is_card(file) ? take_card(file) : results.push_back(file); });
    for (const fs::path& file : results) guarded([&] { take(file); });
    for (const ImportedCard& card : plan_.cards) check_with_card(card.device);
    return std::move(plan_);
  }

 private:
  /// A malformed file is a finding as well, and the others are still read.
  template <typename Work>
  void guarded(Work work) {
    try {
      work();
    } catch (const ConfigError& error) {
      std::istringstream lines(error.what());
      for (std::string line; std::getline(lines, line);) plan_.findings.push_back(line);
    }
  }

  /// A card may be among the files, as `out/*.json` names it too.
  [[nodiscard]] bool is_card(const fs::path& file) const {
    if (request_.published) return false;
    const Json json = parse_json(read_file(file), file.string());
    return json.is_object() && json.value("schema", Json()) == kDeviceSchema;
  }

  void take_card(const fs::path& from) {
    const Device device = parse_device(read_file(from), from.string());
    const auto same = [&device](const Device& other) { return other.slug == device.slug; };
    const auto known = std::find_if(given_.begin(), given_.end(), same);
    if (known != given_.end()) {
      if (format_device(*known) == format_device(device)) return;
      throw ConfigError(from.string() + ": another card of " + device.name + " is given already");
    }
    given_.push_back(device);
    const fs::path file = request_.into / device.slug / "device.json";
    if (fs::exists(file)) {
      if (read_file(file) == format_device(device)) return;
      if (!request_.replace) {
        throw ConfigError(from.string() + ": " + file.string() +
                          " is there with other values: --replace takes the new one");
      }
    }
    plan_.cards.push_back({device, file});
  }

  /// The given card of this device, else the one there; where there is neither, any that was given.
  [[nodiscard]] std::optional<Device> card_of(const std::string& slug) const {
    for (const Device& device : given_) {
      if (device.slug == slug) return device;
    }
    if (!slug.empty() && fs::exists(request_.into / slug / "device.json")) return read_device(request_.into, slug);
    if (given_.empty()) return std::nullopt;
    return given_.front();
  }

  Results read(const fs::path& file) {
    if (!request_.published) return read_results(file);
    PublishedRows table = read_published_csv(read_file(file), file.string(), *request_.published, request_.today);
    plan_.findings.insert(plan_.findings.end(), table.findings.begin(), table.findings.end());
    plan_.notes.insert(plan_.notes.end(), table.left_out.begin(), table.left_out.end());
    if (!table.unused.empty()) {
      plan_.notes.push_back(file.string() + ": columns that are not taken: " + joined(table.unused));
    }
    return std::move(table.results);
  }

  void take(const fs::path& file) {
    const Results fresh = read(file);
    const bool measured = fresh.source.kind.starts_with("gpu:");
    const std::optional<Device> card = measured ? card_of(fresh.source.machine) : std::nullopt;
    const auto found = check_reference(fresh, card ? &*card : nullptr, file.string());
    plan_.findings.insert(plan_.findings.end(), found.begin(), found.end());
    if (!found.empty()) return;

    const std::string name =
        measured ? fresh.source.machine
                 : "published/" + device_slug(fresh.source.kind.substr(fresh.source.kind.find(':') + 1));
    ImportTarget& target = target_of(name, fresh);
    Merged merged = merge_reference(target.merged.results, fresh, request_.replace, file.string());
    plan_.findings.insert(plan_.findings.end(), merged.findings.begin(), merged.findings.end());
    if (!merged.findings.empty()) return;
    target.merged.results = std::move(merged.results);
    target.merged.added += merged.added;
    target.merged.replaced += merged.replaced;
    target.merged.unchanged += merged.unchanged;
    target.merged.dropped += merged.dropped;
    take_traces(fresh, file, target);
  }

  ImportTarget& target_of(const std::string& name, const Results& fresh) {
    const fs::path file = request_.into / name / reference_file_name(fresh.bench);
    const auto found = std::find_if(plan_.targets.begin(), plan_.targets.end(),
                                    [&file](const ImportTarget& target) { return target.file == file; });
    if (found != plan_.targets.end()) return *found;
    ImportTarget target{file, {}, {}};
    if (auto there = read_reference(request_.into, name, fresh.bench)) {
      target.merged.results = std::move(*there);
    } else {
      target.merged.results = fresh;
      target.merged.results.rows.clear();
    }
    plan_.targets.push_back(std::move(target));
    return plan_.targets.back();
  }

  /// Folders that rows name lie beside their file, and take the place of a trace's folder alone.
  void take_traces(const Results& fresh, const fs::path& file, ImportTarget& target) {
    std::set<std::string> names;
    for (const Row& row : fresh.rows) {
      const auto trace = row.metrics.json().find(kTraceFolder.name);
      if (trace != row.metrics.json().end() && trace->is_string()) names.insert(trace->get<std::string>());
    }
    std::set<fs::path> taken;
    for (const std::string& name : names) {
      const CheckedTraceFolder checked = check_trace_folder(file.parent_path(), name);
      std::string finding = checked.finding;
      const fs::path to = target.file.parent_path() / checked.folder.name;
      if (finding.empty()) {
        if (const std::string objection = objection_to_replacing(to); !objection.empty()) {
          finding = "trace: the folder \"" + name + "\" has no place: " + objection;
        }
      }
      if (!finding.empty()) {
        plan_.findings.push_back(file.string() + ": " + finding);
      } else if (taken.insert(checked.folder.name).second) {
        target.folders.push_back({file.parent_path() / checked.folder.name, to, checked.folder.files});
      }
    }
  }

  /// A new card must hold for what there will be.
  void check_with_card(const Device& card) {
    for (const std::string& bench : reference_bench_names()) {
      const fs::path file = request_.into / card.slug / reference_file_name(bench);
      const auto target = std::find_if(plan_.targets.begin(), plan_.targets.end(),
                                       [&file](const ImportTarget& other) { return other.file == file; });
      if (target == plan_.targets.end() && !fs::exists(file)) continue;
      guarded([&] {
        const Results results = target == plan_.targets.end() ? read_results(file) : target->merged.results;
        const auto found = check_reference(results, &card, file.string());
        plan_.findings.insert(plan_.findings.end(), found.begin(), found.end());
      });
    }
  }

  const ImportRequest& request_;
  std::vector<Device> given_;
  ImportPlan plan_;
};

}  // namespace

ImportPlan plan_import(const ImportRequest& request) { return Import(request).plan(); }

}  // namespace kernbench
