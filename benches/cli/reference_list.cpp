// `kernbench reference list`: which devices and sources have which rows, how good, how old.
#include <algorithm>
#include <memory>

#include "benches/cli/output_options.hpp"
#include "benches/cli/reference_commands.hpp"
#include "benches/io/text/table.hpp"
#include "benches/measured/reference/row_counts.hpp"
#include "sim/base/errors.hpp"

namespace kernbench::reference_list_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench reference list
  kernbench reference list --json | jq '.[] | select(.noisy > 0)')";

struct Entry {
  std::string name;
  std::string bench;
  RowCounts rows;
  std::string date;
  std::string driver;
  std::string cuda;
  std::string error;  ///< why the file cannot be read; then there is nothing else
};

Entry entry_of(const std::filesystem::path& root, const std::string& name, const std::string& bench) {
  Entry entry{name, bench, {}, "", "", "", ""};
  try {
    const Results results = read_reference(root, name, bench).value();
    entry.rows = count_rows(results);
    entry.date = provenance_text(results, "created_at").substr(0, 10);
    entry.driver = environment_text(results, "driver");
    entry.cuda = environment_text(results, "cuda_runtime");
  } catch (const ConfigError& error) {
    entry.error = error.what();
  }
  return entry;
}

std::vector<Entry> all_entries(const std::filesystem::path& root) {
  std::vector<Entry> entries;
  for (const ReferenceFolder& folder : all_references(root)) {
    for (const std::string& bench : folder.benches) entries.push_back(entry_of(root, folder.name, bench));
  }
  return entries;
}

std::string as_json(const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const Entry& entry : entries) {
    Json line{{"device", entry.name}, {"bench", entry.bench}};
    if (!entry.error.empty()) {
      line["error"] = entry.error;
    } else {
      line.update(Json{{"ok", entry.rows.ok},
                       {"failed", entry.rows.failed},
                       {"skipped", entry.rows.skipped},
                       {"noisy", entry.rows.noisy},
                       {"date", entry.date},
                       {"driver", entry.driver},
                       {"cuda_runtime", entry.cuda}});
    }
    list.push_back(std::move(line));
  }
  return list.dump(2) + "\n";
}

/// A count; what is bad in red, zero as nothing.
TableCell count_cell(std::size_t count, Style style = Style::kPlain) {
  return count == 0 ? TableCell("") : TableCell(std::to_string(count), style);
}

std::string as_table(const std::vector<Entry>& entries, const Terminal& terminal) {
  Table table({{"device"},
               {"bench"},
               {"ok", Align::kRight},
               {"failed", Align::kRight},
               {"skipped", Align::kRight},
               {"noisy", Align::kRight},
               {"date", Align::kLeft, 1},
               {"driver", Align::kLeft, 3},
               {"CUDA", Align::kLeft, 2}});
  for (const Entry& entry : entries) {
    if (!entry.error.empty()) continue;
    table.add_row({entry.name, entry.bench, count_cell(entry.rows.ok), count_cell(entry.rows.failed, Style::kRed),
                   count_cell(entry.rows.skipped, Style::kYellow), count_cell(entry.rows.noisy, Style::kYellow),
                   entry.date, entry.driver, entry.cuda});
  }
  return table.format(terminal);
}

/// The table of what can be read; what cannot is an error each, and exit code 2.
int list(const std::filesystem::path& root, const OutputOptions& output) {
  const std::vector<Entry> entries = all_entries(root);
  const auto tables = [&](const Terminal& terminal) {
    if (!entries.empty()) return as_table(entries, terminal);
    return "there is no reference data in " + root.string() + "; kernbench reference import FILE... takes some in\n";
  };
  output.deliver(tables, {[&] { return as_json(entries); }, {}});
  std::string errors;
  for (const Entry& entry : entries) {
    if (!entry.error.empty()) errors += (errors.empty() ? "" : "\n") + entry.error;
  }
  if (!errors.empty()) throw ConfigError(errors);
  return 0;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto output = std::make_shared<OutputOptions>();
  auto root = std::make_shared<std::filesystem::path>(reference_root());
  output->add_to(command, OutputOptions::Kinds::kJson);
  command.add_option("--from", *root, "Reference folder [benches/reference]").type_name("DIR").reads();
  command.footer(kExamples);
  return [output, root] { return list(*root, *output); };
}

}  // namespace kernbench::reference_list_command
