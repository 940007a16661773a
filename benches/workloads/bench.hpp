// A bench: a named experiment that one folder under benches/ registers with one expression (docs/benches.md).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benches/io/files/file_set.hpp"
#include "benches/results/figures/figure.hpp"
#include "benches/results/rows/results.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/source_place.hpp"
#include "sim/machine/machine_kind.hpp"
#include "sim/machine/machine_spec.hpp"
#include "sim/plan/memory_estimate.hpp"

namespace kernbench {

/// One configuration of a bench: field name -> value, in the order of the axes.
using Point = Json;

/// One value of an axis. Its label is what `--only` and tables call it; its fields are what it adds to a point.
struct AxisValue {
  std::string label;
  Json fields;  ///< an object, merged into the point; anything else becomes {axis name: value}

  // A plain value labels itself: {"variant", {"ref_ref", "load_ref"}}.
  AxisValue(const char* value) : label(value), fields(value) {}          // NOLINT(google-explicit-constructor)
  AxisValue(int value) : label(std::to_string(value)), fields(value) {}  // NOLINT(google-explicit-constructor)
  AxisValue(std::string name, Json values) : label(std::move(name)), fields(std::move(values)) {}
};

/// How an axis gets values that are not the bench's own: of --sweep, --vary and --only (35.11).
struct OpenAxis {
  std::optional<Dimension> dimension;                 ///< of which there are ranges too; nothing: names
  std::function<AxisValue(const std::string&)> read;  ///< throws ConfigError, "expected ..., got ..."
  /// Several values by one name: "shape=suite".
  std::map<std::string, std::function<std::vector<AxisValue>()>> sets = {};
  bool has_commas = false;  ///< its values: several of them have semicolons between
};

struct Axis {
  std::string name;
  std::vector<AxisValue> values;
  std::optional<OpenAxis> open = {};  ///< nothing: it has these values and no others
};

/// The value of an open axis. Throws ConfigError that begins with `place` and names the axis.
[[nodiscard]] AxisValue read_value(const Axis& axis, const std::string& place, const std::string& text);

/// That value, or all of the set of that name. Throws as read_value.
[[nodiscard]] std::vector<AxisValue> read_values(const Axis& axis, const std::string& place, const std::string& text);

/// Whether points are told apart by the axis: not by one that takes any value and was asked for one.
[[nodiscard]] bool tells_apart(const Axis& axis);

/// A point and the label of its value on each axis.
struct LabelledPoint {
  Point point;
  std::vector<std::string> labels;
  std::string name = {};  ///< "128x128x128 load_ref": the labels that tell it from others; all where none does
};

/// A metric that the table at the end of a run shows.
struct ReportColumn {
  std::string metric;       ///< its key in Row::metrics
  std::string title;        ///< column title with its unit
  bool as_percent = false;  ///< the metric is a fraction of one
};

/// How a point is run; the same for all points of a run and part of what a resumed run must agree on.
struct PointSettings {
  bool verify = false;  ///< carry real operand values and compare with a reference product
};

/// What a row follows from, by which it is found again (ADR-0037, 37.1).
struct WorkloadOnMachine {
  std::string name;            ///< of the workload: the bench
  Json workload;               ///< all but the machine, and the program
  std::string machine_sha256;  ///< as LoadedMachine has it
};

struct Bench {
  std::string name = {};     ///< what `--bench` calls it
  std::string summary = {};  ///< one line
  std::string version = {};  ///< raised when points or metrics change meaning: committed results become stale
  std::string folder = {};   ///< below the source tree; committed results lie in `<folder>/results/`
  std::vector<Axis> axes = {};
  /// In place of `axes`, for those that files of the source tree say; asked once, when the bench is first looked up.
  std::function<std::vector<Axis>()> axes_from = {};
  MachineKind machine = MachineKind::kPes;  ///< the kind that it runs on (48.3)
  /// The same question on the other kind of machine (35.16): axes, columns and functions for it; name, summary and
  /// version are this one's, its committed results lie in a folder below. Empty: it runs on one kind alone.
  std::shared_ptr<const Bench> on_other_kind = {};
  /// Axes that only the side for the other kind of machine has.
  std::vector<std::string> axes_of_other_kind = {};
  /// Whether a combination of the axes is a point of the bench; empty: all are.
  std::function<bool(const Point&)> includes = {};
  /// The machine file that is taken where the user names none, below the source tree; empty: the milestone's.
  std::string machine_file = {};
  /// Overrides of machine keys ("key.path=value") that hold unless the user's `--set` names the key.
  std::vector<std::string> machine_defaults = {};
  bool uses_network = false;              ///< runs warn of buffers that are too small for the machine's packets
  std::vector<ReportColumn> report = {};  ///< the first is compared with the theory
  /// A field of the points whose first value is what the others' speed-up is over: "variant"; empty: no speed-up.
  std::string speed_up_over = {};

  /// One point on one machine, in a forked child, maybe after others (10.15): may build SystemC modules, throw, crash.
  std::function<Row(const MachineSpec&, const Point&, const PointSettings&)> simulate = {};
  /// What simulating a point takes, before it is begun; optional. Throws ConfigError as `simulate`.
  std::function<MemoryEstimate(const MachineSpec&, const Point&, const PointSettings&)> memory = {};
  /// About how long a point takes to simulate, in a unit of the bench's own; what is left of a run is told by it.
  /// Empty: all take the same. Runs in the parent.
  std::function<double(const MachineSpec&, const Point&)> cost = {};
  /// Of a sweep, whose points are those of another bench on other machines. Empty: name, version, point and machine say
  /// it. Throws CapacityError where there is no such machine.
  std::function<WorkloadOnMachine(const MachineSpec&, const Point&, const PointSettings&)> identity = {};
  /// The same point in closed form; optional. Runs in the parent: no SystemC, no threads.
  std::function<Row(const MachineSpec&, const Point&)> theory = {};
  /// Throws ConfigError where a point cannot be what was asked for on that machine, before any is simulated; optional.
  std::function<void(const MachineSpec&, const Point&)> check = {};
  /// Rows worked out from a run's simulated ones, a fit for one; optional. They follow those in the results. Their
  /// points have the field `derived`, which no point of the bench has.
  std::function<std::vector<Row>(const Results& simulated)> derive = {};
  /// Figures of a run, from results alone; optional.
  std::function<std::vector<Figure>(const Results& simulated, const Results& theory)> figures = {};
  /// Files of a run beside its results, in the folder `traces`, from results alone; optional.
  std::function<std::vector<NewFile>(const Results& simulated)> traces = {};
  /// Figures that show the machine too, before all others; left out where the results are of another
  /// machine, and where closed forms do not hold of its memory; optional.
  std::function<std::vector<Figure>(const Results& simulated, const MachineSpec& machine)> figures_on_machine = {};
  /// What came out, in a sentence or two: the first that a run's page says; optional. Empty where no row is good.
  std::function<std::string(const Results& simulated, const Results& theory)> headline = {};
  /// The measured bench whose reference data belong beside this one's results, "gpu-gemm" (ADR-0025); optional.
  std::string measured_bench = {};
  /// Figures of both, for at least one set of reference data.
  std::function<std::vector<Figure>(const Results& simulated, const std::vector<Results>& measured)> figures_beside =
      {};
  /// What the page's reader shows and hides in all figures at once, and --show to begin with: fields of their data by
  /// name, with the values there are, given this run's axes; optional (11.22).
  std::function<std::vector<Axis>(const Bench& bench, const std::vector<Results>& measured)> toggles = {};
};

/// Product of the axes, first axis slowest, less what the bench does not include. Throws std::logic_error where two
/// axes set the same field.
std::vector<LabelledPoint> expand_points(const Bench& bench);

/// What all points have alike on axes that tell none apart: "k 4096, dtype bf16"; "" where there is no such axis.
[[nodiscard]] std::string alike_text(const Bench& bench);

/// By what the row of a point on a machine is found again. Throws as Bench::identity.
[[nodiscard]] WorkloadOnMachine identity_of(const Bench& bench, const MachineSpec& machine, const Point& point,
                                            const PointSettings& settings);

/// Takes derived rows out and appends those that the bench derives from the rest.
void derive_rows(const Bench& bench, Results& simulated);

/// Adds a bench to the registry; for the initialiser of a constant in the bench's own file. Throws std::logic_error
/// that names both places for a second bench of the same name.
bool register_bench(Bench bench, SourcePlace place = SourcePlace::here());

/// What registers more benches, of what has been registered while the program started: done once, when benches are
/// first looked up.
bool register_later(std::function<void()> more);

/// Every registered bench, by name.
const std::vector<Bench>& all_benches();

/// The bench as it is on this kind of machine; nullptr where it does not run on one.
[[nodiscard]] const Bench* side_of(const Bench& bench, MachineKind kind);

/// Throws ConfigError that begins with `place` where only the side of the bench for the other kind of machine has an
/// axis of this name.
void refuse_axis_of_other_kind(const Bench& bench, const std::string& place, const std::string& axis);

/// Throws ConfigError naming the nearest bench.
const Bench& find_bench(const std::string& name);

}  // namespace kernbench
