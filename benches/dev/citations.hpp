// Which tests confirm which clause: TEST_SUITE("ADR-0003") holds test cases whose names begin with clause ids; so does
// class Adr0003 in Python.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "benches/dev/adr.hpp"

namespace kernbench::adr {

/// A test case of an ADR's suite that names a clause. `TEST_CASE("3.2, 3.4 what holds")` cites two.
struct Citation {
  std::string clause;  ///< "3.2"
  std::string file;    ///< relative to the repository
  int line = 0;
};

struct Citations {
  std::vector<Citation> citations;
  std::vector<Finding> findings;  ///< test cases of an ADR's suite that name no clause, another ADR's, or are skipped
};

/// Reads one test source. Comments do not count.
void find_citations(const std::string& file, std::string_view source, Citations& into);

/// Reads one test source in Python, where a suite is `class Adr0003(unittest.TestCase)` and a test case `def
/// test_3_2_what_holds`.
void find_python_citations(const std::string& file, std::string_view source, Citations& into);

/// Reads tests/**/*_test.cpp and *_test.py below `root`, in the order of their names.
Citations read_citations(const std::filesystem::path& root);

}  // namespace kernbench::adr
