#include "benches/cli/run_outputs.hpp"

#include <exception>
#include <iterator>
#include <utility>

#include "benches/cli/committed.hpp"
#include "benches/io/files/source_tree.hpp"
#include "benches/measured/reference/store.hpp"
#include "benches/results/figures/page.hpp"
#include "benches/results/figures/render.hpp"
#include "benches/results/rows/store.hpp"
#include "benches/workloads/toggles.hpp"
#include "sim/plan/known_bound.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

/// The results of that bench on every measured device.
std::vector<Results> measured_results(const std::string& bench) {
  const fs::path root = in_source_tree(kReferenceFolder);
  std::vector<Results> measured;
  for (const ReferenceFolder& folder : all_references(root)) {
    if (folder.published) continue;
    if (auto results = read_reference(root, folder.name, bench)) measured.push_back(std::move(*results));
  }
  return measured;
}

/// Whether the results are of the machine that the command names.
bool same_machine(const RunToWrite& what) { return what.machine.sha256 == what.run.simulated.source.machine_sha256; }

PageText page_text(const RunToWrite& what) {
  const Bench& bench = what.bench;
  PageText text{.title = bench.name + ": " + bench.summary, .command = what.command};
  text.toggles = run_toggles(bench, what.show);
  if (bench.headline) text.headline = bench.headline(what.run.simulated, what.run.theory);
  for (const ReportColumn& column : bench.report) text.metrics.push_back(column.metric);
  if (!same_machine(what)) return text;
  text.machine = machine_facts(what.machine.spec);
  const fs::path milestone = in_source_tree(kMilestoneMachine);
  if (!fs::exists(milestone) || bench.machine == MachineKind::kGpu) return text;
  text.beside = kMilestoneMachine;
  text.differences = machine_differences(what.machine.spec, load_machine(milestone.string()).spec);
  return text;
}

std::vector<NewFile> drawn(const RunToWrite& what, const fs::path& folder) {
  const std::vector<Figure> figures = run_figures(what);
  std::vector<NewFile> files = draw_figures(figures, {folder / "figures", committed_folder(what.bench) / "figures"});
  for (NewFile& file : files) file.name = "figures" / file.name;
  files.push_back({"index.html", page_html(page_text(what), figures, what.run.simulated, what.run.theory)});
  return files;
}

void append(std::vector<NewFile>& files, std::vector<NewFile> more) {
  files.insert(files.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Json run_toggles(const Bench& bench, const std::string& show) {
  if (bench.toggles) {
    return toggles_json(bench.name, bench.toggles(bench, measured_results(bench.measured_bench)), show);
  }
  return show.empty() ? Json() : toggles_json(bench.name, {}, show);
}

std::vector<Figure> run_figures(const RunToWrite& what) {
  const Bench& bench = what.bench;
  const BenchRun& run = what.run;
  std::vector<Figure> figures;
  if (!bench.figures) return figures;
  const auto append = [&figures](std::vector<Figure> more) {
    figures.insert(figures.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  if (bench.figures_on_machine && same_machine(what) && why_no_bound(what.machine.spec).empty()) {
    append(bench.figures_on_machine(run.simulated, what.machine.spec));
  }
  append(bench.figures(run.simulated, run.theory));
  if (!bench.figures_beside) return figures;
  const std::vector<Results> measured = measured_results(bench.measured_bench);
  if (!measured.empty()) append(bench.figures_beside(run.simulated, measured));
  return figures;
}

std::vector<fs::path> write_run(const RunToWrite& what, RunFolder& folder, bool figures) {
  const BenchRun& run = what.run;
  std::vector<NewFile> files = result_files(run.simulated, "results");
  if (what.bench.theory) append(files, result_files(run.theory, "theory"));
  if (what.bench.traces) append(files, what.bench.traces(run.simulated));
  std::exception_ptr not_drawn;
  if (figures && what.bench.figures) {
    try {
      append(files, drawn(what, folder.path()));
    } catch (...) {
      not_drawn = std::current_exception();
    }
  }
  std::vector<fs::path> paths = folder.replace_outputs(files);
  if (not_drawn) std::rethrow_exception(not_drawn);
  return paths;
}

}  // namespace kernbench
