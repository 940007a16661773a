// A sweep through a Slurm of this test's own, in which a worker, the controller and the run itself are killed.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "benches/io/files/write_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;

namespace {

const std::string kScript = kernbench::source_dir() + "/tests/cli/private_slurm.sh";

bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 30'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A process `kernbench dev task` of the work folder, none of its children; 0: none runs.
pid_t running_task(const fs::path& work) {
  std::map<pid_t, pid_t> parents;
  for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
    const std::string name = process.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!has(text_of(process.path() / "cmdline"), std::string("\0dev\0task\0", 10) + work.string())) continue;
    const std::string status = text_of(process.path() / "status");
    const std::size_t parent = status.find("\nPPid:");
    if (parent != std::string::npos) parents[std::stoi(name)] = std::stoi(status.substr(parent + 6));
  }
  for (const auto& [process, parent] : parents) {
    if (!parents.contains(parent)) return process;
  }
  return 0;
}

/// Ends with this object, or with this process.
class PrivateSlurm {
 public:
  explicit PrivateSlurm(const fs::path& parent) : folder_(parent / "slurm") {
    const Ended started = call("start");
    REQUIRE_MESSAGE(started.exit_code == 0, started.err);
  }
  ~PrivateSlurm() { (void)call("stop"); }
  PrivateSlurm(const PrivateSlurm&) = delete;
  PrivateSlurm& operator=(const PrivateSlurm&) = delete;

  void kill_controller() const {
    CHECK(::kill(std::stoi(kernbench::read_file(folder_ / "slurmctld.pid")), SIGKILL) == 0);
  }
  void start_controller() const { CHECK(call("controller").exit_code == 0); }
  [[nodiscard]] std::string variable() const { return "SLURM_CONF=" + (folder_ / "slurm.conf").string(); }

 private:
  [[nodiscard]] Ended call(const std::string& what) const {
    return Workplace().run("/bin/bash", {kScript, what, folder_.string()});
  }

  fs::path folder_;
};

/// What this machine lacks for it; "": nothing.
std::string missing_for_slurm() {
  if (::geteuid() != 0) return "a Slurm of one's own has to be started as root";
  for (const std::string program : {"slurmctld", "slurmd", "munged", "sbatch"}) {
    if (!fs::exists("/usr/sbin/" + program) && !fs::exists("/usr/bin/" + program)) {
      return "there is no " + program + ": `scripts/setup --cluster` installs it";
    }
  }
  return "";
}

const std::vector<std::string> kSweep{
    "run",     "milestone-1h-gemm",     "--only",          "shape=128x128x128,variant=ref_ref",
    "--sweep", "pe.stream_depth=1..50", "--sweep",         "pe.output_depth=1..40",
    "--quiet", "--no-figures",          "--no-provenance", "--no-cache"};

std::vector<std::string> sweep_to(const std::string& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> command = kSweep;
  command.insert(command.end(), {"--out", out});
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

}  // namespace

TEST_SUITE("ADR-0039") {
  TEST_CASE("39.1, 39.5, 39.6, 39.9 2,000 points through Slurm, killed on the way: the bytes of a local run") {
    if (const std::string missing = missing_for_slurm(); !missing.empty()) {
      MESSAGE("skipped: ", missing);
      return;
    }
    Workplace place;
    REQUIRE(place.run(kProgram, sweep_to("here")).exit_code == 0);
    const PrivateSlurm slurm(place.path());
    place.set(slurm.variable());
    const fs::path work = place.path() / "there/milestone-1h-gemm-sweep-work";
    const std::vector<std::string> command = sweep_to("there", {"--executor", "slurm", "--tasks", "30"});

    const pid_t first = place.start(kProgram, command);
    pid_t worker = 0;
    CHECK(comes_true([&] { return (worker = running_task(work)) != 0; }));
    CHECK(::kill(worker, SIGKILL) == 0);
    CHECK(comes_true([&] { return has(text_of(place.path() / "stderr"), "1 task ended without all of its rows"); }));
    CHECK(comes_true([&] { return running_task(work) != 0; }));
    slurm.kill_controller();
    CHECK(::kill(first, SIGKILL) == 0);
    CHECK(place.finish(first).exit_code == 128 + SIGKILL);
    CHECK(fs::exists(work / "array-0002"));

    slurm.start_controller();
    const Ended ended = place.run(kProgram, command);
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK_FALSE(has(ended.err, "of 2000 points"));  // rows that had come were kept
    for (const char* file : {"results.json", "results.csv", "theory.json", "theory.csv"}) {
      const std::string name = std::string("milestone-1h-gemm-sweep/") + file;
      CHECK(kernbench::read_file(place.path() / "there" / name) == kernbench::read_file(place.path() / "here" / name));
    }
    CHECK_FALSE(fs::exists(work));
  }
}
