// The buffer at a memory's port: who finds it full waits in the network, holds up others there, and always gets in.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "sim/system/probe/run_probe.hpp"
#include "tests/plan/random_network.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

std::vector<std::int64_t> ends_of(const MachineSpec& machine, const std::vector<ProbeTransfer>& transfers) {
  std::istringstream in(forked([&] {
    std::string text;
    for (const Picoseconds end : run_probe(machine, transfers).ends) text += std::to_string(end.value) + " ";
    return text;
  }));
  std::vector<std::int64_t> ends(transfers.size());
  for (std::int64_t& end : ends) in >> end;
  return ends;
}

ProbeTransfer write(const NetworkPlan& plan, std::int32_t pe, NodeKind kind, std::int32_t router, Bytes bytes) {
  return {plan.find(NodeKind::kPe, {0, 0, pe}), plan.find(kind, {0, 0, router}), ProbeDirection::kWrite, bytes};
}

}  // namespace

TEST_SUITE("ADR-0004") {
  TEST_CASE("4.18 a packet enters the link to a memory when its room has come back over that link") {
    // PE 0 writes to the SRAM of its router: 1 ns a packet on the link, 3 ns of wire, 2 ns at the SRAM's port.
    constexpr std::int64_t kWire = 3000;
    for (const std::int64_t room : {2, 3, 4, 5, 64}) {
      for (const std::int64_t packets : {1, 2, 3, 4, 5, 6, 20}) {
        CAPTURE(room);
        CAPTURE(packets);
        const MachineSpec machine = one_die({"die.wire.sram_to_router=300mm", "die.router.buffer=64 KiB",
                                             "die.sram.port_buffer=" + std::to_string(room * 256) + "B"});
        std::vector<std::int64_t> over;  // at the port
        std::int64_t enters = 4000 + 10 + 2000;
        for (std::int64_t i = 0; i < packets; ++i) {
          if (i > 0) enters += 1000;
          if (i >= room) enters = std::max(enters, over[static_cast<std::size_t>(i - room)] + kWire);
          over.push_back(std::max(enters + 1000 + kWire, over.empty() ? 0 : over.back()) + 2000);
        }
        const NetworkPlan plan = plan_network(machine);
        const auto ends = ends_of(machine, {write(plan, 0, NodeKind::kSram, 0, packets * 256)});
        CHECK(ends[0] == over.back() + 10'000 + kWire + 2000 + 10);
      }
    }
  }

  TEST_CASE("4.18 writes that wait for a slow memory hold up those behind them in their virtual channel") {
    // PE 1 writes to the SRAM at router 0, which takes 32 GB/s; PE 2, behind it, to the HBM there.
    const auto neighbour = [](const std::string& port_buffer, Bytes to_sram) {
      const MachineSpec machine = one_die({"die.sram.bandwidth=32 GB/s", "die.router.virtual_channels=1",
                                           "die.router.buffer=1 KiB", "die.sram.port_buffer=" + port_buffer});
      const NetworkPlan plan = plan_network(machine);
      const ProbeTransfer own = write(plan, 2, NodeKind::kHbm, 0, 4096);
      if (to_sram == 0) return ends_of(machine, {own})[0];
      return ends_of(machine, {own, write(plan, 1, NodeKind::kSram, 0, to_sram)})[0];
    };
    const std::int64_t alone = neighbour("1 KiB", 0);
    const std::int64_t past = neighbour("1 GiB", 16'384);
    CHECK(past < alone + 20'000);  // they share a link for 16 packets of 1 ns
    CHECK(neighbour("1 KiB", 16'384) > past + 50'000);
    CHECK(neighbour("16 KiB", 16'384) == past);  // all that the credits allow is in the port
  }

  TEST_CASE("4.18 whatever is written to whatever memory arrives, however small buffers and queues are") {
    CHECK(rc::check("no deadlock", [] {
      MachineSpec machine = random_network_machine();
      HbmSpec& hbm = machine.die.hbm;
      hbm.write_batch = 1 + random_below(3);
      hbm.write_queue = hbm.write_batch + random_below(3);
      hbm.bandwidth = {(1 + random_below(300)) * 1'000'000'000};
      machine.die.sram.bandwidth = {(1 + random_below(300)) * 1'000'000'000};
      for (Bytes* buffer : {&hbm.port_buffer, &machine.die.sram.port_buffer, &machine.die.router.buffer,
                            &machine.package.die_to_die.buffer, &machine.system.package_link_buffer}) {
        *buffer = *rc::gen::element<Bytes>(8, 512, 1024, 8192);
      }
      const NetworkPlan plan = plan_network(machine);
      std::vector<std::int32_t> pes;
      std::vector<std::int32_t> memories;
      for (const std::int32_t node : endpoints_of(plan)) {
        const NodeKind kind = plan.node(node).kind;
        if (kind == NodeKind::kPe) pes.push_back(node);
        if (kind == NodeKind::kHbm || kind == NodeKind::kSram) memories.push_back(node);
      }
      const auto one_of = [](const std::vector<std::int32_t>& nodes) {
        return nodes[static_cast<std::size_t>(random_below(static_cast<std::int64_t>(nodes.size())))];
      };
      std::vector<ProbeTransfer> transfers;
      const std::int32_t hot = one_of(memories);
      for (int i = 0; i < 30; ++i) {
        const bool reads = random_below(4) == 0;
        transfers.push_back({one_of(pes), random_below(2) == 0 ? hot : one_of(memories),
                             reads ? ProbeDirection::kRead : ProbeDirection::kWrite, 256 * (1 + random_below(60))});
      }
      for (const std::int64_t end : ends_of(machine, transfers)) RC_ASSERT(end > 0);
    }));
  }
}
