#include "benches/cli/report_sections.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "benches/cli/committed.hpp"
#include "benches/cli/machine_options.hpp"
#include "benches/cli/run_outputs.hpp"
#include "benches/experiments/run/run_bench.hpp"
#include "benches/experiments/whatif/sweep.hpp"
#include "benches/io/files/program_identity.hpp"
#include "benches/io/files/source_tree.hpp"
#include "benches/measured/reference/store.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/sha256.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

/// Why a run would not give these results today. Where they are of a machine that somebody chose, that is no reason.
std::vector<std::string> stale_reasons(const Results& results, Source current, bool any_machine) {
  if (any_machine) {
    current.machine = results.source.machine;
    current.machine_sha256 = results.source.machine_sha256;
  }
  return staleness(results.source, current);
}

constexpr const char* kStale = "Stale: ";

void add_section(ReportSections& all, PageSection section) {
  const auto is_stale = [](const std::string& warning) { return warning.starts_with(kStale); };
  all.stale += std::ranges::any_of(section.warnings, is_stale) ? 1 : 0;
  all.sections.push_back(std::move(section));
}

PageSection section_of(const Bench& bench, const BenchRun& run, const std::string& command, bool any_machine) {
  const LoadedMachine machine = load_bench_machine(bench, usual_machine_file(bench), bench.machine_defaults);
  const Results& simulated = run.simulated;
  PageSection section{.id = bench.name, .title = bench.name, .summary = bench.summary + ".", .command = command};
  if (bench.headline) section.headline = bench.headline(simulated, run.theory);
  section.source = caption(simulated);
  const std::vector<std::string> reasons = stale_reasons(simulated, current_source(bench, machine, "sim"), any_machine);
  if (!reasons.empty()) section.warnings.push_back(kStale + joined_in_words(reasons) + ".");
  if (is_open(bench) && has_other_points(simulated.rows, bench)) {
    section.warnings.emplace_back("Of a sweep, or of points of one's own: a run's own page has such figures.");
    return section;
  }
  section.figures = run_figures({with_figures(bench), run, machine, command});
  section.toggles = run_toggles(bench, "");
  return section;
}

std::string run_command(const std::string& bench) { return "kernbench run --bench " + bench; }

/// The command that a run or an answer has written into its results.
std::string command_of(const Results& results) {
  const auto known = results.provenance.find("command");
  const bool is_known = known != results.provenance.end() && known->is_string();
  return is_known ? known->get<std::string>() : run_command(results.bench);
}

/// Files results.json in the folder or, without one, in those directly in it.
std::vector<fs::path> results_below(const fs::path& folder) {
  if (fs::exists(folder / "results.json")) return {folder};
  std::vector<fs::path> found;
  if (fs::is_directory(folder)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (fs::exists(entry.path() / "results.json")) found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  if (found.empty()) {
    throw ConfigError("--from " + printable(folder.string()) +
                      ": expected results.json in it or in a folder in it, as `kernbench run` writes them");
  }
  return found;
}

const Bench* bench_named(const std::string& name) {
  const auto found = std::ranges::find(all_benches(), name, &Bench::name);
  return found == all_benches().end() ? nullptr : &*found;
}

/// The part of a folder's results. Throws ConfigError where they are not as the bench's figures read them.
PageSection section_from(const fs::path& folder, const Bench& bench, Results simulated) {
  BenchRun run;
  run.simulated = std::move(simulated);
  if (fs::exists(folder / "theory.json")) run.theory = read_results(folder / "theory.json");
  try {
    return section_of(bench, run, command_of(run.simulated), true);
  } catch (const Json::exception& error) {
    throw ConfigError(printable((folder / "results.json").string()) + ": expected rows as bench " + bench.name +
                      " makes them (" + error.what() + "): run the bench again");
  }
}

/// The regular files in the folder and below, by path.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> result_folders(const std::vector<fs::path>& from) {
  std::vector<fs::path> folders;
  for (const fs::path& folder : from) std::ranges::copy(results_below(folder), std::back_inserter(folders));
  if (!from.empty()) return folders;
  for (const Bench& bench : all_benches()) folders.push_back(committed_folder(bench));
  return folders;
}

}  // namespace

std::string sections_sha256(const std::vector<fs::path>& from) {
  std::vector<fs::path> files;
  for (const fs::path& folder : result_folders(from)) {
    for (const char* name : {"results.json", "theory.json"}) {
      if (fs::exists(folder / name)) files.push_back(folder / name);
    }
  }
  for (const char* data : {kReferenceFolder, "topology"}) {
    std::ranges::copy(files_below(in_source_tree(data)), std::back_inserter(files));
  }
  std::string all = program_identity();
  for (const fs::path& file : files) all += "\n" + sha256_hex(read_file(file)) + " " + file.string();
  return sha256_hex(all);
}

ReportSections committed_sections() {
  ReportSections all;
  for (const Bench& bench : all_benches()) {
    auto committed = read_committed(bench);
    if (!committed) {
      all.left_out.push_back(bench.name + ": no committed results");
      continue;
    }
    BenchRun run;
    run.simulated = std::move(committed->simulated);
    run.theory = std::move(committed->theory);
    derive_rows(bench, run.simulated);
    add_section(all, section_of(bench, run, run_command(bench.name), false));
  }
  return all;
}

ReportSections sections_from(const std::vector<fs::path>& folders) {
  ReportSections all;
  for (const fs::path& folder : folders) {
    for (const fs::path& found : results_below(folder)) {
      Results simulated = read_results(found / "results.json");
      const Bench* bench = bench_named(simulated.bench);
      if (bench == nullptr) {
        all.left_out.push_back(printable(found.string()) + ": results of " + printable(simulated.bench) +
                               ", which is no bench");
        continue;
      }
      PageSection section = section_from(found, *bench, std::move(simulated));
      const auto same = std::ranges::count(all.sections, section.title, &PageSection::title);
      if (same > 0) {
        section.id += "-" + std::to_string(same + 1);
        section.source += " · " + printable(found.string());
      }
      add_section(all, std::move(section));
    }
  }
  if (all.sections.empty()) throw ConfigError("--from: expected results of a bench, got none: " + joined(all.left_out));
  return all;
}

}  // namespace kernbench
