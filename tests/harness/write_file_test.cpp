// A file is written whole or not at all.
#include "benches/harness/write_file.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <string>

#include "benches/harness/run/isolated.hpp"
#include "sim/base/errors.hpp"
#include "tests/harness/temporary_folder.hpp"

using kernbench::read_file;
using kernbench::write_file;

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.8 a write that fails half-way leaves the old file, no temporary, and a message with the path") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "deep" / "results.json";
    write_file(path, "old");
    const auto report = kernbench::run_isolated({[&path] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{1000, 1000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      write_file(path, std::string(1'000'000, 'n'));
      return std::string();
    }});
    CHECK(report.outcomes[0]->reason == "cannot write " + path.string() + ": File too large");
    CHECK(read_file(path) == "old");
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) files += entry.exists() ? 1 : 0;
    CHECK(files == 1);
    write_file(path, "new");
    CHECK(read_file(path) == "new");
  }

  TEST_CASE("10.8 an empty file is written and read; a file is no folder") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "file";
    write_file(file, "");
    CHECK(read_file(file).empty());
    CHECK_THROWS_AS(write_file(file / "below", "x"), kernbench::ConfigError);
  }
}
