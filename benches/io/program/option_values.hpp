// What values on the command line have to be. Numbers are read in this one way: CLI11 alone reads 010 as 8, takes nan,
// and lets large ones wrap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/io/program/command.hpp"

namespace kernbench {

/// A decimal whole number from `least` to `most`, which --help then states.
[[nodiscard]] ValueRule whole_number(std::int64_t least, std::int64_t most);

/// The same for the parts of a list, whose option has a delimiter, and for any number with decimals.
[[nodiscard]] ValueRule decimal_number(double least, double most);

/// Seconds of a limit: 0 for none, else from a millisecond to 1e9.
[[nodiscard]] ValueRule seconds_or_none();

/// One of these; the message has the nearest.
[[nodiscard]] ValueRule one_of(std::vector<std::string> names);

/// A file to write: a folder, and a place below a file, are refused before anything is computed for it.
[[nodiscard]] ValueRule file_to_write();

/// Throws ConfigError for an argument that is empty, or ends in "=" where a value was to follow, which is what a
/// script's unset variable leaves: it would be taken as if the option were not there, or swallow the next one. Also for
/// one that is not UTF-8, since results hold nothing else.
void check_arguments(int argc, char** argv);

}  // namespace kernbench
