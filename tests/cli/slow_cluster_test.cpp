// A sweep through a Slurm of this test's own, whose worker and controller are killed on the way.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "benches/harness/files/write_file.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;

namespace {

const std::string kScript = KERNBENCH_SOURCE_DIR "/tests/cli/private_slurm.sh";

bool is_installed(const std::string& program) {
  return std::system(("PATH=$PATH:/usr/sbin command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 30'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

/// A process `kernbench task` of the work folder; 0: none runs.
pid_t running_task(const std::string& work) {
  for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
    std::ifstream file(process.path() / "cmdline");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    if (has(line, std::string("\0task\0", 6) + work)) return std::stoi(process.path().filename().string());
  }
  return 0;
}

/// Ended whatever happens.
class PrivateSlurm {
 public:
  explicit PrivateSlurm(const Workplace& place) : place_(place), folder_((place.path() / "slurm").string()) {
    const Ended started = call("start");
    REQUIRE_MESSAGE(started.exit_code == 0, started.err);
  }
  ~PrivateSlurm() { (void)call("stop"); }
  PrivateSlurm(const PrivateSlurm&) = delete;
  PrivateSlurm& operator=(const PrivateSlurm&) = delete;

  void kill_controller() const { ::kill(std::stoi(kernbench::read_file(folder_ + "/slurmctld.pid")), SIGKILL); }
  void start_controller() const { CHECK(call("controller").exit_code == 0); }
  [[nodiscard]] std::string configuration() const { return "SLURM_CONF=" + folder_ + "/slurm.conf"; }

 private:
  [[nodiscard]] Ended call(const std::string& what) const {
    return Workplace().run("/bin/bash", {kScript, what, folder_});
  }

  const Workplace& place_;
  std::string folder_;
};

}  // namespace

TEST_SUITE("ADR-0039") {
  TEST_CASE(
      "39.1, 39.5, 39.6 2,000 points through Slurm, a worker and the controller killed: the bytes of a local run") {
    for (const char* program : {"slurmctld", "slurmd", "munged", "sbatch"}) {
      if (is_installed(program)) continue;
      MESSAGE("skipped: there is no ", program, ": scripts/setup --cluster installs it");
      return;
    }
    if (::getuid() != 0) {
      MESSAGE("skipped: a Slurm of one's own has to be started as root");
      return;
    }
    Workplace place;
    const std::vector<std::string> sweep{
        "run",     "milestone-1h-gemm",     "--only",          "shape=128x128x128,variant=ref_ref",
        "--sweep", "pe.stream_depth=1..50", "--sweep",         "pe.output_depth=1..40",
        "-q",      "--no-figures",          "--no-provenance", "--no-cache"};
    std::vector<std::string> command = sweep;
    command.insert(command.end(), {"--out", "there", "--executor", "slurm", "--tasks", "20"});
    std::vector<std::string> local = sweep;
    local.insert(local.end(), {"--out", "here"});
    REQUIRE(place.run(kProgram, local).exit_code == 0);

    const PrivateSlurm slurm(place);
    place.set(slurm.configuration());
    const std::string work = (place.path() / "there/milestone-1h-gemm-sweep-work").string();
    const fs::path partial = place.path() / "there/milestone-1h-gemm-sweep/partial.jsonl";
    const pid_t pid = place.start(kProgram, command);
    CHECK(comes_true([&] { return fs::exists(partial) && fs::file_size(partial) > 100'000; }));  // some tasks are done
    pid_t worker = 0;
    CHECK(comes_true([&] { return (worker = running_task(work)) != 0; }));
    slurm.kill_controller();
    CHECK(::kill(worker, SIGKILL) == 0);
    ::kill(pid, SIGINT);
    const Ended interrupted = place.finish(pid);
    CHECK(interrupted.exit_code == 130);
    CHECK(has(interrupted.err, "go on in the cluster"));

    slurm.start_controller();
    const Ended ended = place.run(kProgram, command);
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.err, "1 task ended without all of its rows"));
    for (const char* file : {"results.json", "results.csv", "theory.json", "theory.csv"}) {
      const std::string name = std::string("milestone-1h-gemm-sweep/") + file;
      CHECK(kernbench::read_file(place.path() / "there" / name) == kernbench::read_file(place.path() / "here" / name));
    }
    CHECK_FALSE(fs::exists(work));
  }
}
