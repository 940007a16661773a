#include "benches/cli/answer_outputs.hpp"

#include "benches/harness/figures/page.hpp"
#include "benches/harness/figures/render.hpp"
#include "benches/harness/results/store.hpp"
#include "benches/harness/run/run_folder.hpp"

namespace kernbench {

void write_answer(const AnswerToWrite& answer, const LoadedMachine& machine, const std::filesystem::path& folder) {
  RunFolder run_folder(folder);
  std::vector<NewFile> files = result_files(answer.results, "results");
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
  files.push_back({"index.html", page_html(text, answer.figures, answer.results, {})});
  static_cast<void>(run_folder.replace_outputs(files));
}

}  // namespace kernbench
