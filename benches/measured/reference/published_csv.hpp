// A table of published numbers as reference data (adr/0022, 22.14).
#pragma once

#include <string>
#include <vector>

#include "benches/measured/reference/column_mapping.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

struct PublishedTable {
  std::string where;                  ///< who published: the source is "published:<where>"
  std::string bench;                  ///< a reference bench
  std::string columns;                ///< as parse_column_mappings reads them, beside those that are named as ours
  std::string with;                   ///< as parse_fixed_values reads them
  std::vector<std::string> values;    ///< "field:their text=our text"
  std::vector<std::string> no_value;  ///< cells that mean that there is no value
  std::string citation;               ///< title, address, licence; may be empty
};

struct PublishedRows {
  Results results;                    ///< provenance: created_at, and `imported` with what was asked for
  std::vector<std::string> left_out;  ///< "FILE:LINE: no result", one a line
  std::vector<std::string> unused;    ///< columns that nothing maps
  std::vector<std::string> findings;  ///< "FILE:LINE: COLUMN: expected WHAT, got WHAT"
};

/// Reads the text of a CSV file. `created_at` is today. What the rows say is still to be checked (check_reference).
/// Throws ConfigError for an unknown bench, a wrong mapping, and columns that are not named as ours.
[[nodiscard]] PublishedRows read_published_csv(const std::string& text, const std::string& file,
                                               const PublishedTable& table, const std::string& created_at);

}  // namespace kernbench
