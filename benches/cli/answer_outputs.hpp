// What a command with an answer in figures leaves in the folder of its --out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benches/harness/figures/figure.hpp"
#include "benches/harness/results/results.hpp"
#include "sim/machine/load_machine.hpp"

namespace kernbench {

struct AnswerToWrite {
  std::string title;
  std::string headline{};              ///< the answer in a sentence
  std::string command{};               ///< the command line; empty: not said
  std::vector<std::string> metrics{};  ///< that the page's table shows at first
  std::vector<Figure> figures{};
  Results results;
};

/// Makes the folder. Throws ConfigError where it has results of anything but `bench`, and as disk::refuse does; so that
/// it is said before anything is simulated.
void prepare_answer_folder(const std::filesystem::path& folder, const std::string& bench);

/// results.json, results.csv, figures/ and index.html, all in place of what an earlier answer to the same
/// question wrote there, or none; throws ConfigError where that was another question: another command or machine.
/// Starts threads: call it when no more processes will be forked. Throws as draw_figures and RunFolder.
void write_answer(const AnswerToWrite& answer, const LoadedMachine& machine, const std::filesystem::path& folder);

}  // namespace kernbench
