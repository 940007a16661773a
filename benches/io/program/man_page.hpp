// Manual pages, from the definitions that --help is made of.
#pragma once

#include <string>

#include "benches/io/program/command.hpp"

namespace kernbench {

/// The page of a command in roff, for man(1): `man -l FILE`.
[[nodiscard]] std::string man_page(const CommandSpec& command, const std::string& version);

}  // namespace kernbench
