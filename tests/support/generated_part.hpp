// Parts of documents that the program itself says: compared with what it says today, or, with KERNBENCH_APPROVE=1,
// rewritten.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "sim/base/read_file.hpp"

namespace kernbench {

/// The part of `file` between the marks of `name` is `expected`, or becomes it.
inline void check_generated(const std::string& file, const std::string& name, const std::string& expected) {
  const std::string page = read_file(file);
  const std::string begin_mark = "<!-- generated: " + name + " -->\n";
  const std::size_t mark = page.find(begin_mark);
  REQUIRE(mark != std::string::npos);
  const std::size_t begin = mark + begin_mark.size();
  const std::size_t end = page.find("<!-- end: " + name + " -->", begin);
  REQUIRE(end != std::string::npos);
  if (std::getenv("KERNBENCH_APPROVE") != nullptr) {
    std::ofstream(file, std::ios::binary) << page.substr(0, begin) << expected << page.substr(end);
    return;
  }
  CHECK(page.substr(begin, end - begin) == expected);
}

}  // namespace kernbench
