// The JSON form of results, `kernbench.results/1`: every field is described in docs/results.md.
#pragma once

#include <string>

#include "benches/results/rows/results.hpp"

namespace kernbench {

inline constexpr const char* kResultsSchema = "kernbench.results/1";

/// A row as one JSON object. Throws std::domain_error for a number that JSON cannot hold (infinite, NaN).
Json row_to_json(const Row& row);

/// Throws ConfigError naming `place` and the path inside it: "results.json: rows[3].stages[0].wall_ns: expected ...".
Row row_from_json(const Json& json, const std::string& place);

Json source_to_json(const Source& source);
Source source_from_json(const Json& json, const std::string& place);

/// The file's text: an envelope, then a few lines a row, so that a difference between two files can be read.
std::string format_results(const Results& results);

/// Reads what format_results wrote; `file` is for messages only. Unknown fields are left out: a minor addition to the
/// schema stays readable. Throws ConfigError for anything malformed and for a newer major version of the schema.
Results parse_results(const std::string& text, const std::string& file);

}  // namespace kernbench
