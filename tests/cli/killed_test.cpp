// A run killed at every step of its writing, or whose disk fails there, and the run that goes on from there: nothing
// lost, nothing twice, no file of two runs side by side, no litter.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/store.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>;

const std::vector<std::string> kRunAlone{"run", "--bench", "toy-steps", "--no-provenance", "--jobs", "1", "--replace"};
const std::vector<std::string> kOther{"run", "--bench",   "toy-steps", "--no-provenance", "--jobs",
                                      "1",   "--replace", "--set",     "pe.clock=500 MHz"};

/// A clean folder with a bench's output, and runs into it.
class Place {
 public:
  [[nodiscard]] fs::path folder() const { return workplace_.path() / "out/toy-steps"; }
  [[nodiscard]] fs::path log() const { return workplace_.path() / "log"; }

  /// `disk`: what happens to its writing, as TOY_DISK has it; "": nothing.
  Ended run(const std::vector<std::string>& command, const std::string& disk = "") {
    Workplace::Environment environment{"TOY_LOG=" + log().string()};
    if (!disk.empty()) environment.push_back("TOY_DISK=" + disk);
    return workplace_.run(kToy, command, environment);
  }

  /// Files that readers look at (hidden: temporaries and lists), without the rows of an incomplete run.
  [[nodiscard]] Files files(bool hidden = false) const {
    Files files;
    if (!fs::exists(folder())) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder())) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || name == "partial.jsonl" || name.starts_with('.') != hidden) continue;
      files[fs::relative(entry.path(), folder()).string()] = kernbench::read_file(entry.path());
    }
    return files;
  }

  void clear() const {
    fs::remove_all(workplace_.path() / "out");
    fs::remove(log());
  }

 private:
  Workplace workplace_{TemporaryFolder::fast_parent()};
};

std::size_t whole_lines_in(const fs::path& file) {
  if (!fs::exists(file)) return 0;
  const std::string text = kernbench::read_file(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool part_of(const Files& part, const Files& whole) {
  return std::all_of(part.begin(), part.end(), [&whole](const auto& file) {
    const auto found = whole.find(file.first);
    return found != whole.end() && found->second == file.second;
  });
}

/// What an undisturbed run of the command leaves.
Files undisturbed(Place& place, const std::vector<std::string>& command) {
  place.clear();
  CHECK(place.run(command).exit_code == 0);
  return place.files();
}

/// Runs, disturbed at step 1, 2, ... until a run goes through, and each time goes on: `before` prepares the folder.
template <typename Before>
void disturb_at_every_step(Place& place, const std::string& how, const Files& old, const Files& fresh, Before before) {
  for (int step = 1;; ++step) {
    place.clear();
    before();
    fs::remove(place.log());
    std::string disk = how;
    disk.replace(disk.find('#'), 1, std::to_string(step));
    CAPTURE(disk);
    const Ended disturbed = place.run(kRunAlone, disk);
    if (disturbed.exit_code == 0) {
      CHECK(step > 20);
      break;
    }
    const Files there = place.files();
    CHECK((part_of(there, old) || part_of(there, fresh)));  // never some of one run and some of the other
    if (disturbed.exit_code != 137) {
      CHECK(disturbed.exit_code == 1);
      CHECK_MESSAGE(disturbed.err.find("error: cannot ") != std::string::npos, disturbed.err);
      CHECK(disturbed.err.find(place.folder().filename().string()) != std::string::npos);
    }

    const std::size_t kept = std::max<std::size_t>(whole_lines_in(place.folder() / "partial.jsonl"), 1) - 1;
    const std::size_t simulated = whole_lines_in(place.log());
    CHECK(simulated <= kept + 1 + (kept == 0 && there == fresh ? 4 : 0));  // at most the point at work is lost
    const Ended resumed = place.run(kRunAlone);
    CHECK(resumed.exit_code == 0);
    CHECK(place.files() == fresh);
    CHECK(place.files(true).empty());
    CHECK_FALSE(fs::exists(place.folder() / "partial.jsonl"));
    CHECK(whole_lines_in(place.log()) == simulated + 4 - kept);  // none of the kept ones again
  }
}

}  // namespace

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.10 killed at any step of its writing, a run goes on and loses nothing") {
    Place place;
    const Files fresh = undisturbed(place, kRunAlone);
    CHECK(fresh.size() == 4);
    disturb_at_every_step(place, "kill #", {}, fresh, [] {});
  }

  TEST_CASE("10.10 killed over the results of another machine, no two runs' files stand side by side") {
    Place place;
    const Files fresh = undisturbed(place, kRunAlone);
    Files old = undisturbed(place, kOther);
    CHECK(old.at("results.json") != fresh.at("results.json"));
    old["figures/time.svg"] = "of the old run";
    old["figures/drawings.txt"] = "of sum time.svg\n";
    old["index.html"] = "of the old run";
    disturb_at_every_step(place, "kill #", old, fresh, [&] {
      for (const auto& [name, text] : old) kernbench::write_file(place.folder() / name, text);
    });
  }

  TEST_CASE("10.10 a disk that fails or is full at any step costs a message, and the next run goes on") {
    Place place;
    const Files fresh = undisturbed(place, kRunAlone);
    const Files old = undisturbed(place, kOther);
    for (const std::string& how : {std::string("full #"), "fail # " + std::to_string(EIO)}) {
      disturb_at_every_step(place, how, old, fresh, [&] {
        for (const auto& [name, text] : old) kernbench::write_file(place.folder() / name, text);
      });
    }
  }

  TEST_CASE("10.11 --only into the folder of an interrupted run keeps that run's rows") {
    Place place;
    const Files fresh = undisturbed(place, kRunAlone);
    place.clear();
    std::vector<std::string> only = kRunAlone;
    only.insert(only.end(), {"--only", "size=4"});
    int interrupted = 1;
    for (;; ++interrupted) {  // until two rows are in
      place.clear();
      CHECK(place.run(kRunAlone, "kill " + std::to_string(interrupted)).exit_code == 137);
      if (whole_lines_in(place.folder() / "partial.jsonl") == 3) break;
    }
    fs::remove(place.log());
    CHECK(place.run(only).exit_code == 0);
    CHECK(kernbench::read_results(place.folder() / "results.json").rows.size() == 1);
    CHECK(whole_lines_in(place.folder() / "partial.jsonl") == 4);
    const Ended resumed = place.run(kRunAlone);
    CHECK(resumed.err.starts_with(
        "resuming: 3 of 4 points are known from an interrupted run (--fresh runs them again)\n"));
    CHECK(whole_lines_in(place.log()) == 2);
    CHECK(place.files() == fresh);
    CHECK_FALSE(fs::exists(place.folder() / "partial.jsonl"));
  }
}
