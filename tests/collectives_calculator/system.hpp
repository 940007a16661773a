// A machine in time: the network, the memories, and what the PEs' DMA engines move (ADR-0004, 19.5 to 19.7).
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "tests/collectives_calculator/memory.hpp"
#include "tests/collectives_calculator/network.hpp"
#include "tests/collectives_calculator/pe.hpp"

namespace calc {

struct Pe {
  Server control, vector;
  DmaEngine reader, writer;
  TcmPort in, out;
};

struct Label {  // which transfer it is among those of one instant (19.12)
  Purpose purpose;
  int queue;
  std::int64_t piece;
};

class System {
 public:
  using Action = Calendar::Action;
  System(Calendar& calendar, const Topology& topology);

  Pe& pe(int number) { return pes_[number]; }
  Network& network() { return network_; }
  const Route* route(int source, int destination, Traffic traffic);

  // 19.5, 19.6: a piece of `bytes` to a slot at a PE, or at a memory from address `slot` on. `left` when its tail has
  // left the TCM, `landed` when it has.
  void post(int from, Label label, int destination, Bytes slot, Bytes bytes, Action left, Action landed);
  // 4.9: from a memory into the PE's TCM, in whole bursts. `done` when delivered.
  void read(int pe, Label label, int memory, Bytes address, Bytes bytes, Action done);
  // 4.10: to the PE's own HBM, submitted for `at`. `done` when acknowledged.
  void write(int pe, Label label, Bytes address, Bytes bytes, Time at, Action done);
  // 19.3: one packet past all engines and ports.
  void credit(int from, int to, Action there);

 private:
  struct Bursts {
    std::int64_t first = 0, count = 0;
  };
  Bursts bursts(Bytes address, Bytes bytes) const;
  Bursts packet_of(const Bursts& all, int packet) const;
  int packets(const Bursts& all) const { return static_cast<int>(divide_up(all.count, per_packet_)); }
  // Both return when the tail has left the TCM.
  Time send_data(int pe, const Route* route, Bytes bytes, std::function<void(Time, Time)> arrived);
  Time write_to_memory(int pe, int memory, const Route* route, Bursts bursts, Bytes bytes,
                       std::function<void(Time)> taken);

  Calendar& calendar_;
  const Topology& topology_;
  const Machine& machine_;
  Network network_;
  std::int64_t per_packet_;  // bursts
  std::vector<Pe> pes_;
  std::vector<std::unique_ptr<Memory>> memories_;  // by node
  std::map<std::pair<std::pair<int, int>, Traffic>, std::unique_ptr<Route>> routes_;
  std::int64_t issued_ = 0;
};

}  // namespace calc
