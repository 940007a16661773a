// Sets of files: all of one run or all of another, wherever the program is killed or the disk fails.
#include "benches/io/files/file_set.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include "benches/experiments/run/isolated.hpp"
#include "benches/experiments/run/run_folder.hpp"
#include "benches/io/files/write_file.hpp"
#include "sim/base/errors.hpp"
#include "tests/support/disk_faults.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fs = std::filesystem;
using kernbench::NewFile;
using kernbench::RunFolder;

namespace {

using Files = std::map<std::string, std::string>;

const std::vector<NewFile> kOld{{"results.json", "old results"},
                                {"theory.json", "old theory"},
                                {"figures/only_old.svg", "old figure"},
                                {"figures/both.png", "old picture"},
                                {"figures/both.vl.json", "old specification"},
                                {"figures/drawings.txt", "of sum only_old.svg\nof sum both.png\n"},
                                {"index.html", "old page"}};
const std::vector<NewFile> kNew{{"results.json", "new results"},
                                {"results.csv", "new,table"},
                                {"figures/both.png", "new picture"},
                                {"figures/only_new.vl.json", "new specification"}};

/// The user's own, wherever they lie.
constexpr std::array kOwn{"notes.txt", "figures/drawn_by_hand.svg", "figures/photo.png", "tables/times.csv"};

Files as_map(const std::vector<NewFile>& files) {
  Files map;
  for (const NewFile& file : files) map[file.name.string()] = file.bytes;
  return map;
}

/// All files below, those that begin with a dot where they are `wanted` alone.
Files files_in(const fs::path& folder, bool hidden) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const bool is_hidden = entry.path().filename().string().starts_with('.');
    if (is_hidden == hidden) files[fs::relative(entry.path(), folder).string()] = kernbench::read_file(entry.path());
  }
  return files;
}

bool part_of(const Files& part, const Files& whole) {
  return std::all_of(part.begin(), part.end(), [&whole](const auto& file) {
    const auto found = whole.find(file.first);
    return found != whole.end() && found->second == file.second;
  });
}

void set_up(const fs::path& folder) {
  fs::remove_all(folder);
  RunFolder(folder).replace_outputs(kOld);
  for (const char* name : kOwn) kernbench::write_file(folder / name, "the user's own");
}

/// Takes the user's own files out, which must be there.
Files outputs_in(const fs::path& folder) {
  Files files = files_in(folder, false);
  for (const char* name : kOwn) {
    CHECK(files[name] == "the user's own");
    files.erase(name);
  }
  return files;
}

}  // namespace

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.9 a set replaces all of the one before, and nothing else") {
    const TemporaryFolder place(TemporaryFolder::fast_parent());
    const fs::path folder = place.path() / "bench";
    set_up(folder);
    CHECK(outputs_in(folder) == as_map(kOld));
    RunFolder(folder).replace_outputs(kNew);
    CHECK(outputs_in(folder) == as_map(kNew));
    CHECK(files_in(folder, true).empty());
  }

  TEST_CASE("10.9 a folder in the place of a file is left alone, and so is all else") {
    for (const char* name : {"results.csv", "theory.json"}) {  // of the new set, of the old one
      const TemporaryFolder place(TemporaryFolder::fast_parent());
      const fs::path folder = place.path() / "bench";
      set_up(folder);
      fs::remove(folder / name);
      fs::create_directories(folder / name);
      const Files before = outputs_in(folder);
      CHECK_THROWS_WITH_AS(RunFolder(folder).replace_outputs(kNew),
                           doctest::Contains("expected a file, or none, got a folder"), kernbench::ConfigError);
      CHECK(outputs_in(folder) == before);
      CHECK(fs::is_directory(folder / name));
    }
  }

  TEST_CASE("10.9 killed at any step, files are of one set; the next run finishes what was begun and clears up") {
    const TemporaryFolder place(TemporaryFolder::fast_parent());
    const fs::path folder = place.path() / "bench";
    bool killed = true;
    bool seen_old = false;
    bool seen_new = false;
    for (int step = 1; killed; ++step) {
      set_up(folder);
      const auto report = kernbench::run_isolated({[&] {
        RunFolder run(folder);
        DiskFaults::kill_at(step);
        run.replace_outputs(kNew);
        return std::string();
      }});
      killed = !report.outcomes[0]->ok;
      CAPTURE(step);
      const Files there = outputs_in(folder);
      const bool whole_old = there == as_map(kOld);
      CHECK((whole_old || part_of(there, as_map(kOld)) || part_of(there, as_map(kNew))));
      const RunFolder next(folder);  // whatever it does
      const Files now = outputs_in(folder);
      CHECK((now == as_map(kNew) || (whole_old && now == as_map(kOld))));
      CHECK(files_in(folder, true).empty());
      (now == as_map(kNew) ? seen_new : seen_old) = true;
    }
    CHECK((seen_old && seen_new));
  }

  TEST_CASE("10.9 killed while finishing, the next run finishes") {
    const TemporaryFolder place(TemporaryFolder::fast_parent());
    const fs::path folder = place.path() / "bench";
    const auto killed_at = [&folder](int step, bool replacing) {
      const auto report = kernbench::run_isolated({[&] {
        std::optional<RunFolder> run;
        if (replacing) run.emplace(folder);
        DiskFaults::kill_at(step);
        if (replacing) run->replace_outputs(kNew);
        if (!replacing) run.emplace(folder);
        return std::string();
      }});
      return !report.outcomes[0]->ok;
    };
    for (int first = 1;; ++first) {
      set_up(folder);
      if (!killed_at(first, true)) break;
      for (int second = 1; killed_at(second, false); ++second) {
        const Files there = outputs_in(folder);
        CHECK((part_of(there, as_map(kOld)) || part_of(there, as_map(kNew))));
      }
      const Files now = outputs_in(folder);
      CHECK((now == as_map(kNew) || now == as_map(kOld)));
      CHECK(files_in(folder, true).empty());
    }
  }

  TEST_CASE("10.9 a disk that fails at any step leaves the old set, or what the next run finishes") {
    const TemporaryFolder place(TemporaryFolder::fast_parent());
    const fs::path folder = place.path() / "bench";
    for (const bool full : {false, true}) {
      bool failed = true;
      for (int step = 1; failed; ++step) {
        set_up(folder);
        std::string message;
        {
          RunFolder run(folder);
          full ? DiskFaults::full_from(step) : DiskFaults::fail_at(step, EIO);
          try {
            run.replace_outputs(kNew);
          } catch (const std::runtime_error& error) {
            message = error.what();
          }
          failed = DiskFaults::steps() >= step;
          DiskFaults::stop();
        }
        CAPTURE(step);
        const Files there = outputs_in(folder);
        if (message.empty()) CHECK(there == as_map(kNew));
        CHECK((there == as_map(kOld) || part_of(there, as_map(kOld)) || part_of(there, as_map(kNew))));
        const Files hidden = files_in(folder, true);
        CHECK((hidden.empty() || hidden.contains(".kernbench-replacing")));
        const RunFolder next(folder);
        const Files now = outputs_in(folder);
        CHECK((now == as_map(kNew) || now == as_map(kOld)));
        CHECK(files_in(folder, true).empty());
        if (!message.empty()) CHECK(message.find(folder.string()) != std::string::npos);
      }
    }
  }

  TEST_CASE("10.9 a list that is not ours removes nothing outside, and blocks nobody") {
    const TemporaryFolder place(TemporaryFolder::fast_parent());
    const fs::path folder = place.path() / "bench";
    set_up(folder);
    kernbench::write_file(place.path() / "outside", "safe");
    kernbench::write_file(folder / ".kernbench-replacing", "kernbench.replacing/1\nremove ../outside\nremove /etc/x\n");
    const RunFolder next(folder);
    CHECK(kernbench::read_file(place.path() / "outside") == "safe");
    CHECK(files_in(folder, true).empty());
    CHECK(outputs_in(folder) == as_map(kOld));
  }
}
