#include "tests/cli/machines_page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"

namespace {

const std::string kSource = kernbench::source_dir();
const std::string kCommand = "    kernbench sim gemm --topology topology/";
const std::string kTimeColumn = "simulated (µs)";
constexpr double kQuickMacs = 5e9;  // in less than a second

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// "--m 16 --map 'a b'" put into a command: --set is added, what else is there replaced.
std::vector<std::string> with_options(std::vector<std::string> arguments, const std::vector<std::string>& options) {
  for (std::size_t i = 0; i + 1 < options.size(); i += 2) {
    const auto found = std::ranges::find(arguments, options[i]);
    if (options[i] == "--set" || found == arguments.end()) {
      arguments.insert(arguments.end(), {options[i], options[i + 1]});
    } else {
      *(found + 1) = options[i + 1];
    }
  }
  return arguments;
}

/// A row's options: `--m 1 --k 2` or, of a cube, one number.
std::vector<std::string> options_of(const std::string& cell) {
  if (cell.starts_with('`')) return words_of(cell.substr(1, cell.size() - 2));
  return {"--m", cell, "--k", cell, "--n", cell};
}

std::size_t column_of(const std::string& header, const std::string& name) {
  for (std::size_t number = 0; !cell_of(header, number).empty(); ++number) {
    if (cell_of(header, number) == name) return number;
  }
  return 0;
}

double macs_of(const MachineRow& row) {
  double macs = 1;
  for (const char* dimension : {"--m", "--k", "--n"}) {
    const auto found = std::ranges::find(row.arguments, dimension);
    REQUIRE_MESSAGE(found != row.arguments.end(), row.text);
    macs *= std::stod(*(found + 1));
  }
  return macs;
}

std::vector<MachineRow> rows_of_section(const std::string& machine) {
  std::vector<std::string> command;
  std::size_t time_column = 0;
  std::vector<MachineRow> rows;
  for (const std::string& line : machine_section(machine)) {
    if (line.starts_with(kCommand)) command = words_of(line);
    if (!line.starts_with("| ")) {
      if (!line.starts_with("|--")) time_column = 0;
      continue;
    }
    if (time_column == 0) {
      time_column = column_of(line, kTimeColumn);
      continue;
    }
    REQUIRE_MESSAGE(command.size() > 4, machine);
    const auto arguments = with_options({command.begin() + 1, command.end()}, options_of(cell_of(line, 0)));
    rows.push_back({machine, line, arguments, cell_of(line, time_column)});
  }
  return rows;
}

std::vector<MachineRow> all_rows() {
  std::vector<MachineRow> all;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "/topology")) {
    const auto rows = rows_of_section(entry.path().stem().string());
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace

std::string cell_of(const std::string& row, std::size_t number) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= number; ++i) {
    begin = row.find('|', begin);
    if (begin == std::string::npos) return "";
    ++begin;
  }
  const std::size_t end = row.find('|', begin);
  if (end == std::string::npos) return "";
  const std::size_t first = row.find_first_not_of(' ', begin);
  const std::size_t last = row.find_last_not_of(' ', end - 1);
  return first > last ? "" : row.substr(first, last - first + 1);
}

std::vector<std::string> machine_section(const std::string& machine) {
  std::vector<std::string> section;
  bool inside = false;
  for (const std::string& line : lines_of(kernbench::read_file(kSource + "/docs/machines.md"))) {
    if (line.starts_with("## ")) inside = line.starts_with("## `" + machine + ".yaml`");
    if (inside) section.push_back(line);
  }
  return section;
}

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  bool quoted = false;
  bool open = false;
  for (const char c : command) {
    if (c == '\'') quoted = !quoted;
    if (c == ' ' && !quoted) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c != '\'') words.back() += c;
  }
  return words;
}

std::vector<MachineRow> machine_rows(bool that_take_seconds) {
  auto rows = all_rows();
  std::erase_if(rows, [&](const MachineRow& row) { return (macs_of(row) > kQuickMacs) != that_take_seconds; });
  return rows;
}

void check_machine_row(const MachineRow& row) {
  CAPTURE(row.text);
  const Workplace place;
  auto arguments = row.arguments;
  for (auto& argument : arguments) {
    if (argument.starts_with("topology/")) argument = kSource + "/" + argument;
  }
  arguments.emplace_back("--json");
  const Ended run = place.run(kProgram, arguments);
  REQUIRE_MESSAGE(run.exit_code == 0, run.err);
  const auto rows = kernbench::Json::parse(run.out).at("rows");
  const double time_ns = rows.at(0).at("metrics").at("time_ns");
  CHECK(kernbench::one_decimal(time_ns / 1000) == row.simulated_us);
}
