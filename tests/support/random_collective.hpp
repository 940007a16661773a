// Random collectives on random small machines.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include "sim/plan/collective/algorithm.hpp"
#include "tests/support/milestone.hpp"

namespace kernbench {

template <class T>
T one_of(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

inline std::string number_text(std::int64_t least, std::int64_t most) {
  return std::to_string(*rc::gen::inRange<std::int64_t>(least, most + 1));
}

struct CollectiveCase {
  MachineSpec machine;
  CollectiveRequest request;
  CollectiveSchedule schedule;
  std::string text;
};

/// Of how large machines and messages.
struct RandomSizes {
  std::vector<GridShape> packages{{1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 3}};
  std::vector<GridShape> dies{{1, 1}, {1, 2}, {2, 2}};
  std::vector<GridShape> pes{{1, 1}, {1, 2}, {2, 2}, {2, 4}};
  std::int64_t count = 1500;
  int least_slot = 4;          ///< elements
  int least_slot_in_hbm = 64;  ///< the same where buffers lie in HBM: more than 600 pieces a message show nothing new
  std::int64_t least_chunk_in_hbm = 1000;
  std::int32_t ranks_in_hbm = 16;  ///< at most, where buffers lie in HBM
};

/// One to six packages of one to four dies of one to eight PEs, or as told; every key that messages depend on.
inline CollectiveCase random_collective(const CollectiveAlgorithm& algorithm, Collective collective,
                                        const RandomSizes& sizes = {}) {
  const auto packages = *rc::gen::elementOf(sizes.packages);
  const auto dies = *rc::gen::elementOf(sizes.dies);
  const auto pes = *rc::gen::elementOf(sizes.pes);
  const auto grid = [](const char* key, GridShape shape) {
    return std::vector<std::string>{std::string(key) + ".rows=" + std::to_string(shape.rows),
                                    std::string(key) + ".columns=" + std::to_string(shape.columns)};
  };
  std::vector<std::string> keys = {
      "system.arrangement=" + (packages.rows > 1 ? one_of<std::string>({"mesh", "torus"})
                                                 : one_of<std::string>({"ring", "fully_connected", "switched"})),
      "pe.message_queue.tier=" + one_of<std::string>({"tcm", "tcm", "sram", "hbm"}),
      "pe.message_queue.wait=" + one_of<std::string>({"sleep", "poll"}),
      "pe.message_queue.consumer=" + one_of<std::string>({"vector_unit", "inline"}),
      "pe.message_queue.slots=" + number_text(1, 5),
      "pe.message_queue.credit_bytes=" + one_of<std::string>({"0 B", "16 B"}),
      "simulation.packet_bytes=" + one_of<std::string>({"256 B", "512 B", "2 KiB"}),
      "die.router.buffer=" + number_text(64, 4096) + " B",
      "package.die_to_die.buffer=" + number_text(64, 4096) + " B",
      "pe.control_latency=" + number_text(0, 5) + " ns",
      "pe.message_queue.wake_latency=" + one_of<std::string>({"0 ns", "2 ns"}),
      "pe.dma.setup_latency=" + one_of<std::string>({"0 ns", "4 ns"}),
      "pe.tcm.read_bandwidth=" + one_of<std::string>({"512 GB/s", "512 GB/s", "24 GB/s"})};
  for (const auto& more : {grid("system.packages", packages), grid("package.dies", dies), grid("die.routers", pes)}) {
    keys.insert(keys.end(), more.begin(), more.end());
  }
  CollectiveRequest request;
  request.collective = collective;
  request.grid = {packages, dies, pes};
  const std::int32_t ranks = request.grid.size();
  request.count = *rc::gen::inRange<std::int64_t>(0, sizes.count);
  int slot = *rc::gen::inRange(sizes.least_slot, 600);
  // Some buffers lie in HBM: few ranks, and few queues, which still fit in the small TCM.
  const bool many_queues = ranks > 4 && (algorithm.name == "direct" || algorithm.name == "pairwise");
  request.chunk = one_of<std::int64_t>({0, 0, 33, 200});
  if (ranks <= sizes.ranks_in_hbm && !many_queues && one_of({false, false, true})) {
    keys.emplace_back("pe.tcm.capacity=80 KiB");
    request.count += 40'000;
    slot = std::max(slot, sizes.least_slot_in_hbm);
    if (request.chunk > 0) request.chunk += sizes.least_chunk_in_hbm;
  }
  keys.push_back("pe.message_queue.slot_bytes=" + std::to_string(2 * slot) + " B");
  if (request.collective == Collective::kAllToAll) request.count -= request.count % ranks;
  request.root = *rc::gen::inRange(0, ranks);
  request.root_die = one_of({RootDie::kCentre, RootDie::kCorner});
  CollectiveCase chosen;
  std::ostringstream text;
  text << algorithm.name << ' ' << kCollectives[request.collective] << " count " << request.count << " root "
       << request.root << " chunk " << request.chunk;
  for (const std::string& key : keys) text << ' ' << key;
  chosen.text = text.str();
  chosen.machine = milestone(keys);
  chosen.request = request;
  chosen.schedule = algorithm.generate(request);
  return chosen;
}

inline CollectiveCase random_collective() {
  const CollectiveAlgorithm algorithm = *rc::gen::elementOf(collective_algorithms());
  return random_collective(algorithm, *rc::gen::elementOf(algorithm.collectives));
}

/// One whose ranks send each other what they add to (19.17).
inline CollectiveCase random_exchange() {
  const auto name = one_of<std::string>({"recursive_doubling", "hierarchical"});
  // Each message is the whole buffer: with short slots it has many pieces.
  const RandomSizes sizes{.packages = {{1, 2}, {1, 1}, {1, 3}},
                          .dies = {{1, 1}, {1, 2}},
                          .pes = {{1, 1}, {1, 2}, {2, 2}},
                          .count = 300,
                          .least_slot = 25,
                          .ranks_in_hbm = 4};
  return random_collective(find_collective_algorithm(name), Collective::kAllReduce, sizes);
}

/// One whose ranks begin with a copy (19.18).
inline CollectiveCase random_copy() {
  const RandomSizes sizes{.packages = {{1, 1}, {1, 2}}, .dies = {{1, 1}}, .pes = {{1, 1}, {1, 2}}, .least_slot = 100};
  if (one_of({false, true})) {
    return random_collective(find_collective_algorithm("direct"), Collective::kAllReduce, sizes);
  }
  const auto name = one_of<std::string>({"direct", "pairwise"});
  return random_collective(find_collective_algorithm(name), Collective::kAllToAll, sizes);
}

}  // namespace kernbench
