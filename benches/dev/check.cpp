#include "benches/dev/check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "benches/io/files/write_file.hpp"
#include "benches/io/text/table.hpp"

namespace kernbench::adr {
namespace {

constexpr const char* kIndexFile = "adr/README.md";

/// clause -> files whose tests cite it
using CitingFiles = std::map<std::string, std::set<std::string>>;

void check_numbers(const std::vector<Record>& records, std::vector<Finding>& findings) {
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].number != records[i - 1].number) continue;
    findings.push_back({records[i].file, 1, "the number is taken by " + records[i - 1].file});
  }
}

void check_clauses(const Record& record, const CitingFiles& citing, std::vector<Finding>& findings) {
  for (const auto& clause : record.clauses) {
    if (!citing.contains(clause.id)) {
      findings.push_back({record.file, clause.line,
                          "no test names clause " + clause.id + ": expected TEST_SUITE(\"ADR-" + padded(record.number) +
                              "\") with TEST_CASE(\"" + clause.id + " ...\")"});
    }
    const bool confirmed = std::ranges::any_of(
        record.confirmations, [&](const Confirmation& confirmation) { return confirmation.clause == clause.id; });
    if (!confirmed) {
      findings.push_back({record.file, clause.line, "clause " + clause.id + " is not in the section Confirmation"});
    }
  }
}

void check_confirmations(const Record& record, const CitingFiles& citing, const std::filesystem::path& root,
                         std::vector<Finding>& findings) {
  for (const auto& confirmation : record.confirmations) {
    const auto same = [&](const Clause& clause) { return clause.id == confirmation.clause; };
    if (std::ranges::none_of(record.clauses, same)) {
      findings.push_back({record.file, confirmation.line, "there is no clause " + confirmation.clause});
      continue;
    }
    const auto found = citing.find(confirmation.clause);
    for (const auto& file : confirmation.files) {
      if (!std::filesystem::exists(root / file)) {
        findings.push_back({record.file, confirmation.line, file + " does not exist"});
      } else if (found == citing.end() || !found->second.contains(file)) {
        findings.push_back({record.file, confirmation.line, "no test in " + file + " names " + confirmation.clause});
      }
    }
  }
}

void check_citations(const std::vector<Record>& records, const std::vector<Citation>& citations,
                     std::vector<Finding>& findings) {
  std::map<std::string, const Record*> owner;
  for (const auto& record : records) {
    for (const auto& clause : record.clauses) owner.emplace(clause.id, &record);
  }
  for (const auto& citation : citations) {
    const auto found = owner.find(citation.clause);
    if (found == owner.end()) {
      findings.push_back({citation.file, citation.line, "no record has a clause " + citation.clause});
    } else if (!found->second->accepted()) {
      findings.push_back(
          {citation.file, citation.line,
           "clause " + citation.clause + " is not accepted: " + found->second->file + " is " + found->second->status});
    }
  }
}

void check_index(const std::vector<Record>& records, const std::filesystem::path& root,
                 std::vector<Finding>& findings) {
  const auto path = root / kIndexFile;
  if (std::filesystem::exists(path) && read_file(path) == render_index(records)) return;
  findings.push_back({kIndexFile, 1, "the index is stale; `kernbench dev adr index` rewrites it"});
}

std::size_t citations_of(const Record& record, const std::vector<Citation>& citations) {
  const auto cites = [&](const Citation& citation) {
    return std::ranges::any_of(record.clauses, [&](const Clause& clause) { return clause.id == citation.clause; });
  };
  return static_cast<std::size_t>(std::ranges::count_if(citations, cites));
}

}  // namespace

std::vector<Finding> check(const std::filesystem::path& root) {
  const auto [records, form] = read_records(root);
  const auto [citations, misnamed] = read_citations(root);
  std::vector<Finding> findings = form;
  findings.insert(findings.end(), misnamed.begin(), misnamed.end());

  CitingFiles citing;
  for (const auto& citation : citations) citing[citation.clause].insert(citation.file);
  check_numbers(records, findings);
  for (const auto& record : records) {
    if (!record.accepted()) continue;
    check_clauses(record, citing, findings);
    check_confirmations(record, citing, root, findings);
  }
  check_citations(records, citations, findings);
  check_index(records, root, findings);
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) { return std::tie(finding.file, finding.line); });
  return findings;
}

std::string render_index(const std::vector<Record>& records) {
  std::string text =
      "# Decisions\n\n"
      "Each record gives context, decision, consequences, and which test confirms each clause.\n"
      "`scripts/kernbench dev adr index` writes this page, `scripts/kernbench dev adr check` holds records against "
      "tests.\n\n"
      "| number | title | status | clauses |\n|---|---|---|---|\n";
  for (const auto& record : records) {
    const std::string name = std::filesystem::path(record.file).filename().string();
    text += "| [" + padded(record.number) + "](" + name + ") | " + record.title + " | " + record.status + " | " +
            std::to_string(record.clauses.size()) + " |\n";
  }
  return text;
}

void write_index(const std::filesystem::path& root) {
  write_file(root / kIndexFile, render_index(read_records(root).records));
}

std::string render_list(const std::vector<Record>& records, const std::vector<Citation>& citations,
                        const Terminal& terminal) {
  Table table({{"number"}, {"status"}, {"clauses", Align::kRight}, {"tests", Align::kRight}, {"title"}});
  for (const auto& record : records) {
    table.add_row({padded(record.number), record.status, std::to_string(record.clauses.size()),
                   std::to_string(citations_of(record, citations)), record.title});
  }
  return table.format(terminal);
}

}  // namespace kernbench::adr
