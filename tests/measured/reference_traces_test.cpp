// Folders of traces on their way into the reference data: where they may lie, what may be in them, and what is there
// when an import is killed or its disk fails.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>

#include "benches/experiments/run/isolated.hpp"
#include "benches/io/files/write_file.hpp"
#include "benches/measured/reference/import.hpp"
#include "benches/results/rows/results_json.hpp"
#include "tests/measured/reference_sample.hpp"
#include "tests/support/disk_faults.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fs = std::filesystem;
namespace sample = kernbench::reference_sample;
using kernbench::format_results;
using kernbench::Row;
using kernbench::write_file;

namespace {

using Files = std::map<std::string, std::string>;

/// A desk with files to take in, `out`, and reference data that are there, `reference`.
struct Desk {
  TemporaryFolder place{TemporaryFolder::fast_parent()};
  const fs::path out = place.path() / "out";
  const fs::path reference = place.path() / "reference";
  const fs::path device = reference / "acme-g-100";

  Desk() {
    write_file(out / "device.json", format_device(sample::device()));
    write_file(out / "traces/a/rank0.json.gz", "new trace");
  }

  /// A row that names this trace; `threads` is another point's.
  [[nodiscard]] kernbench::ImportPlan plan(const std::string& trace, int threads = 256) const {
    Row row = sample::overlap_row();
    row.point["threads"] = threads;
    row.metrics.json()["trace"] = trace;
    write_file(out / "overlap.json", format_results(sample::results("gpu-overlap", {row})));
    kernbench::ImportRequest request;
    request.files = {out / "overlap.json"};
    request.device = out / "device.json";
    request.into = reference;
    request.replace = true;
    return kernbench::plan_import(request);
  }
  void write(const kernbench::ImportPlan& plan) const { write_import(plan, kernbench::lock_references(reference)); }

  /// Of the reference data, hidden ones too.
  [[nodiscard]] Files files() const {
    Files files;
    if (!fs::exists(reference)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(reference)) {
      const std::string name = fs::relative(entry.path(), reference).string();
      if (entry.is_regular_file()) files[name] = kernbench::read_file(entry.path());
      if (entry.is_directory() && entry.path().filename().string().starts_with('.'))
        files[name] = "a folder left behind";
    }
    return files;
  }
};

/// Data of an earlier import: a trace that the new one replaces, and one that it does not.
Files set_up_old(const Desk& desk) {
  fs::remove_all(desk.reference);
  write_file(desk.out / "traces/b/rank0.json.gz", "old trace of b");
  write_file(desk.out / "traces/a/rank0.json.gz", "old trace of a");
  write_file(desk.out / "traces/a/rank1.json.gz", "old trace of a");
  desk.write(desk.plan("traces/b", 512));
  desk.write(desk.plan("traces/a"));
  write_file(desk.device / "notes.md", "somebody's own");
  fs::remove(desk.out / "traces/a/rank1.json.gz");
  write_file(desk.out / "traces/a/rank0.json.gz", "new trace of a");
  return desk.files();
}

}  // namespace

TEST_SUITE("ADR-0022") {
  TEST_CASE("22.15 a trace is a folder of plain files below its results file, and nothing else is touched") {
    const Desk desk;
    desk.write(desk.plan("traces/a"));
    const Files before = desk.files();
    CHECK(before.at("acme-g-100/traces/a/rank0.json.gz") == "new trace");
    write_file(desk.out / "file", "x");
    write_file(desk.out / "links/outside/secret", "x");
    fs::create_directory_symlink(desk.place.path(), desk.out / "links/out");
    fs::create_directories(desk.out / "holds/folder");
    fs::create_directories(desk.out / "holds_link");
    fs::create_symlink("loop", desk.out / "holds_link/loop");
    fs::create_directories(desk.out / "holds_file_link");
    fs::create_symlink("/etc/passwd", desk.out / "holds_file_link/rank0");
    fs::create_directories(desk.out / "holds_pipe");
    REQUIRE(::mkfifo((desk.out / "holds_pipe/rank0").c_str(), 0600) == 0);
    fs::create_directory_symlink("self", desk.out / "self");
    for (const std::string& trace : {std::string("."),
                                     std::string("./"),
                                     std::string("traces/.."),
                                     std::string("traces/../"),
                                     std::string(".."),
                                     std::string("../out/traces/a"),
                                     std::string("/etc"),
                                     std::string(""),
                                     std::string("nowhere"),
                                     std::string("file"),
                                     std::string("links/out"),
                                     std::string("links/out/out"),
                                     std::string("self"),
                                     std::string("holds"),
                                     std::string("holds_link"),
                                     std::string("holds_file_link"),
                                     std::string("holds_pipe"),
                                     std::string("traces"),
                                     std::string("traces/"),
                                     std::string(5000, 'n'),
                                     std::string("traces/a\0/../..", 13)}) {
      CAPTURE(trace);
      const auto plan = desk.plan(trace);
      REQUIRE(plan.findings.size() == 1);
      CHECK(plan.findings[0].find((desk.out / "overlap.json").string() + ": trace: ") == 0);
      CHECK(desk.files() == before);
    }
    for (const char* trace : {"traces/a/", "./traces/a", "traces//a", "traces/b/../a"}) {
      CAPTURE(trace);
      const auto plan = desk.plan(trace);
      REQUIRE(plan.findings.empty());
      desk.write(plan);
      CHECK(desk.files().at("acme-g-100/traces/a/rank0.json.gz") == "new trace");
    }
  }

  TEST_CASE("22.15 what would take other traces with it is refused") {
    const Desk desk;
    const Files before = set_up_old(desk);
    fs::remove_all(desk.out / "traces");
    write_file(desk.out / "traces/rank0.json.gz", "a trace in the folder above");
    const auto plan = desk.plan("traces/");
    REQUIRE(plan.findings.size() == 1);
    CHECK(plan.findings[0].find("has no place: " + (desk.device / "traces").string() +
                                " is not a trace's folder alone: ") != std::string::npos);
    CHECK(desk.files() == before);
  }

  TEST_CASE("22.15 --replace leaves traces of other rows and files of other people alone") {
    const Desk desk;
    Files expected = set_up_old(desk);
    desk.write(desk.plan("traces/a"));
    const Files now = desk.files();
    expected.erase("acme-g-100/traces/a/rank1.json.gz");
    expected["acme-g-100/traces/a/rank0.json.gz"] = "new trace of a";
    CHECK(now == expected);
  }

  TEST_CASE("22.16 killed at any step, an import leaves the old folder or the new one, and no litter after the next") {
    const Desk desk;
    set_up_old(desk);
    desk.write(desk.plan("traces/a"));
    const Files fresh = desk.files();
    bool killed = true;
    for (int step = 1; killed; ++step) {
      const Files old = set_up_old(desk);
      const auto report = kernbench::run_isolated({[&] {
        const auto plan = desk.plan("traces/a");
        DiskFaults::kill_at(step);
        desk.write(plan);
        return std::string();
      }});
      killed = !report.outcomes[0]->ok;
      CAPTURE(step);
      Files there;
      for (const auto& [name, text] : desk.files()) {
        if (name.find("/.") == std::string::npos && !name.starts_with('.')) there[name] = text;
      }
      CHECK((there == old || there == fresh));
      if (!killed) CHECK(step > 20);
      desk.write(desk.plan("traces/a"));
      CHECK(desk.files() == fresh);
    }
  }

  TEST_CASE("22.16 a disk that fails at any step leaves the old folder or the new one") {
    const Desk desk;
    set_up_old(desk);
    desk.write(desk.plan("traces/a"));
    const Files fresh = desk.files();
    for (const int error : {ENOSPC, EIO}) {
      bool failed = true;
      for (int step = 1; failed; ++step) {
        const Files old = set_up_old(desk);
        const auto plan = desk.plan("traces/a");
        std::string message;
        DiskFaults::fail_at(step, error);
        try {
          desk.write(plan);
        } catch (const std::runtime_error& refused) {
          message = refused.what();
        }
        failed = DiskFaults::steps() >= step;
        DiskFaults::stop();
        CAPTURE(step);
        CHECK(failed == !message.empty());
        const Files there = desk.files();
        CHECK((there == old || there == fresh));
      }
    }
  }

  TEST_CASE("22.16 one import at a time") {
    const Desk desk;
    const auto lock = kernbench::lock_references(desk.reference);
    const auto report = kernbench::run_isolated({[&] {
      const auto second = kernbench::lock_references(desk.reference);
      return std::string();
    }});
    CHECK(report.outcomes[0]->reason ==
          "another import is writing to " + desk.reference.string() + ": wait for it, or choose another --into");
  }
}
