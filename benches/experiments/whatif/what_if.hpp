// What would change if the machine changed: every key on its own, and the stairs of what to buy first
// (adr/0035-what-if.md).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benches/experiments/whatif/changes.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// Rows with time_ns of a workload on these machines, in their order; one that cannot run there has another status
/// than "ok", and a reason.
using Evaluate = std::function<std::vector<Row>(const std::vector<MachineSpec>&)>;

/// A key on its own, with those that go along with it (35.13), with other values than it has.
struct KeyEffect {
  TopologyKey key;
  Row half;
  Row twice;
  Row tenth_more;
};

/// A key on its own over several values, all else as it is.
struct KeyCurve {
  struct Value {
    Factor factor;
    Row row;
  };
  TopologyKey key;
  std::vector<Value> values;  ///< on which the workload runs, the least first
};

/// What is bought, on top of all stairs before it.
struct Stair {
  Changes changes;
  MachineSpec machine;  ///< with all of them
  Row row;
  double faster = 1;                   ///< times, than before it
  std::optional<double> added_cost{};  ///< in the machine's unit, where its cost is computed (36.6)
};

/// What makes it faster on the machine as it is, and costs no hardware.
struct FreeChange {
  std::string mapping;  ///< or kernel of a GPU, as --map takes it
  Row row;              ///< has time_ns
};

struct WhatIf {
  Row base;
  std::optional<FreeChange> free{};  ///< put there by who knows one
  std::vector<KeyEffect> effects;
  std::vector<Stair> stairs;
  std::vector<KeyCurve> curves;
  std::size_t runs = 0;  ///< machines that were evaluated, the base among them
};

inline constexpr double kNoEffect = 0.001;     ///< of the time: less is none
inline constexpr double kStrongEffect = 0.01;  ///< of the time: less is not shown one by one

struct WhatIfLimits {
  std::size_t stairs = 4;      ///< at most
  std::size_t together = 3;    ///< keys that move at once, at most
  double least_faster = 1.05;  ///< a smaller stair is none
  double least_worth = 0.02;   ///< of the window: causes of less are not followed
  std::size_t curves = 0;      ///< of the keys with the largest effects, at most
};

/// Throws ConfigError where the workload does not fit the machine as it is, SimulationError where it fails there.
[[nodiscard]] WhatIf what_if(const MachineSpec& machine, const Evaluate& evaluate, const WhatIfLimits& limits = {});

/// How many times as fast as `before` it is; 1 where either did not run.
[[nodiscard]] double times_faster(const Row& before, const Row& after);

/// What the largest of a key's effects is: |ln(time as it is / time with the change)|.
[[nodiscard]] double size_of(const Row& base, const KeyEffect& effect);
/// Keys that change the time by 1 % or more, the largest effect first.
[[nodiscard]] std::vector<KeyEffect> strong_effects(const WhatIf& answer);

/// Its place among the values: the least from which on each next one gains less than 1 % of the speed on the one
/// before; of a key that is better the less it is, the greatest from which downwards each next one does. Nothing where
/// that is the end.
[[nodiscard]] std::optional<std::size_t> knee_of(const KeyCurve& curve);

/// The base, what is free, each stair and each key as rows (docs/what-if.md), with the settings in the point.
[[nodiscard]] std::vector<Row> rows_of(const WhatIf& answer, const MachineSpec& machine);

}  // namespace kernbench
