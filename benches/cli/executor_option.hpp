// --executor and what belongs to it: where points are simulated (adr/0039-clusters.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "benches/experiments/cluster/slurm_executor.hpp"
#include "benches/io/program/command.hpp"

namespace kernbench {

class ExecutorOption {
 public:
  void add_to(CommandSpec& command);
  /// Throws ConfigError where what belongs to --executor slurm stands without it.
  void check() const;
  [[nodiscard]] bool is_cluster() const { return executor_ == "slurm"; }
  /// Of a run whose results go to `out`/`name`. Throws ConfigError.
  [[nodiscard]] std::unique_ptr<SlurmExecutor> open(Experiment experiment, const std::filesystem::path& out,
                                                    const std::string& name, bool fresh) const;

 private:
  std::string executor_ = "local";
  std::filesystem::path work_;
  std::int64_t tasks_ = 100;
  std::int64_t lost_after_ = 5;
  std::string slurm_;
  std::string launcher_;
  std::vector<const Option*> of_slurm_;
};

}  // namespace kernbench
