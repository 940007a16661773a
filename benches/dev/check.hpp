// Do decisions and tests agree, and the index of the decisions, adr/README.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benches/dev/adr.hpp"
#include "benches/dev/citations.hpp"
#include "benches/io/text/terminal.hpp"

namespace kernbench::adr {

/// Every way in which records and tests of the repository at `root` disagree, sorted by place; empty when all is well:
/// the form of the records, clauses that are too long, numbers given twice, an accepted clause that no test names, a
/// test that names an unknown or unaccepted clause, a Confirmation that lacks a clause or names a file which does not
/// confirm it, a stale index. Throws ConfigError where `root` has no folder adr.
std::vector<Finding> check(const std::filesystem::path& root);

/// The text of adr/README.md: one table row a record.
std::string render_index(const std::vector<Record>& records);

/// Rewrites adr/README.md. Throws ConfigError where it cannot be written.
void write_index(const std::filesystem::path& root);

/// A table for the terminal, one row a record: number, status, clauses, test cases that cite them, title.
std::string render_list(const std::vector<Record>& records, const std::vector<Citation>& citations,
                        const Terminal& terminal);

}  // namespace kernbench::adr
