// What the program says of one command that is run by itself.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "benches/io/text/json.hpp"
#include "tests/cli/program.hpp"

namespace kernbench {

/// The rows that it writes to result.json, which the arguments name.
inline Json rows_of(const std::vector<std::string>& arguments) {
  const Workplace place;
  const Ended ended = place.run(kProgram, arguments);
  REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
  return Json::parse(std::ifstream(place.path() / "result.json")).at("rows");
}

/// Its message where it refuses the command.
inline std::string refusal(const std::vector<std::string>& arguments) {
  const Workplace place;
  const Ended ended = place.run(kProgram, arguments);
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  return ended.err;
}

}  // namespace kernbench
