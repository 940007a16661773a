#include "sim/plan/collective/algorithm.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/base/registry.hpp"
#include "sim/base/text.hpp"

namespace kernbench {

namespace {

Registry<CollectiveAlgorithm>& registry() {
  static Registry<CollectiveAlgorithm> algorithms("algorithm");
  return algorithms;
}

void check_grid(const RankGrid& grid) {
  std::int64_t ranks = 1;
  for (const GridShape shape : {grid.packages, grid.dies, grid.pes}) {
    if (shape.rows < 1 || shape.columns < 1) {
      throw ConfigError("a grid of ranks has one row and one column at least, got " + std::to_string(shape.rows) +
                        " x " + std::to_string(shape.columns));
    }
    for (const std::int32_t side : {shape.rows, shape.columns}) {
      ranks *= side;
      if (ranks > std::numeric_limits<std::int32_t>::max()) throw ConfigError("more than 2^31 - 1 ranks");
    }
  }
}

}  // namespace

bool CollectiveAlgorithm::does(Collective collective) const {
  return std::ranges::find(collectives, collective) != collectives.end();
}

std::int64_t CollectiveAlgorithm::buffers(Collective collective) const {
  const bool copies = std::ranges::find(sends_a_copy, collective) != sends_a_copy.end();
  return collective == Collective::kAllToAll || copies ? 2 : 1;
}

void CollectiveAlgorithm::check(const CollectiveRequest& request) const {
  check_grid(request.grid);
  const std::string ranks = std::to_string(request.grid.size());
  if (!does(request.collective)) {
    std::vector<std::string> others;
    for (const CollectiveAlgorithm& other : registry().all()) {
      if (other.does(request.collective)) others.push_back(other.name);
    }
    throw ConfigError(name + " does no " + std::string(kCollectives[request.collective]) +
                      "; these do: " + joined(others));
  }
  if (request.root < 0 || request.root >= request.grid.size()) {
    throw ConfigError("root " + std::to_string(request.root) + " is no rank: there are " + ranks + ", from 0");
  }
  if (request.count < 0) throw ConfigError("a count of elements is not negative, got " + std::to_string(request.count));
  if (request.chunk < 0) {
    throw ConfigError("a chunk is a number of elements, or 0 for whole messages, got " + std::to_string(request.chunk));
  }
  if (request.collective == Collective::kAllToAll && request.count % request.grid.size() != 0) {
    throw ConfigError("all_to_all sends equal blocks: " + std::to_string(request.count) +
                      " elements are no multiple of " + ranks + " ranks; take " +
                      std::to_string(request.count - request.count % request.grid.size()));
  }
}

CollectiveSchedule CollectiveAlgorithm::generate(const CollectiveRequest& request) const {
  check(request);
  CollectiveSchedule schedule;
  schedule.collective = request.collective;
  schedule.algorithm = name;
  schedule.count = request.count;
  schedule.elements = buffers(request.collective) * request.count;
  schedule.root = request.root;
  schedule.ranks.resize(static_cast<std::size_t>(request.grid.size()));
  if (request.count == 0) return schedule;
  if (request.grid.size() > 1) {
    build(request, schedule);
    for (auto& threads : schedule.ranks) std::erase_if(threads, [](const auto& thread) { return thread.empty(); });
  } else if (request.collective == Collective::kAllToAll) {
    CollectiveStep step;
    step.kind = StepKind::kCopy;
    step.first = request.count;
    step.count = request.count;
    schedule.ranks.front() = {{step}};
  }
  return schedule;
}

ScheduleSize CollectiveAlgorithm::schedule_size(const CollectiveRequest& request) const {
  check(request);
  if (request.count == 0) return {};
  if (request.grid.size() > 1) return size(request);
  return {request.collective == Collective::kAllToAll ? 1.0 : 0.0, 0, 0};  // a copy, which is not cut
}

std::optional<Picoseconds> CollectiveAlgorithm::closed_time(const CollectiveRequest& request,
                                                            const AlphaBeta& cost) const {
  check(request);
  if (request.count == 0 || request.grid.size() == 1) return Picoseconds{};
  if (closed_form == nullptr) return std::nullopt;
  return closed_form(request, cost);
}

RegisterCollectiveAlgorithm::RegisterCollectiveAlgorithm(CollectiveAlgorithm algorithm, SourcePlace place) {
  registry().add(std::move(algorithm), place);
}

const std::vector<CollectiveAlgorithm>& collective_algorithms() { return registry().all(); }

const CollectiveAlgorithm& find_collective_algorithm(const std::string& name, std::string_view place) {
  return registry().find(name, place);
}

}  // namespace kernbench
