// Decisions and tests agree, and the check that says so finds every way in which they may not.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "benches/dev/check.hpp"
#include "benches/io/files/write_file.hpp"
#include "sim/base/errors.hpp"
#include "tests/project/sources.hpp"

namespace fs = std::filesystem;
namespace adr = kernbench::adr;

namespace {

constexpr const char* kRecord = "adr/0001-first.md";
constexpr const char* kTest = "tests/engine/order_test.cpp";

/// A small repository in a temporary folder, in order until a test breaks it.
class Repository {
 public:
  Repository() {
    write(kRecord,
          "# 0001. First\nStatus: accepted\n\n## Context\nWhy.\n\n## Decision\n**1.1** The order is defined.\n\n"
          "## Consequences\nSome.\n\n## Confirmation\n- 1.1: tests/engine/order_test.cpp\n");
    write(kTest, "TEST_SUITE(\"ADR-0001\") {\n  TEST_CASE(\"1.1 the order is defined\") {}\n}\n");
    adr::write_index(root_);
  }
  ~Repository() { fs::remove_all(root_); }
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;
  Repository(Repository&&) = delete;
  Repository& operator=(Repository&&) = delete;

  void write(const std::string& file, const std::string& text) const { kernbench::write_file(root_ / file, text); }
  void replace(const std::string& file, const std::string& what, const std::string& by) const {
    std::string text = kernbench::read_file(root_ / file);
    const auto at = text.find(what);
    REQUIRE(at != std::string::npos);
    write(file, text.replace(at, what.size(), by));
  }
  [[nodiscard]] std::string findings() const {
    std::string text;
    for (const auto& finding : adr::check(root_)) text += finding.text() + "\n";
    return text;
  }
  [[nodiscard]] const fs::path& root() const { return root_; }

 private:
  fs::path root_ = fs::temp_directory_path() / ("kernbench_adr_test." + std::to_string(getpid()));
};

void check_says(const Repository& repository, const std::string& expected) {
  const std::string findings = repository.findings();
  CHECK_MESSAGE(findings.find(expected) != std::string::npos, "expected: " << expected << "\nfound: " << findings);
}

}  // namespace

TEST_SUITE("ADR-0012") {
  TEST_CASE("12.9 the decisions and tests of this repository agree") {
    std::vector<std::string> findings;
    for (const auto& finding : adr::check(kernbench::project::root())) findings.push_back(finding.text());
    CHECK_MESSAGE(findings.empty(), kernbench::project::joined(findings));
  }

  TEST_CASE_FIXTURE(Repository, "12.9 a repository in order has no findings") { CHECK(findings().empty()); }

  TEST_CASE_FIXTURE(Repository, "12.9 an accepted clause needs a test that names it") {
    replace(kTest, "1.1 the order", "1.2 the order");
    check_says(*this, "adr/0001-first.md:8: no test names clause 1.1");
    check_says(*this, "tests/engine/order_test.cpp:2: no record has a clause 1.2");
    check_says(*this, "adr/0001-first.md:14: no test in tests/engine/order_test.cpp names 1.1");
  }

  TEST_CASE_FIXTURE(Repository, "12.9 a commented-out or skipped test confirms nothing") {
    replace(kTest, "  TEST_CASE", "  // TEST_CASE");
    check_says(*this, "adr/0001-first.md:8: no test names clause 1.1");
    replace(kTest, "  // TEST_CASE(\"1.1 the order is defined\")", "  TEST_CASE(\"1.1 it is\" * doctest::skip())");
    check_says(*this, "tests/engine/order_test.cpp:2: a skipped test case confirms nothing");
  }

  TEST_CASE_FIXTURE(Repository, "12.9 a test of a decision's suite names a clause of that decision") {
    replace(kTest, "1.1 the order", "the order");
    check_says(*this, "tests/engine/order_test.cpp:2: test case `the order is defined`: expected a name that begins");
    replace(kTest, "ADR-0001", "ADR-0002");
    replace(kTest, "the order", "1.1 the order");
    check_says(*this, "tests/engine/order_test.cpp:2: test case `1.1 the order is defined` is in the suite ADR-0002");
  }

  TEST_CASE_FIXTURE(Repository, "12.9 test cases outside of a decision's suite are free") {
    replace(kTest, "\n}\n", "\n}\nTEST_CASE(\"9.9 GHz\") {}\n");
    CHECK(findings().empty());
  }

  TEST_CASE_FIXTURE(Repository, "12.9 raw strings are no code: they neither end a suite nor hold test cases") {
    replace(kTest, "{}\n}\n", "{ f(R\"x(\n}\n  TEST_CASE(\"1.7 no\"))x\"); }\n  TEST_CASE(\"1.8 yes\") {}\n}\n");
    CHECK(findings() == "tests/engine/order_test.cpp:5: no record has a clause 1.8\n");
  }

  TEST_CASE_FIXTURE(Repository, "12.9 a test in Python names clauses by its class and its methods") {
    const std::string test = "tests/gpu/order_test.py";
    write(test,
          "class Adr0001(unittest.TestCase):\n    def test_1_1_order(self):\n        pass\n\n\n"
          "class Other(unittest.TestCase):\n    def test_9_9_ghz(self):\n        pass\n");
    replace(kRecord, "- 1.1: tests/engine/order_test.cpp", "- 1.1: tests/gpu/order_test.py");
    CHECK(findings().empty());
    replace(test, "test_1_1_order", "test_1_2_order");
    check_says(*this, "tests/gpu/order_test.py:2: no record has a clause 1.2");
    check_says(*this, "adr/0001-first.md:14: no test in tests/gpu/order_test.py names 1.1");
    replace(test, "test_1_2_order", "test_1_1_1_2_order");
    check_says(*this, "tests/gpu/order_test.py:2: no record has a clause 1.2");
    replace(test, "test_1_1_1_2_order", "test_order");
    check_says(*this, "tests/gpu/order_test.py:2: test case `order`: expected a name that begins with a clause, 1.M");
    replace(test, "    def test_order", "    @unittest.skip(\"later\")\n    def test_1_1_order");
    check_says(*this, "tests/gpu/order_test.py:3: a skipped test case confirms nothing");
  }

  TEST_CASE_FIXTURE(Repository, "12.9 the section Confirmation lists each clause and files that exist") {
    replace(kRecord, "- 1.1: tests/engine/order_test.cpp", "- 1.3: tests/engine/order_test.cpp");
    check_says(*this, "adr/0001-first.md:8: clause 1.1 is not in the section Confirmation");
    check_says(*this, "adr/0001-first.md:14: there is no clause 1.3");
    replace(kRecord, "- 1.3: tests/engine/order_test.cpp", "- 1.1: tests/engine/other_test.cpp");
    check_says(*this, "adr/0001-first.md:14: tests/engine/other_test.cpp does not exist");
  }

  TEST_CASE_FIXTURE(Repository, "12.9 a test cannot confirm a decision that is not accepted") {
    replace(kRecord, "Status: accepted", "Status: proposed");
    check_says(*this, "tests/engine/order_test.cpp:2: clause 1.1 is not accepted: adr/0001-first.md is proposed");
  }

  TEST_CASE_FIXTURE(Repository, "12.9 two records do not share a number") {
    write("adr/0001-second.md",
          "# 0001. Second\nStatus: proposed\n## Context\n## Decision\n## Consequences\n## Confirmation\n");
    check_says(*this, "adr/0001-second.md:1: the number is taken by adr/0001-first.md");
  }

  TEST_CASE_FIXTURE(Repository, "12.9 the form of a record is checked") {
    replace(kRecord, "## Consequences", "## Effects");
    replace(kRecord, "# 0001. First", "# 0002. First");
    replace(kRecord, "Status: accepted", "Status: agreed");
    replace(kRecord, "defined.\n", "defined.\n**1.1** Again.\n**2.1** Foreign.\n**1.2 Unclosed.\n");
    write("adr/notes.md", "notes\n");
    for (const std::string expected :
         {"adr/0001-first.md:1: the title's number differs", "adr/0001-first.md:1: the sections have to be Context",
          "adr/0001-first.md:2: status `agreed`: expected proposed, accepted or superseded by NNNN",
          "adr/0001-first.md:9: clause 1.1 is there twice",
          "adr/0001-first.md:10: clause 2.1 does not carry this record's number",
          "adr/0001-first.md:11: a clause has to begin `**N.M** text`",
          "adr/notes.md:1: the file name has to be NNNN-title.md"}) {
      check_says(*this, expected);
    }
  }

  TEST_CASE_FIXTURE(Repository, "12.17 a clause has at most 150 words outside of tables and code blocks") {
    const auto words = [](int count) {
      std::string text;
      for (int i = 0; i < count; ++i) text += "word ";
      return text;
    };
    const std::string not_counted = "\n\n| a | table |\n|---|---|\n| of | words |\n\n```\n## some code\n```\n";
    replace(kRecord, "The order is defined.",
            words(100) + not_counted + words(50) + "\n\n### A part\n\nWords below a heading.\n");
    CHECK(findings().empty());
    replace(kRecord, "word word", "word word word");
    CHECK(findings() ==
          "adr/0001-first.md:8: clause 1.1 has 151 words outside of tables and code blocks, at most 150: make cases a "
          "table and formulas a code block, cut what is no decision, or split it\n");
    replace(kRecord, "word word word", "word\n- word");  // in a list
    CHECK(findings().find("clause 1.1 has 151 words") != std::string::npos);
  }

  TEST_CASE_FIXTURE(Repository, "12.10 the index is what the records say, until it is rewritten") {
    replace(kRecord, "First", "Foremost");
    check_says(*this, "adr/README.md:1: the index is stale; `kernbench dev adr index` rewrites it");
    adr::write_index(root());
    CHECK(findings().empty());
    const std::string index = kernbench::read_file(root() / "adr/README.md");
    CHECK(index.find("| [0001](0001-first.md) | Foremost | accepted | 1 |\n") != std::string::npos);
  }

  TEST_CASE_FIXTURE(Repository, "12.10 the list counts clauses and the tests that cite them") {
    const auto records = adr::read_records(root()).records;
    const std::string list = adr::render_list(records, adr::read_citations(root()).citations, {.width = 0});
    CHECK_MESSAGE(list.ends_with("\n0001    accepted        1      1  First\n"), list);
  }

  TEST_CASE_FIXTURE(Repository, "12.9 a folder without decisions is refused") {
    CHECK_THROWS_WITH_AS(adr::check(root() / "tests"), doctest::Contains("no such folder"), kernbench::ConfigError);
  }
}
