// What a command with an answer in figures leaves in the folder of its --out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benches/io/files/file_set.hpp"
#include "benches/results/figures/figure.hpp"
#include "benches/results/figures/page.hpp"
#include "benches/results/rows/results.hpp"
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
/// The same of a simulation, whatever its results are called: where it has a report, or what is not kernbench's.
void prepare_answer_folder(const std::filesystem::path& folder);
/// The same without making it: for an answer that is there in seconds, so that nothing is left of one that is
/// interrupted.
void check_answer_folder(const std::filesystem::path& folder, const std::string& bench);

/// results.json, results.csv, figures/ and index.html, all in place of what an earlier answer to the same
/// question wrote there, or none; throws ConfigError where that was another question: another command or machine.
/// Starts threads: call it when no more processes will be forked. Throws as draw_figures and RunFolder.
void write_answer(const AnswerToWrite& answer, const LoadedMachine& machine, const std::filesystem::path& folder);

/// An answer without rows of results.
struct ReportToWrite {
  std::string name;  ///< whose answer it is: "trace-report"
  PageText text;
  std::string source;  ///< where the numbers are from
  std::vector<Figure> figures;
  Json tables;                 ///< of the page: page_html()
  std::vector<NewFile> files;  ///< the tables as files, below tables/
  std::string of = {};         ///< SHA-256 of all that it follows from, for kept_report(); empty: it is not kept
};

/// What is in report.json where the folder's report was written of that and did not change since.
[[nodiscard]] std::optional<Json> kept_report(const std::filesystem::path& folder, const std::string& of);

/// report.json, tables/, figures/ and index.html, as write_answer() does, after check_answer_folder() with its name.
/// Returns their paths.
std::vector<std::filesystem::path> write_report(const ReportToWrite& report, const std::filesystem::path& folder);

}  // namespace kernbench
