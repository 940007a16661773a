#include "benches/cli/answer_outputs.hpp"

#include <algorithm>
#include <optional>

#include "benches/experiments/run/run_folder.hpp"
#include "benches/io/files/disk.hpp"
#include "benches/io/files/run_outputs.hpp"
#include "benches/io/text/json.hpp"
#include "benches/results/figures/drawings.hpp"
#include "benches/results/figures/render.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"

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

constexpr const char* kReportSchema = "kernbench.report/1";
constexpr const char* kReportFile = "report.json";
constexpr const char* kPage = "index.html";

/// The report in the folder, null where it has none.
Json report_in(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kReportFile;
  if (!std::filesystem::exists(file)) return {};
  try {
    const Json report = parse_json(read_file(file), file.string());
    const bool is_ours = report.is_object() && report.value("schema", Json()) == kReportSchema &&
                         report.value("report", Json()).is_string() && report.contains("command");
    return is_ours ? report : Json();
  } catch (const ConfigError&) {
    return {};
  }
}

[[noreturn]] void refuse_folder(const std::filesystem::path& folder, const std::string& what) {
  throw ConfigError("--out " + folder.string() + ": it has results of " + what + ": expected a folder of their own");
}

/// Where the folder has a report of anything but `name`.
void refuse_other_report(const std::filesystem::path& folder, const std::string& name) {
  const Json report = report_in(folder);
  if (!report.is_null() && report.at("report") != name) refuse_folder(folder, report.at("report"));
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

void add_figures(std::vector<NewFile>& files, const std::vector<Figure>& figures, const std::filesystem::path& folder) {
  if (figures.empty()) return;
  for (NewFile& file : draw_figures(figures, {folder / "figures"}))
    files.push_back({"figures" / file.name, std::move(file.bytes)});
}

}  // namespace

void prepare_answer_folder(const std::filesystem::path& folder, const std::string& bench) {
  disk::make_folders(folder);
  check_answer_folder(folder, bench);
}

void prepare_answer_folder(const std::filesystem::path& folder) {
  disk::make_folders(folder);
  refuse_other_report(folder, "");
  require_own_outputs(folder);
}

void check_answer_folder(const std::filesystem::path& folder, const std::string& bench) {
  const std::optional<Results> there = results_in(folder);
  if (there && there->bench != bench) refuse_folder(folder, there->bench);
  refuse_other_report(folder, bench);
  require_own_outputs(folder);
}

void write_answer(const AnswerToWrite& answer, const LoadedMachine& machine, const std::filesystem::path& folder) {
  RunFolder run_folder(folder);
  require_own_outputs(folder);
  Results results = answer.results;
  refuse_other_report(folder, results.bench);
  if (!answer.command.empty()) results.provenance = {{"command", answer.command}};
  if (const std::optional<Results> there = results_in(folder)) require_same_question(folder, *there, results);
  std::vector<NewFile> files = result_files(results, "results");
  add_figures(files, answer.figures, folder);
  const PageText text{.title = answer.title,
                      .headline = answer.headline,
                      .command = answer.command,
                      .machine = machine_facts(machine.spec),
                      .metrics = answer.metrics};
  files.push_back({"index.html", page_html(text, answer.figures, results, {})});
  static_cast<void>(run_folder.replace_outputs(files));
}

std::optional<Json> kept_report(const std::filesystem::path& folder, const std::string& of) {
  const KnownDrawings known({folder});
  const std::optional<std::string> report = known.find(kReportFile, of);
  if (!report || !known.find(kPage, of)) return std::nullopt;
  return parse_json(*report, (folder / kReportFile).string());
}

std::vector<std::filesystem::path> write_report(const ReportToWrite& report, const std::filesystem::path& folder) {
  RunFolder run_folder(folder);
  require_own_outputs(folder);
  const Json there = report_in(folder);
  if (!there.is_null() && there.at("command") != report.text.command) refuse_folder(folder, "another question");
  std::vector<NewFile> files = report.files;
  Json index{{"schema", kReportSchema},        {"report", report.name},
             {"command", report.text.command}, {"headline", report.text.headline},
             {"source", report.source},        {"warnings", report.text.warnings},
             {"files", Json::array()}};
  add_figures(files, report.figures, folder);
  for (const NewFile& file : files) index["files"].push_back(file.name.string());
  const std::vector<Drawing> pages{
      {kReportFile, report.of, index.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"},
      {kPage, report.of, page_html(report.text, report.source, report.figures, report.tables)}};
  for (const Drawing& page : pages) files.push_back({page.name, page.bytes});
  if (!report.of.empty()) files.push_back(list_of(pages));
  return run_folder.replace_outputs(files);
}

}  // namespace kernbench
