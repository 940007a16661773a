// `kernbench compare`: two results of one bench, row by row; also what the check and the approval of committed results
// ask.
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benches/cli/compare_report.hpp"
#include "benches/io/program/program.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::compare_command {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  kernbench run --bench milestone-1h-gemm --set pe.stream_depth=2 --out out/shallow
  kernbench compare benches/milestone_1h_gemm/results out/shallow/milestone-1h-gemm
  kernbench compare before/results.json after/results.json --all

Exit code 1: something differs.)";

struct Options {
  fs::path before;
  fs::path after;
  bool all = false;
  bool approve = false;
};

/// The files to compare with each other: those given, or the results and the closed forms of the folders given.
std::vector<std::pair<fs::path, fs::path>> pairs(const Options& options) {
  const bool folder = fs::is_directory(options.before);
  if (folder != fs::is_directory(options.after)) {
    throw ConfigError("expected two results files or two folders of results, got " + options.before.string() + " and " +
                      options.after.string());
  }
  if (!folder) return {{options.before, options.after}};
  std::vector<std::pair<fs::path, fs::path>> found{{options.before / "results.json", options.after / "results.json"}};
  const fs::path theory = "theory.json";
  if (fs::exists(options.before / theory) || fs::exists(options.after / theory)) {
    found.emplace_back(options.before / theory, options.after / theory);
  }
  return found;
}

int compare(const Options& options) {
  CompareReportLimits limits;
  if (options.all) limits.rows = limits.values = std::numeric_limits<std::size_t>::max();
  bool failed = false;
  for (const auto& [before, after] : pairs(options)) {
    const Results was = read_results(before);
    const Results now = read_results(after);
    if (was.bench != now.bench) {
      throw ConfigError(after.string() + ": expected results of " + was.bench + " as in " + before.string() +
                        ", got those of " + now.bench);
    }
    const ResultsComparison comparison = compare_results(was, now);
    std::cout << printable_lines(compare_report(after.filename().string(), comparison, limits));
    if (options.approve) {
      const std::string refused = approval_refused(comparison);
      if (!refused.empty()) std::cerr << after.filename().string() << ": not approved: " << refused << "\n";
      failed |= !refused.empty();
    } else {
      failed |= !comparison.rows.empty() || !comparison.sources.empty();
    }
  }
  return failed ? 1 : 0;
}

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command.add_option("before", options->before, "A results file, or a folder of results.json (and theory.json)")
      .required()
      .type_name("PATH")
      .reads();
  command.add_option("after", options->after, "What to compare with it").required().type_name("PATH").reads();
  command.add_flag("--all", options->all, "Show every row and value, however many");
  command.add_flag(
      "--approve", options->approve,
      "Exit code 1 only where AFTER may not take the place of BEFORE: values moved under the same versions of "
      "machine, bench and model");
  command.footer(kExamples);
  return [options] { return compare(*options); };
}

const bool registered = register_command({30, "compare", "Compare two results, row by row", set_up});

}  // namespace
}  // namespace kernbench::compare_command
