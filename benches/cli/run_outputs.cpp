#include "benches/cli/run_outputs.hpp"

#include <exception>
#include <iterator>
#include <utility>

#include "benches/cli/source_tree.hpp"
#include "benches/harness/figures/page.hpp"
#include "benches/harness/figures/render.hpp"
#include "benches/harness/reference/store.hpp"
#include "benches/harness/results/store.hpp"

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

/// The bench's own figures, then those beside the reference data of every device.
std::vector<Figure> figures_of(const Bench& bench, const BenchRun& run) {
  std::vector<Figure> figures = bench.figures(run.simulated, run.theory);
  if (!bench.figures_beside) return figures;
  const std::vector<Results> measured = measured_results(bench.measured_bench);
  if (measured.empty()) return figures;
  for (Figure& figure : bench.figures_beside(run.simulated, measured)) figures.push_back(std::move(figure));
  return figures;
}

std::vector<NewFile> drawn(const Bench& bench, const BenchRun& run) {
  const std::vector<Figure> figures = figures_of(bench, run);
  std::vector<NewFile> files = draw_figures(figures);
  for (NewFile& file : files) file.name = "figures" / file.name;
  files.push_back({"index.html", page_html(bench.name + ": " + bench.summary, figures, run.simulated, run.theory)});
  return files;
}

void append(std::vector<NewFile>& files, std::vector<NewFile> more) {
  files.insert(files.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

std::vector<fs::path> write_run(const Bench& bench, const BenchRun& run, RunFolder& folder, bool figures) {
  std::vector<NewFile> files = result_files(run.simulated, "results");
  if (bench.theory) append(files, result_files(run.theory, "theory"));
  std::exception_ptr not_drawn;
  if (figures && bench.figures) {
    try {
      append(files, drawn(bench, run));
    } catch (...) {
      not_drawn = std::current_exception();
    }
  }
  std::vector<fs::path> paths = folder.replace_outputs(files);
  if (not_drawn) std::rethrow_exception(not_drawn);
  return paths;
}

}  // namespace kernbench
