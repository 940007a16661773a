#include "benches/workloads/collective/port_time.hpp"

#include <algorithm>
#include <map>

#include "benches/io/text/numbers.hpp"
#include "sim/machine/tcm_paths.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kFarBehind = 10;  // times the best

/// Of all cases of a size.
struct BestOfSize {
  Picoseconds time;
  std::string algorithm;
};

std::string why_behind(const CollectiveCase& asked, Picoseconds time, const BestOfSize& best) {
  const double times = static_cast<double>(time.value) / static_cast<double>(best.time.value);
  return "its ports alone take " + short_number(times) + " times as long as those of " + best.algorithm +
         "; --algorithm " + asked.algorithm + " simulates it";
}

}  // namespace

std::optional<Picoseconds> port_time(const CollectiveCase& asked, const MachinePart& part) {
  const CollectiveAlgorithm& algorithm = find_collective_algorithm(asked.algorithm);
  const AlphaBeta ports{.alpha = {},
                        .bandwidth = std::min(into_tcm(part.machine), out_of_tcm(part.machine)),
                        .element_bytes = kElementBytes};
  const Picoseconds bound = network_bound(asked, part).time;
  const CollectiveRequest rail = rail_request(request_of(asked, part), {0, part.pes_of_rank});
  std::optional<Picoseconds> alone = algorithm.closed_time(rail, ports);
  if (!alone && algorithm.schedule_size(rail).steps(rail.chunk) <= kLongSchedule) {
    alone = alpha_beta_time(algorithm.generate(rail), ports);
  }
  if (alone) alone = std::max(*alone, bound);
  return alone;
}

std::vector<std::string> far_behind(const std::vector<CollectiveCase>& cases, const MachinePart& part) {
  std::vector<std::optional<Picoseconds>> times;
  std::map<Bytes, BestOfSize> best;
  for (const CollectiveCase& asked : cases) {
    const std::optional<Picoseconds> time = times.emplace_back(port_time(asked, part));
    if (!time) continue;
    const auto [at, first] = best.try_emplace(asked.bytes, BestOfSize{*time, asked.algorithm});
    if (!first && *time < at->second.time) at->second = {*time, asked.algorithm};
  }
  std::vector<std::string> reasons(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!times[i]) continue;
    const BestOfSize& least = best.at(cases[i].bytes);
    if (least.time.value > 0 && times[i]->value / kFarBehind >= least.time.value) {
      reasons[i] = why_behind(cases[i], *times[i], least);
    }
  }
  return reasons;
}

}  // namespace kernbench
