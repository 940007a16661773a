#include "benches/cli/output_options.hpp"

#include <iostream>
#include <utility>

#include "benches/io/files/own_file.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/results/rows/results_csv.hpp"
#include "benches/results/rows/results_json.hpp"

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
    document.option->type_name("FILE").optional_value().rule(file_to_write()).writes();
  };
  const bool both = kinds == Kinds::kJsonAndCsv;
  add("--json", json_, both ? "Print a results document (docs/results.md)" : "Print JSON");
  if (both) {
    add("--csv", csv_, "Print the rows as CSV");
    csv_.option->excludes(*json_.option);
  }
  wide_.add_to(command);
}

bool OutputOptions::is_document() const {
  const Document& document = csv_.wanted() ? csv_ : json_;
  return document.wanted() && document.file.empty();
}

void OutputOptions::deliver(const std::function<std::string(const Terminal&)>& tables,
                            const Documents& documents) const {
  const Document& document = csv_.wanted() ? csv_ : json_;
  if (!document.wanted()) {
    std::cout << tables(wide_.terminal());
    return;
  }
  const std::string text = csv_.wanted() ? documents.csv() : documents.json();
  if (is_document()) {
    std::cout << text;
    return;
  }
  const std::string shown = tables(wide_.terminal());
  write_own_file(document.file, text);  // before anything is printed: what cannot be written is all that is said
  std::cout << shown;
}

}  // namespace kernbench
