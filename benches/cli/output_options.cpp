#include "benches/cli/output_options.hpp"

#include <iostream>
#include <system_error>
#include <utility>

#include "benches/harness/files/write_file.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/results/results_csv.hpp"
#include "benches/harness/results/results_json.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {

void WideOption::add_to(CommandSpec& command) {
  command.add_flag("--wide", wide_, "All columns of tables, however wide; else as many as fit");
}

Documents results_documents(std::function<Results()> results) {
  return {[results] { return format_results(results()); },
          [again = std::move(results)] { return format_csv(again()); }};
}

void OutputOptions::add_to(CommandSpec& command, Kinds kinds) {
  const auto add = [&command](const char* name, Document& document, const std::string& what) {
    document.option =
        &command.add_option(name, document.file, what + " instead of tables, or write it to FILE beside them");
    document.option->type_name("FILE").optional_value().rule(file_to_write());
  };
  const bool both = kinds == Kinds::kJsonAndCsv;
  add("--json", json_, both ? "Print a results document (docs/results.md)" : "Print JSON");
  if (both) {
    add("--csv", csv_, "Print the rows as CSV");
    csv_.option->excludes(*json_.option);
  }
  wide_.add_to(command);
}

void require_two_files(const FileOption& written, const FileOption& other) {
  if (written.file.empty() || other.file.empty()) return;
  std::error_code error;
  // Absolute first: of a relative name that is not there, "./x" stays what it is.
  const auto place = [&error](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  if (place(written.file) == place(other.file) || std::filesystem::equivalent(written.file, other.file, error)) {
    throw ConfigError(written.option + " and " + other.option + ": expected two files, got " + written.file.string() +
                      " for both");
  }
}

void OutputOptions::require_other_file(const FileOption& other) const {
  require_two_files({"--json", json_.file}, other);
  require_two_files({"--csv", csv_.file}, other);
}

std::vector<std::string> OutputOptions::files() const {
  std::vector<std::string> files;
  for (const Document* document : {&json_, &csv_}) {
    if (document->wanted() && !document->file.empty()) files.push_back(document->file);
  }
  return files;
}

namespace {

/// A results document, or rows, may be written over; a machine file may not.
void require_own_document(const std::string& file) {
  const std::filesystem::path extension = std::filesystem::path(file).extension();
  if ((extension == ".yaml" || extension == ".yml") && std::filesystem::exists(file)) {
    throw ConfigError(file + ": expected a new file, or one of an earlier document; this is a machine file");
  }
}

}  // namespace

bool OutputOptions::is_document() const {
  const Document& document = csv_.wanted() ? csv_ : json_;
  return document.wanted() && document.file.empty();
}

void OutputOptions::deliver(const std::function<std::string(const Look&)>& tables, const Documents& documents) const {
  const Document& document = csv_.wanted() ? csv_ : json_;
  if (!is_document()) std::cout << tables(wide_.look());
  if (!document.wanted()) return;
  const std::string text = csv_.wanted() ? documents.csv() : documents.json();
  if (document.file.empty()) {
    std::cout << text;
  } else {
    require_own_document(document.file);
    write_file(document.file, text);
  }
}

}  // namespace kernbench
