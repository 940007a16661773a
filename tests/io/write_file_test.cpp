// A file is written whole or not at all, wherever the program is killed or the disk fails.
#include "benches/io/files/write_file.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include "benches/experiments/run/isolated.hpp"
#include "benches/io/files/temporary.hpp"
#include "sim/base/errors.hpp"
#include "tests/support/disk_faults.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fs = std::filesystem;
using kernbench::read_file;
using kernbench::write_file;

namespace {

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

/// In a child: what it was killed by, or what it threw; "" where all went well.
std::string outcome_of(const std::function<void()>& work) {
  const auto report = kernbench::run_isolated({[&work] { return work(), std::string(); }});
  return report.outcomes[0]->reason;
}

}  // namespace

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.8 a write that fails half-way leaves the old file, no temporary, and a message with the path") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "deep" / "results.json";
    write_file(path, "old");
    const std::string reason = outcome_of([&path] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{1000, 1000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      write_file(path, std::string(1'000'000, 'n'));
    });
    CHECK(reason == "cannot write " + path.string() + ": File too large");
    CHECK(read_file(path) == "old");
    CHECK(names_in(path.parent_path()) == std::set<std::string>{"results.json"});
    write_file(path, "new");
    CHECK(read_file(path) == "new");
  }

  TEST_CASE("10.8 killed at any step, a file is the old one or the new one, and the next writer clears up") {
    const TemporaryFolder folder(TemporaryFolder::fast_parent());
    const fs::path path = folder.path() / "new" / "results.json";
    bool killed = true;
    for (int step = 1; killed; ++step) {
      const bool before = fs::exists(path);
      const std::string reason = outcome_of([&] {
        DiskFaults::kill_at(step);
        write_file(path, before ? "second" : "first");
      });
      killed = !reason.empty();
      if (killed) CHECK(reason == "killed by SIGKILL (Killed)");
      if (fs::exists(path)) {
        const std::string text = read_file(path);
        CHECK((text == "first" || text == "second"));
      }
      if (!killed) CHECK(step > 7);
      write_file(path, "first");
      CHECK(names_in(path.parent_path()) == std::set<std::string>{"results.json"});
      if (step % 2 == 0) fs::remove_all(folder.path() / "new");
    }
  }

  TEST_CASE("10.8 a disk that fails at any step is an error that names the file, and leaves the old one alone") {
    const TemporaryFolder folder(TemporaryFolder::fast_parent());
    const fs::path path = folder.path() / "results.json";
    for (const int error : {ENOSPC, EIO}) {
      bool failed = true;
      for (int step = 1; failed; ++step) {
        write_file(path, "old");
        std::string message;
        DiskFaults::fail_at(step, error);
        try {
          write_file(path, "new");
        } catch (const kernbench::ConfigError&) {
          FAIL("a disk that fails is no wrong input");
        } catch (const std::runtime_error& refused) {
          message = refused.what();
        }
        failed = DiskFaults::steps() >= step;
        DiskFaults::stop();
        CHECK(failed == !message.empty());
        if (failed) CHECK(message.find("cannot write " + folder.path().string()) == 0);
        const bool renamed = read_file(path) == "new";
        CHECK((renamed || read_file(path) == "old"));
        CHECK(names_in(folder.path()) == std::set<std::string>{"results.json"});
      }
    }
  }

  TEST_CASE("10.8 a temporary is stale when nobody holds it") {
    const TemporaryFolder folder;
    const fs::path stale = kernbench::temporary_name(folder.path() / "of_a_dead_process.json");
    const std::string reason = outcome_of([&] {
      kernbench::Temporary file(folder.path() / "of_a_dead_process.json");
      ::raise(SIGKILL);
    });
    CHECK(reason == "killed by SIGKILL (Killed)");
    CHECK(fs::exists(stale));
    {
      kernbench::Temporary alive(folder.path() / "being_written.json");
      kernbench::remove_stale_temporaries(folder.path());
      CHECK_FALSE(fs::exists(stale));
      alive.write("x");
      alive.take_place();
    }
    CHECK(names_in(folder.path()) == std::set<std::string>{"being_written.json"});
  }

  TEST_CASE("10.8 writers of one file wait for each other") {
    const TemporaryFolder folder(TemporaryFolder::fast_parent());
    const fs::path path = folder.path() / "file";
    std::vector<kernbench::Work> writers;
    for (int i = 0; i < 8; ++i) {
      writers.emplace_back([&path, i] {
        for (int time = 0; time < 20; ++time) write_file(path, std::string(10'000, static_cast<char>('a' + i)));
        return std::string();
      });
    }
    const auto report = kernbench::run_isolated(writers, {4});
    for (const auto& outcome : report.outcomes) CHECK(outcome->reason.empty());
    const std::string text = read_file(path);
    CHECK(text == std::string(10'000, text[0]));
    CHECK(names_in(folder.path()) == std::set<std::string>{"file"});
  }

  TEST_CASE("10.8 links are followed, and what is no plain file is written into, not replaced") {
    const TemporaryFolder folder;
    write_file(folder.path() / "real" / "file", "old");
    fs::create_symlink("real/file", folder.path() / "link");
    write_file(folder.path() / "link", "new");
    CHECK(fs::is_symlink(folder.path() / "link"));
    CHECK(read_file(folder.path() / "real" / "file") == "new");
    CHECK(names_in(folder.path() / "real") == std::set<std::string>{"file"});

    const fs::path pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::string got;
    {
      std::thread reader([&] {
        std::ifstream stream(pipe);
        std::getline(stream, got);
      });
      write_file(pipe, "through the pipe");
      reader.join();
    }
    CHECK(got == "through the pipe");
    CHECK(fs::is_fifo(pipe));
    write_file("/dev/null", "nothing");
    CHECK(fs::is_character_file("/dev/null"));
    CHECK_THROWS_WITH(write_file("/dev/full", "x"), "cannot write /dev/full: No space left on device");
  }

  TEST_CASE("10.8 an empty file is written and read; a file is no folder; a wrong place is wrong input") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "file";
    write_file(file, "");
    CHECK(read_file(file).empty());
    CHECK_THROWS_AS(write_file(file / "below", "x"), kernbench::ConfigError);
    CHECK_THROWS_AS(write_file(folder.path() / std::string(300, 'n'), "x"), kernbench::ConfigError);
    CHECK_THROWS_AS(write_file(folder.path(), "x"), kernbench::ConfigError);
    CHECK(names_in(folder.path()) == std::set<std::string>{"file"});
  }
}
