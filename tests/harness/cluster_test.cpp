// Points divided into tasks, and points whose tasks get lost each time.
#include <doctest/doctest.h>

#include <cstdlib>
#include <numeric>
#include <set>

#include "benches/harness/cluster/divide.hpp"
#include "benches/harness/cluster/slurm_executor.hpp"
#include "benches/harness/run/evaluate.hpp"
#include "tests/cli/fake_slurm.hpp"
#include "tests/harness/temporary_folder.hpp"
#include "tests/harness/toy_machine.hpp"
#include "tests/support/milestone.hpp"

TEST_SUITE("ADR-0039") {
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
    experiment.machine = milestone();
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
