// `run --executor slurm` with stand-ins for Slurm's commands: what gets lost, what is refused, going on.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <numeric>
#include <set>
#include <thread>

#include "benches/experiments/cluster/divide.hpp"
#include "benches/experiments/cluster/hindrances.hpp"
#include "benches/experiments/cluster/slurm_executor.hpp"
#include "benches/experiments/run/evaluate.hpp"
#include "benches/io/files/write_file.hpp"
#include "tests/cli/fake_slurm.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;

namespace {

std::int64_t lines_of(const std::string& text) { return std::ranges::count(text, '\n'); }

/// A bench of four points in tasks of the stand-in's, and what a local run of it writes.
class Cluster {
 public:
  Cluster() : slurm(place.path() / "slurm") {
    place.set(slurm.path_variable());
    REQUIRE(place.run(kToy, local("steps")).exit_code == 0);
    expected = results("here");
    place.set("TOY_LOG=" + (place.path() / "log").string());
  }

  static std::vector<std::string> local(const std::string& bench, const std::string& out = "here") {
    return {"run", "toy-" + bench, "--no-provenance", "--no-figures", "--out", out};
  }
  static std::vector<std::string> remote(const std::vector<std::string>& more = {},
                                         const std::string& bench = "steps") {
    std::vector<std::string> command = local(bench, "there");
    command.insert(command.end(), {"--executor", "slurm", "--tasks", "3"});
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  [[nodiscard]] std::string results(const std::string& out, const std::string& bench = "steps") const {
    return kernbench::read_file(place.path() / out / ("toy-" + bench) / "results.json");
  }
  [[nodiscard]] fs::path work() const { return place.path() / "there/toy-steps-work"; }
  /// How often a point was simulated, all together.
  [[nodiscard]] std::int64_t simulated() const { return lines_of(kernbench::read_file(place.path() / "log")); }

  /// A run that is interrupted while its tasks wait.
  [[nodiscard]] Ended interrupted() const {
    slurm.tell("hold");
    const pid_t pid = place.start(kToy, remote());
    for (int i = 0; i < 1000 && !fs::exists(work() / "array-0001/job"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ::kill(pid, SIGINT);
    return place.finish(pid);
  }

  Workplace place;
  FakeSlurm slurm;
  std::string expected;
};

}  // namespace

TEST_SUITE("ADR-0039") {
  TEST_CASE("39.1, 39.2, 39.3 rows of tasks make the results of a local run, byte for byte, and the work folder goes") {
    const Cluster cluster;
    const Ended ended = cluster.place.run(kToy, Cluster::remote({"--slurm", "--partition=short --time=60"}));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(cluster.results("there") == cluster.expected);
    CHECK(cluster.simulated() == 4);
    CHECK_FALSE(fs::exists(cluster.work()));
    CHECK(lines_of(cluster.slurm.submissions()) == 1);
    CHECK(has(cluster.slurm.submissions(), "--array=0-2 "));
    CHECK(has(cluster.slurm.submissions(), " --partition=short --time=60 " + (cluster.work() / "array-0001").string()));
    CHECK(has(ended.err, "job 1: 4 points in 3 tasks\n"));
  }

  TEST_CASE("39.1 points that fail in a task fail as they do here; the same command tries them again") {
    const Cluster cluster;
    const auto only = [](std::vector<std::string> command) {
      command.insert(command.end(), {"--only", "fault=abort"});
      return command;
    };
    CHECK(cluster.place.run(kToy, only(Cluster::local("faults"))).exit_code == 1);
    for (int call = 1; call <= 2; ++call) {
      CHECK(cluster.place.run(kToy, only(Cluster::remote({}, "faults"))).exit_code == 1);
      CHECK(cluster.results("there", "faults") == cluster.results("here", "faults"));
      CHECK(lines_of(cluster.slurm.submissions()) == call);
    }
  }

  TEST_CASE("39.5 the points of a task that got lost are submitted again") {
    const Cluster cluster;
    cluster.slurm.tell("lose");
    const Ended ended = cluster.place.run(kToy, Cluster::remote({"--lost-after", "1"}));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(cluster.results("there") == cluster.expected);
    CHECK(cluster.simulated() == 4);
    CHECK(lines_of(cluster.slurm.submissions()) == 2);
    CHECK(has(ended.err, "1 task ended without all of its rows, 2 points are submitted again"));
  }

  TEST_CASE("39.6 interrupted, the tasks go on, and the same command finds them") {
    const Cluster cluster;
    const Ended stopped = cluster.interrupted();
    CHECK(stopped.exit_code == 130);
    CHECK(has(stopped.err, "3 tasks go on in the cluster; `scancel 1` ends them\n"));
    cluster.slurm.stop_telling("hold");
    const Ended ended = cluster.place.run(kToy, Cluster::remote());
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(cluster.results("there") == cluster.expected);
    CHECK(cluster.simulated() == 4);
    CHECK(lines_of(cluster.slurm.submissions()) == 1);
  }

  TEST_CASE("39.7 what sbatch refuses is said with the command; squeue is asked on") {
    const Cluster cluster;
    cluster.slurm.tell("refuse");
    const Ended refused = cluster.place.run(kToy, Cluster::remote({"--slurm", "--partition=short"}));
    CHECK(refused.exit_code == 2);
    CHECK(
        has(refused.err, "sbatch did not submit the tasks (exit code 1): sbatch: error: invalid partition specified"));
    CHECK(has(refused.err, "the command was: sbatch --parsable "));
    CHECK(has(refused.err, "into --slurm"));
    cluster.slurm.stop_telling("refuse");
    cluster.slurm.tell("silent");
    const Ended ended = cluster.place.run(kToy, Cluster::remote({"--lost-after", "1"}));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.err, "squeue does not answer, asking on: slurm_load_jobs error: Unable to contact"));
    CHECK(cluster.results("there") == cluster.expected);
  }

  TEST_CASE(
      "39.7 what sbatch did not submit is not waited for, and the message says what it said, or that it did not") {
    const Cluster cluster;
    const std::string sbatch = kernbench::read_file(cluster.place.path() / "slurm/bin/sbatch");
    const std::vector<std::pair<std::string, std::string>> refusals{
        {"exit 1", "sbatch did not submit the tasks (exit code 1): it said nothing"},
        {"echo one >&2; echo two >&2; exit 3", "sbatch did not submit the tasks (exit code 3): one two"},
        {"kill -9 $$", "sbatch did not submit the tasks (exit code 137): it said nothing"},
        {"echo Submitted batch job 17", "sbatch gave no number of a job (exit code 0): Submitted batch job 17"}};
    for (const auto& [commands, said] : refusals) {
      kernbench::write_file(cluster.place.path() / "slurm/bin/sbatch", "#!/bin/sh\n" + commands + "\n");
      fs::permissions(cluster.place.path() / "slurm/bin/sbatch", fs::perms::owner_all);
      const Ended refused = cluster.place.run(kToy, Cluster::remote());
      CHECK(refused.exit_code == 2);
      CHECK_MESSAGE(has(refused.err, said), refused.err);
      CHECK(has(refused.err, "\n  the command was: sbatch --parsable "));
      CHECK_MESSAGE(!has(refused.err, "submitted before"), refused.err);
      CHECK_FALSE(fs::exists(cluster.work() / "array-0001"));
    }
    kernbench::write_file(cluster.place.path() / "slurm/bin/sbatch", sbatch);
    fs::permissions(cluster.place.path() / "slurm/bin/sbatch", fs::perms::owner_all);
    const Ended ended = cluster.place.run(kToy, Cluster::remote());
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.err, "job 1: 4 points in 3 tasks\n"));
    CHECK_FALSE(has(ended.err, "submitted before"));
    CHECK(cluster.results("there") == cluster.expected);
  }

  TEST_CASE("39.7 what belongs to --executor slurm is refused without it") {
    const Workplace place;
    for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
             {"--lost-after", "9"}, {"--tasks", "100"}, {"--work", "w"}, {"--slurm", "-p x"}, {"--launcher", "env"}}) {
      for (const std::vector<std::string>& local :
           {Cluster::local("steps"), {"run", "toy-steps", "--executor", "local"}}) {
        std::vector<std::string> command = local;
        command.insert(command.end(), {option + "=" + value});
        const Ended ended = place.run(kToy, command);
        CHECK(ended.exit_code == 2);
        CHECK_MESSAGE(has(ended.err, option + ": expected --executor slurm beside it"), ended.err);
      }
    }
    for (const char* folder : {"here", "out", "w"}) CHECK_FALSE(fs::exists(place.path() / folder));
  }

  TEST_CASE("39.7 without Slurm the remedy is said") {
    const Workplace place;
    const Ended ended = place.run(kToy, Cluster::remote(), {"PATH=/nowhere"});
    CHECK(ended.exit_code == 2);
    CHECK(has(ended.err, "cannot start `sbatch`"));
  }

  TEST_CASE("39.9 tasks that somebody holds are named once with the remedy, and waited for") {
    const Cluster cluster;
    cluster.slurm.tell("hold");
    cluster.slurm.tell("reason", "JobHeldUser");
    const pid_t pid = cluster.place.start(kToy, Cluster::remote());
    const auto said = [&] { return kernbench::read_file(cluster.place.path() / "stderr"); };
    for (int i = 0; i < 1000 && !has(said(), "JobHeldUser"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));  // some more looks at the queue
    cluster.slurm.stop_telling("reason");
    cluster.slurm.stop_telling("hold");
    const Ended ended = cluster.place.finish(pid);
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const std::string warning = "tasks 1_[0-2] do not start: JobHeldUser; they wait until somebody lets them go: ";
    CHECK(has(ended.err, warning + "`scontrol release 1_[0-2]`\n"));
    CHECK(ended.err.find("JobHeldUser") == ended.err.rfind("JobHeldUser"));
    CHECK(cluster.results("there") == cluster.expected);
    CHECK(lines_of(cluster.slurm.submissions()) == 1);
    CHECK(cluster.slurm.cancelled().empty());
  }

  TEST_CASE("39.9 what Slurm could not start and does not try again is cancelled and submitted again") {
    const Cluster cluster;
    cluster.slurm.tell("fail");
    const Ended ended = cluster.place.run(kToy, Cluster::remote({"--lost-after", "1"}));
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.err, "tasks 1_[0] do not start: launch failed requeued held; their points are submitted again"));
    CHECK(cluster.slurm.cancelled() == "1_[0]\n");
    CHECK(lines_of(cluster.slurm.submissions()) == 2);
    CHECK(cluster.results("there") == cluster.expected);
    CHECK(cluster.simulated() == 4);
  }

  TEST_CASE("39.9 squeue's reasons, and names of tasks") {
    using kernbench::Hindrance;
    using kernbench::hindrance_of;
    for (const char* reason : {"None", "Resources", "Priority", "JobArrayTaskLimit", "QOSMaxCpuPerUserLimit"}) {
      CHECK_MESSAGE(hindrance_of(reason) == Hindrance::kNone, reason);
    }
    for (const char* reason : {"launch failed requeued held", "JobHoldMaxRequeue"}) {
      CHECK_MESSAGE(hindrance_of(reason) == Hindrance::kGivenUp, reason);
    }
    for (const char* reason : {"JobHeldUser", "JobHeldAdmin", "job requeued in held state"}) {
      CHECK_MESSAGE(hindrance_of(reason) == Hindrance::kHeld, reason);
    }
    for (const char* reason : {"PartitionTimeLimit", "ReqNodeNotAvail, UnavailableNodes:n1", "BadConstraints"}) {
      CHECK_MESSAGE(hindrance_of(reason) == Hindrance::kOther, reason);
    }
    using Names = std::vector<std::string>;
    CHECK(kernbench::names_of({{"7", 0}, {"7", 1}, {"7", 2}, {"7", 9}, {"12", 3}}) == Names{"12_[3]", "7_[0-2,9]"});
    CHECK(kernbench::names_of({}).empty());
  }

  TEST_CASE("39.8 another experiment in the work folder is refused, and so is one of another program by its tasks") {
    const Cluster cluster;
    CHECK(cluster.interrupted().exit_code == 130);
    const Ended other = cluster.place.run(kToy, Cluster::remote({"--set", "pe.clock=2 GHz", "--verify"}));
    CHECK(other.exit_code == 2);
    CHECK(has(other.err, "is of another experiment: another pe.clock and another verify: expected --work"));

    const fs::path file = cluster.work() / "experiment.json";
    std::string text = kernbench::read_file(file);
    text.replace(text.find(" bytes of "), 10, "0 bytes of ");
    kernbench::write_file(file, text);
    CHECK(has(cluster.place.run(kToy, Cluster::remote()).err, "is of another experiment: another program: expected"));
    const fs::path array = cluster.work() / "array-0001";
    const Ended task = cluster.place.run(kToy, {"dev", "task", array.string(), "0"});
    CHECK(task.exit_code == 2);
    CHECK(has(task.err, "another program: expected the very build of kernbench that submitted it"));
    CHECK(has(kernbench::read_file(array / "rows-0.jsonl"), "another program"));
    cluster.slurm.stop_telling("hold");
  }

  TEST_CASE("39.4 a task is a command; done twice it does nothing, and there is no task that was not submitted") {
    const Cluster cluster;
    CHECK(cluster.interrupted().exit_code == 130);
    const std::string array = (cluster.work() / "array-0001").string();
    for (int time = 0; time < 2; ++time) {
      CHECK(cluster.place.run(kToy, {"dev", "task", array, "0"}).exit_code == 0);
      CHECK(cluster.simulated() == 2);
      CHECK(lines_of(kernbench::read_file(array + "/rows-0.jsonl")) == 3);
    }
    CHECK(has(cluster.place.run(kToy, {"dev", "task", array, "3"}).err, "tasks.jsonl has no task 3"));
    cluster.slurm.stop_telling("hold");
  }

  TEST_CASE("39.3 each point is in one task, the dearest go to the task that has least") {
    using Shares = std::vector<std::vector<std::size_t>>;
    CHECK(kernbench::divided({1, 5, 2, 3, 1}, 2) == Shares{{1, 0}, {3, 2, 4}});
    CHECK(kernbench::divided({1, 1}, 5) == Shares{{0}, {1}});
    CHECK(kernbench::divided({}, 5).empty());
    std::vector<double> costs(1000);
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = 1 + static_cast<double>(i * 7919 % 100);
    std::set<std::size_t> all;
    const double fair = std::accumulate(costs.begin(), costs.end(), 0.0) / 30;
    for (const std::vector<std::size_t>& share : kernbench::divided(costs, 30)) {
      double cost = 0;
      for (const std::size_t index : share) cost += costs[index];
      CHECK(cost == doctest::Approx(fair).epsilon(0.02));
      all.insert(share.begin(), share.end());
    }
    CHECK(all.size() == costs.size());
  }

  TEST_CASE("39.5 a point whose task ended four times without a row has failed") {
    const TemporaryFolder folder;
    const FakeSlurm slurm(folder.path() / "slurm");
    const std::string path = slurm.path_variable().substr(5);
    kernbench::write_file(folder.path() / "slurm/bin/sbatch",
                          "#!/bin/sh\necho \"$*\" >>\"" + folder.path().string() + "/submissions\"\necho 7\n");
    std::filesystem::permissions(folder.path() / "slurm/bin/sbatch", std::filesystem::perms::owner_all);
    const std::string path_before = std::getenv("PATH");
    ::setenv("PATH", path.c_str(), 1);
    kernbench::Experiment experiment;
    std::vector<kernbench::Evaluation> evaluations(3);
    for (std::size_t i = 0; i < evaluations.size(); ++i) evaluations[i].point = {{"number", i}};
    kernbench::ClusterOptions options;
    options.work = folder.path() / "work";
    options.tasks = 2;
    options.patience = std::chrono::milliseconds(0);
    kernbench::SlurmExecutor executor(experiment, options);
    kernbench::EvaluateOptions how;
    how.shows = kernbench::Progress::Shows::kNothing;
    how.executor = &executor;
    const kernbench::Evaluated evaluated = kernbench::evaluate(evaluations, how);
    ::setenv("PATH", path_before.c_str(), 1);
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      CHECK(evaluated.rows[i]->status == "failed");
      CHECK(evaluated.rows[i]->reason.starts_with("its task ended 4 times without a row; the last one, task "));
    }
    const std::string submissions = kernbench::read_file(folder.path() / "submissions");
    CHECK(std::count(submissions.begin(), submissions.end(), '\n') == 4);
  }
}
