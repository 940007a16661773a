// A workload: what can be asked of a machine, said once (adr/0063-workloads.md). One file below benches/workloads
// declares its axes, and how machines of PEs and GPUs answer; commands, benches, sweeps, searches and what-ifs follow
// from that.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benches/io/text/terminal.hpp"
#include "benches/workloads/axes.hpp"
#include "benches/workloads/bench.hpp"
#include "sim/base/source_place.hpp"
#include "sim/system/run.hpp"

namespace kernbench {

/// A line of a report: "time   12.3 ns".
struct Fact {
  std::string name;
  std::string value;
};

/// How points will be simulated that are planned.
struct Planning {
  bool choice = false;  ///< whoever asks leaves it to us which of them are worth it
  bool verify = false;  ///< values are carried
  bool whole = false;   ///< every operation is simulated, for a trace or because somebody asked for it
};

/// What is known of some points before they are simulated.
struct Planned {
  std::vector<std::string> warnings = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> skipped = {};  ///< by point: why it is not worth its simulation; "" where it is
  /// By point, where that is better known than before.
  std::vector<MemoryEstimate> memory = {};
};

/// A way to do what was asked for, and its row.
template <class Asked>
struct Way {
  Asked asked;
  Row row;
};

/// What machines of one kind say of a point. Every function throws ConfigError where the machine cannot do it.
struct WorkloadAnswers {
  std::vector<ReportColumn> columns = {};  ///< of a table of many points
  bool multi_pe = false;                   ///< of several PEs, which the network joins
  std::string smaller = {};                ///< what takes less memory: "fewer --ranks"
  /// The point with what the machine decides of it, which holds when the machine is then changed; optional.
  std::function<Point(const MachineSpec&, const Point&)> settled = {};
  /// Of all points together, in a child; optional.
  std::function<Planned(const MachineSpec&, const std::vector<Point>&, const Planning&)> plan = {};
  /// "softmax of 8x128x768 bf16 over 16 PEs of milestone-1h".
  std::function<std::string(const MachineSpec&, const Point&)> title = {};
  std::function<Row(const MachineSpec&, const Point&, const RunSettings&)> run = {};
  std::function<MemoryEstimate(const MachineSpec&, const Point&, const PointSettings&)> memory = {};  ///< optional
  std::function<double(const MachineSpec&, const Point&)> cost = {};  ///< as Bench::cost; optional
  std::function<Row(const MachineSpec&, const Point&)> bound = {};    ///< in closed form; optional
  /// Throws as `run` does where the machine has no room, which neither place nor plan knows; in a child; optional.
  std::function<void(const MachineSpec&, const Point&)> set_up = {};
  /// What is said of one row, below what its time went to.
  std::function<std::vector<Fact>(const Row&)> facts = {};
  /// All that is said of one row, in the place of both; optional.
  std::function<std::string(const MachineSpec&, const Point&, const Row&, const Terminal&)> report = {};
  /// Ways to do it, `top` or more, the fastest first, each a point of its own: `map W`; in a child. Optional.
  std::function<std::vector<Way<Point>>(const MachineSpec&, const Point&, std::size_t top, const RunSettings&)> ways =
      {};
  /// As a table, of `top` of them; with `ways`.
  std::function<std::string(const MachineSpec&, const Point&, const std::vector<Row>&, std::size_t top,
                            const Terminal&)>
      ways_table = {};
  /// What is asked of a changed machine, by the row of the machine as it is: what was chosen there is held, or chosen
  /// anew. Optional: the same.
  std::function<Point(const Point&, const Row& base, bool hold)> changed = {};
  /// The best that can be had without other hardware, where it is not what was asked for; optional.
  std::function<std::optional<Point>(const MachineSpec&, const Point&)> freely = {};
  std::function<std::vector<Row>(const Results&)> derive = {};  ///< as Bench::derive; optional
  /// Tables of derived rows; with `derive`.
  std::function<std::string(const std::vector<Row>&, const Terminal&)> summary = {};

  [[nodiscard]] Point settle(const MachineSpec& machine, const Point& point) const {
    return settled ? settled(machine, point) : point;
  }
};

/// How one kind of machine does it, in the request's own types; `Placed` is the request with what of a machine does it,
/// and `place` checks it.
template <class Request, class Placed>
struct Answers {
  std::vector<ReportColumn> columns;
  bool multi_pe = false;
  std::string smaller = {};
  Request (*settled)(const MachineSpec&, const Request&) = nullptr;
  Planned (*plan)(const std::vector<Placed>&, const Planning&) = nullptr;
  Placed (*place)(const MachineSpec&, const Request&) = nullptr;
  std::string (*title)(const Placed&) = nullptr;
  Row (*run)(const Placed&, const RunSettings&) = nullptr;
  MemoryEstimate (*memory)(const Placed&, bool verify) = nullptr;
  double (*cost)(const Placed&) = nullptr;
  Row (*bound)(const Placed&) = nullptr;
  void (*set_up)(const Placed&) = nullptr;
  std::vector<Fact> (*facts)(const Row&) = nullptr;
  std::string (*report)(const Placed&, const Row&, const Terminal&) = nullptr;
  std::vector<Way<Request>> (*ways)(const Placed&, std::size_t top, const RunSettings&) = nullptr;
  std::string (*ways_table)(const Placed&, const std::vector<Row>&, std::size_t top, const Terminal&) = nullptr;
  Request (*changed)(const Request&, const Row& base, bool hold) = nullptr;
  std::optional<Request> (*freely)(const Placed&) = nullptr;
  std::vector<Row> (*derive)(const Results&) = nullptr;
  std::string (*summary)(const std::vector<Row>&, const Terminal&) = nullptr;

  /// The same by points.
  [[nodiscard]] WorkloadAnswers of(const Axes<Request>& axes) const {
    const auto placed = [axes, how = place](const MachineSpec& machine, const Point& point) {
      return how(machine, axes.of(point));
    };
    WorkloadAnswers answers{.columns = columns, .multi_pe = multi_pe, .smaller = smaller};
    if (settled != nullptr) {
      answers.settled = [axes, how = settled](const MachineSpec& machine, const Point& point) {
        return axes.with(point, how(machine, axes.of(point)));
      };
    }
    if (plan != nullptr) {
      answers.plan = [placed, how = plan](const MachineSpec& machine, const std::vector<Point>& points,
                                          const Planning& planning) {
        std::vector<Placed> all;
        for (const Point& point : points) all.push_back(placed(machine, point));
        return how(all, planning);
      };
    }
    answers.title = [placed, how = title](const MachineSpec& machine, const Point& point) {
      return how(placed(machine, point));
    };
    answers.run = [placed, how = run](const MachineSpec& machine, const Point& point, const RunSettings& settings) {
      return how(placed(machine, point), settings);
    };
    if (memory != nullptr) {
      answers.memory = [placed, how = memory](const MachineSpec& machine, const Point& point,
                                              const PointSettings& settings) {
        return how(placed(machine, point), settings.verify);
      };
    }
    if (cost != nullptr) {
      answers.cost = [placed, how = cost](const MachineSpec& machine, const Point& point) {
        return how(placed(machine, point));
      };
    }
    if (bound != nullptr) {
      answers.bound = [placed, how = bound](const MachineSpec& machine, const Point& point) {
        return how(placed(machine, point));
      };
    }
    if (set_up != nullptr) {
      answers.set_up = [placed, how = set_up](const MachineSpec& machine, const Point& point) {
        how(placed(machine, point));
      };
    }
    answers.facts = facts;
    if (report != nullptr) {
      answers.report = [placed, how = report](const MachineSpec& machine, const Point& point, const Row& row,
                                              const Terminal& terminal) {
        return how(placed(machine, point), row, terminal);
      };
    }
    if (ways != nullptr) {
      answers.ways = [placed, axes, how = ways](const MachineSpec& machine, const Point& point, std::size_t top,
                                                const RunSettings& settings) {
        std::vector<Way<Point>> all;
        for (Way<Request>& way : how(placed(machine, point), top, settings)) {
          all.push_back({axes.with(point, way.asked), std::move(way.row)});
        }
        return all;
      };
      answers.ways_table = [placed, how = ways_table](const MachineSpec& machine, const Point& point,
                                                      const std::vector<Row>& rows, std::size_t top,
                                                      const Terminal& terminal) {
        return how(placed(machine, point), rows, top, terminal);
      };
    }
    if (changed != nullptr) {
      answers.changed = [axes, how = changed](const Point& point, const Row& base, bool hold) {
        return axes.with(point, how(axes.of(point), base, hold));
      };
    }
    if (freely != nullptr) {
      answers.freely = [placed, axes, how = freely](const MachineSpec& machine,
                                                    const Point& point) -> std::optional<Point> {
        const std::optional<Request> best = how(placed(machine, point));
        if (!best) return std::nullopt;
        return axes.with(point, *best);
      };
    }
    answers.derive = derive;
    answers.summary = summary;
    return answers;
  }
};

struct Workload {
  std::string name = {};                        ///< of the command: "operator"
  std::string summary = {};                     ///< one line
  std::string version = {};                     ///< as Bench::version
  std::string folder = {};                      ///< as Bench::folder
  std::string examples = {};                    ///< of `sim`, and what else its help says below them
  std::string gpu_file = "topology/h200.yaml";  ///< on which the bench runs where no GPU is named
  std::vector<WorkloadAxis> axes = {};
  std::optional<WorkloadAnswers> on_pes = {};
  std::optional<WorkloadAnswers> on_gpu = {};

  /// Throws ConfigError that begins with `place` where machines of this kind cannot do it.
  [[nodiscard]] const WorkloadAnswers& on(MachineKind kind, const std::string& place) const;
  /// The axes that machines of this kind have.
  [[nodiscard]] std::vector<WorkloadAxis> axes_on(MachineKind kind) const;
};

/// Values of a bench's axes, by the name of the axis.
using PointValues = std::vector<std::pair<std::string, std::vector<AxisValue>>>;

/// The bench of a workload, of its name: points by these values, all other axes at their usual one, on both kinds of
/// machine.
[[nodiscard]] Bench bench_of(const Workload& workload, const PointValues& values = {});

/// For the initialiser of a constant in the workload's own file: the workload, and its bench, of another name or with
/// figures or not. Throws std::logic_error that names both places for a second workload or bench of the same name.
bool register_workload(Workload workload, Bench bench, SourcePlace place = SourcePlace::here());
inline bool register_workload(const Workload& workload, SourcePlace place = SourcePlace::here()) {
  return register_workload(workload, bench_of(workload), place);
}

/// Workloads that follow from what others register while the program starts: asked for when workloads or benches are
/// first looked up. Each with its bench.
bool register_workloads_of(std::function<std::vector<Workload>()> workloads);

/// Every registered workload, by name.
const std::vector<Workload>& all_workloads();

}  // namespace kernbench
