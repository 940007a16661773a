#include "benches/cli/answer_outputs.hpp"

#include <algorithm>
#include <optional>

#include "benches/harness/figures/page.hpp"
#include "benches/harness/figures/render.hpp"
#include "benches/harness/files/disk.hpp"
#include "benches/harness/results/store.hpp"
#include "benches/harness/run/run_folder.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

/// What is in the folder; nothing where it has no results.
std::optional<Results> results_in(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "results.json";
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    return read_results(file);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

[[noreturn]] void refuse_folder(const std::filesystem::path& folder, const std::string& what) {
  throw ConfigError("--out " + folder.string() + ": it has results of " + what + ": expected a folder of their own");
}

bool same_points(const Results& a, const Results& b) {
  return std::ranges::equal(a.rows, b.rows, {}, &Row::point, &Row::point);
}

void require_same_question(const std::filesystem::path& folder, const Results& there, const Results& here) {
  if (there.bench != here.bench) refuse_folder(folder, there.bench);
  if (there.source.machine_sha256 != here.source.machine_sha256) refuse_folder(folder, "another machine");
  const bool is_same =
      here.provenance.contains("command") ? there.provenance == here.provenance : same_points(there, here);
  if (!is_same) refuse_folder(folder, "another question");
}

}  // namespace

void prepare_answer_folder(const std::filesystem::path& folder, const std::string& bench) {
  disk::make_folders(folder);
  const std::optional<Results> there = results_in(folder);
  if (there && there->bench != bench) refuse_folder(folder, there->bench);
}

void write_answer(const AnswerToWrite& answer, const LoadedMachine& machine, const std::filesystem::path& folder) {
  RunFolder run_folder(folder);
  Results results = answer.results;
  if (!answer.command.empty()) results.provenance = {{"command", answer.command}};
  if (const std::optional<Results> there = results_in(folder)) require_same_question(folder, *there, results);
  std::vector<NewFile> files = result_files(results, "results");
  std::vector<NewFile> drawn = draw_figures(answer.figures);
  for (NewFile& file : drawn) {
    file.name = "figures" / file.name;
    files.push_back(std::move(file));
  }
  const PageText text{.title = answer.title,
                      .headline = answer.headline,
                      .command = answer.command,
                      .machine = machine_facts(machine.spec),
                      .metrics = answer.metrics};
  files.push_back({"index.html", page_html(text, answer.figures, results, {})});
  static_cast<void>(run_folder.replace_outputs(files));
}

}  // namespace kernbench
