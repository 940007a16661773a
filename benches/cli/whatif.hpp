// What the commands of `kernbench whatif` share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benches/cli/evaluator.hpp"
#include "benches/cli/machine_options.hpp"
#include "benches/cli/output_options.hpp"
#include "benches/cli/whatif_report.hpp"
#include "benches/io/program/command.hpp"
#include "sim/machine/load_machine.hpp"

namespace kernbench {

struct WhatIfOptions {
  std::int64_t stairs = 4;
  std::string out;  ///< folder of results, figures and page; empty: none
  CacheOption cache;

  /// With what every question needs: the machine, how it is simulated, and how the answer is given.
  void add_to(CommandSpec& command, std::shared_ptr<MachineOptions>& machine, ChildOptions& child,
              OutputOptions& output);
};

/// What is asked of which workload.
struct WhatIfQuestion {
  std::string name;                   ///< "gemm": of the results
  std::vector<std::string> workload;  ///< words of the command line that choose it: "gemm", "--m", "512", ...
  const MachineOptions& machine_options;
  const LoadedMachine& machine;
  const Evaluate& evaluate;
  const Evaluator& evaluator;  ///< that `evaluate` uses
};

/// Asks, draws and prints; `report` has everything but the answer.
int answer_what_if(WhatIfReport report, const WhatIfQuestion& question, const WhatIfOptions& options,
                   const OutputOptions& output);

/// Points of a bench as one workload, and how they are asked for.
struct PointsAsked {
  const Bench& bench;
  std::vector<LabelledPoint> points;
  std::string title;
  std::vector<std::string> words;  ///< as WhatIfQuestion::workload
  /// What is asked of other machines than the first, by the point's row there; empty: the same.
  std::function<Point(const Point&, const Row& base)> changed = {};
  /// The best that can be had without other hardware, of one point.
  std::optional<LabelledPoint> freely = {};
};

/// The options of a command that asks about points.
struct PointsOptions {
  std::shared_ptr<MachineOptions> machine;
  WhatIfOptions what_if;
  ChildOptions child;
  OutputOptions output;
};

/// What the geometric mean of the points' times gains.
int answer_what_if(const PointsAsked& asked, const LoadedMachine& machine, const PointsOptions& options);

namespace whatif_bench_command {
std::function<int()> set_up(CommandSpec& command);
}

}  // namespace kernbench
