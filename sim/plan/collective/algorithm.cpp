#include "sim/plan/collective/algorithm.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/base/nearest.hpp"

namespace kernbench {

namespace {

struct Named {
  Collective collective;
  std::string_view name;
};

constexpr std::array<Named, 6> kNames{{{Collective::kAllReduce, "all_reduce"},
                                       {Collective::kReduceScatter, "reduce_scatter"},
                                       {Collective::kAllGather, "all_gather"},
                                       {Collective::kBroadcast, "broadcast"},
                                       {Collective::kAllToAll, "all_to_all"},
                                       {Collective::kReduce, "reduce"}}};

std::vector<CollectiveAlgorithm>& registry() {
  static std::vector<CollectiveAlgorithm> algorithms;
  return algorithms;
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

[[noreturn]] void refuse_name(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  throw ConfigError("unknown " + what + " '" + name + "'" +
                    (nearest.empty() ? "." : ": did you mean '" + nearest + "'?") + " There are: " + listed(known));
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

std::string_view collective_name(Collective collective) {
  return std::ranges::find(kNames, collective, &Named::collective)->name;
}

Collective parse_collective(const std::string& name) {
  std::vector<std::string> known;
  known.reserve(kNames.size());
  for (const Named& named : kNames) {
    if (named.name == name) return named.collective;
    known.emplace_back(named.name);
  }
  refuse_name("collective", name, known);
}

const std::vector<Collective>& all_collectives() {
  static const std::vector<Collective> all = [] {
    std::vector<Collective> collectives;
    collectives.reserve(kNames.size());
    for (const Named& named : kNames) collectives.push_back(named.collective);
    return collectives;
  }();
  return all;
}

bool CollectiveAlgorithm::does(Collective collective) const {
  return std::ranges::find(collectives, collective) != collectives.end();
}

void CollectiveAlgorithm::check(const CollectiveRequest& request) const {
  check_grid(request.grid);
  const std::string ranks = std::to_string(request.grid.size());
  if (!does(request.collective)) {
    std::vector<std::string> others;
    for (const CollectiveAlgorithm& other : registry()) {
      if (other.does(request.collective)) others.push_back(other.name);
    }
    throw ConfigError(name + " does no " + std::string(collective_name(request.collective)) +
                      "; these do: " + listed(others));
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
  const bool two_buffers = request.collective == Collective::kAllToAll;
  schedule.elements = two_buffers ? 2 * request.count : request.count;
  schedule.root = request.root;
  schedule.ranks.resize(static_cast<std::size_t>(request.grid.size()));
  if (request.count == 0) return schedule;
  if (request.grid.size() > 1) {
    build(request, schedule);
    for (auto& threads : schedule.ranks) std::erase_if(threads, [](const auto& thread) { return thread.empty(); });
  } else if (two_buffers) {
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

RegisterCollectiveAlgorithm::RegisterCollectiveAlgorithm(CollectiveAlgorithm algorithm) {
  auto& algorithms = registry();
  const auto place = std::ranges::upper_bound(algorithms, algorithm.name, {}, &CollectiveAlgorithm::name);
  algorithms.insert(place, std::move(algorithm));
}

const std::vector<CollectiveAlgorithm>& collective_algorithms() { return registry(); }

const CollectiveAlgorithm& find_collective_algorithm(const std::string& name) {
  std::vector<std::string> known;
  for (const CollectiveAlgorithm& algorithm : registry()) {
    if (algorithm.name == name) return algorithm;
    known.push_back(algorithm.name);
  }
  refuse_name("algorithm", name, known);
}

}  // namespace kernbench
