// A workload as somebody adds one: a request, its axes, and what machines of PEs say of it (docs/workloads.md).
#include "benches/workloads/workload.hpp"

#include "sim/base/names.hpp"

namespace kernbench {
namespace {

enum class Pace { kSteady, kHasty };
constexpr Names<Pace> kPaces{"pace", {{Pace::kSteady, "steady"}, {Pace::kHasty, "hasty"}}};

struct WaitRequest {
  std::int64_t cycles = 8;
  Pace pace = Pace::kSteady;
};

Axes<WaitRequest> wait_axes() {
  Axes<WaitRequest> axes;
  axes.count({"cycles", "--cycles", "Cycles of the PE's clock"}, &WaitRequest::cycles, 1, 1'000'000);
  axes.choice<Pace>(
      {"pace", "--pace", "hasty takes half of the time"}, "steady|hasty", &WaitRequest::pace,
      [](std::string_view text, std::string_view place) { return kPaces.parse(text, place); },
      [](Pace pace) { return kPaces[pace]; });
  return axes;
}

struct PlacedWait {
  WaitRequest request;
  double cycle_ns;
};

Row timed_row(double ns) {
  Row row;
  row.metrics.json() = {{"time_ns", ns}};
  row.windows = {{"pe_ns", ns}};
  return row;
}

double least_ns(const PlacedWait& wait) { return static_cast<double>(wait.request.cycles) * wait.cycle_ns / 2; }

Workload wait_workload() {
  const Axes<WaitRequest> axes = wait_axes();
  const Answers<WaitRequest, PlacedWait> on_pes{
      .columns = {{"time_ns", "time (ns)"}},
      .place =
          [](const MachineSpec& machine, const WaitRequest& request) {
            return PlacedWait{request, machine.pe.clock.time_for(1).ns()};
          },
      .title = [](const PlacedWait& wait) { return "a wait of " + std::to_string(wait.request.cycles) + " cycles"; },
      .run = [](const PlacedWait& wait,
                const RunSettings&) { return timed_row(least_ns(wait) * (wait.request.pace == Pace::kHasty ? 1 : 2)); },
      .bound = [](const PlacedWait& wait) { return timed_row(least_ns(wait)); },
      .facts =
          [](const Row& row) {
            return std::vector<Fact>{{"time", row.metrics.json().at("time_ns").dump() + " ns"}};
          }};
  return {.name = "toy-wait",
          .summary = "Nothing, for so many cycles",
          .version = "1",
          .folder = "tests/cli/toy",
          .axes = axes.all(),
          .on_pes = on_pes.of(axes)};
}

const bool waits = register_workload(wait_workload());

}  // namespace
}  // namespace kernbench
