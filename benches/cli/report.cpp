// `kernbench report`: what all benches came to, in one document.
#include <iostream>
#include <memory>
#include <optional>

#include "benches/cli/answer_outputs.hpp"
#include "benches/cli/report_sections.hpp"
#include "benches/io/program/program.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/shell.hpp"
#include "sim/base/sha256.hpp"

namespace kernbench::report_command {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  kernbench report                of the committed results
  kernbench report --from out     of what `kernbench run` wrote below out/

Writes index.html, one document that needs no network: of each bench a sentence, the command that repeats it, and its
figures. Results that are not what a run would give today are named there as stale, and in report.json.)";

struct Options {
  fs::path out = "out/overview";
  std::vector<fs::path> from;
};

std::string command_line(const Options& options) {
  std::string line = "kernbench report";
  for (const fs::path& folder : options.from) line += " --from " + quoted_for_shell(folder.string());
  return line;
}

std::string headline_of(const ReportSections& report) {
  std::size_t figures = 0;
  for (const PageSection& section : report.sections) figures += section.figures.size();
  return counted(static_cast<std::int64_t>(figures), "figure") + " of " + std::to_string(report.sections.size()) +
         (report.sections.size() == 1 ? " bench; " : " benches; ") +
         (report.stale == 0 ? "none is" : std::to_string(report.stale) + (report.stale == 1 ? " is" : " are")) +
         " stale.";
}

void print(const std::vector<std::string>& warnings, const std::string& headline, const fs::path& out) {
  for (const std::string& warning : warnings) std::cerr << "warning: " << warning << '\n';
  std::cout << headline << "\nopen " << (out / "index.html").string() << "\n";
}

void run(const Options& options) {
  const std::string name = "report";
  const std::string of = sha256_hex(command_line(options) + "\n" + sections_sha256(options.from));
  if (const std::optional<Json> kept = kept_report(options.out, of)) {
    print(kept->at("warnings"), kept->at("headline"), options.out);
    return;
  }
  const ReportSections report = options.from.empty() ? committed_sections() : sections_from(options.from);
  prepare_answer_folder(options.out, name);
  const std::string source = options.from.empty() ? "committed results" : "results of runs";
  std::vector<std::string> warnings = report.left_out;
  for (const PageSection& section : report.sections) {
    for (const std::string& warning : section.warnings) warnings.push_back(section.id + ": " + warning);
  }
  const PageText text{.title = "What the benches came to",
                      .headline = headline_of(report),
                      .command = command_line(options),
                      .warnings = std::move(warnings),
                      .sections = report.sections};
  write_report({name, text, source, {}, Json::array(), {}, of}, options.out);
  print(text.warnings, text.headline, options.out);
}

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command.add_option("--out", options->out, "Folder for the document").type_name("DIR").show_default().writes_folder();
  command
      .add_option("--from", options->from,
                  "A folder with results, or with folders that have them, instead of the committed ones; several times")
      .type_name("DIR")
      .one_value_each()
      .reads();
  command.footer(kExamples);
  return [options] {
    run(*options);
    return 0;
  };
}

const bool registered = register_command({31, "report", "All benches' figures in one document", set_up});

}  // namespace
}  // namespace kernbench::report_command
