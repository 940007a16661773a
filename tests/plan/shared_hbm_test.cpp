// A memory that the PEs of a die share, as plans see it: its nodes, its addresses, its packets.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/plan/block.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/plan/network/link_path.hpp"
#include "sim/plan/network/network_size.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

MachineSpec with_controllers(const std::string& controllers, const std::string& routing = "xy") {
  return milestone({"die.hbm.controllers=" + controllers, "system.packages.columns=2", "die.hbm.routing=" + routing});
}

/// Whether a way keeps to the column of routers until it is in its row.
bool goes_columns_first(const NetworkPlan& plan, const std::vector<NetworkChannel>& way) {
  bool along_row = false;
  bool in_order = true;
  for (const NetworkChannel& channel : way) {
    const std::int32_t dimension = plan.link(channel.link).dimension;
    in_order = in_order && !(along_row && dimension == kMeshY);
    along_row = along_row || dimension == kMeshX;
  }
  return in_order;
}

}  // namespace

TEST_SUITE("ADR-0064") {
  TEST_CASE("64.1 what contradicts the mesh, or the granule, is refused") {
    const auto refused = [](const std::vector<std::string>& overrides) {
      return error_of([&] { static_cast<void>(one_die(overrides)); });
    };
    const auto says = [&](const std::vector<std::string>& overrides, const std::string& text) {
      const std::string message = refused(overrides);
      CHECK_MESSAGE(message.find(text) != std::string::npos, message);
    };
    says({"die.hbm.controllers=0,0 2,1"},
         "contradicts die.routers.rows and die.routers.columns: expected places up to 1,3, as a die has 2 x 4 routers, "
         "counted from 0, got 2,1");
    says({"die.hbm.controllers=0,4"}, "got 0,4");
    CHECK(refused({"die.hbm.controllers=1,3"}) == "");
    says({"die.hbm.controllers=north", "die.hbm.interleave=300 B"},
         "expected a multiple of the burst, 256 B, got 300 B");
    says({"die.hbm.controllers=north", "die.hbm.interleave=3 KiB"}, "expected a multiple of 3 KiB, got 1 GiB");
    CHECK(refused({"die.hbm.interleave=300 B"}) == "");  // a partition is not interleaved
  }

  TEST_CASE("64.3 a hash of what one controller has alone is refused") {
    for (const std::string few : {"private", "1,2"}) {
      const std::string message = error_of([&] {
        static_cast<void>(one_die({"die.hbm.controllers=" + few, "die.hbm.hash=true"}));
      });
      CHECK_MESSAGE(message.find("contradicts die.hbm.controllers: a hash says which of several controllers has an "
                                 "address; expected 'false', or 'controllers' at two routers or more, got 'true'") !=
                        std::string::npos,
                    message);
    }
    CHECK(interleaving_of(one_die({"die.hbm.controllers=1,2 0,0", "die.hbm.hash=true"}).die).hashed);
  }

  TEST_CASE(
      "64.11 data meet the edge of a controller at right angles, in a class of their own where columns come first") {
    const MachineSpec machine = with_controllers("north west 1,2", "perpendicular");
    const NetworkPlan plan = plan_network(machine);
    const NetworkPlan plain = plan_network(with_controllers("north west 1,2"));
    CHECK(plan.classes == 2);
    const std::vector<std::int32_t> controllers = plan.hbm_controllers(5);  // not the package's first row, nor column
    const std::int32_t pe = plan.find(NodeKind::kPe, {0, 10, 6});           // in no row or column of theirs
    const std::int32_t elsewhere = plan.find(NodeKind::kPe, {1, 10, 6});
    for (std::size_t i = 0; i < controllers.size(); ++i) {
      const bool north = i < 4;
      const bool west = i == 4 || i == 5;
      const auto check = [&](std::int32_t from, std::int32_t to, bool columns_first) {
        const std::vector<NetworkChannel> way = link_path(plan, from, to);
        CHECK(way.size() == link_path(plain, from, to).size());
        CHECK(zero_load_latency(plan, from, to) == zero_load_latency(plain, from, to));
        CHECK(goes_columns_first(plan, way) == columns_first);
        for (const NetworkChannel& channel : way) CHECK(channel.channel_class == (columns_first ? 1 : 0));
        if (!columns_first) CHECK(way == link_path(plain, from, to));
      };
      check(controllers[i], pe, north);
      check(pe, controllers[i], west);
      CHECK(link_path(plan, controllers[i], elsewhere) == link_path(plain, controllers[i], elsewhere));
      CHECK(link_path(plan, elsewhere, controllers[i]) == link_path(plain, elsewhere, controllers[i]));
    }
    CHECK(link_path(plan, pe, plan.find(NodeKind::kPe, {0, 5, 0})) ==
          link_path(plain, pe, plain.find(NodeKind::kPe, {0, 5, 0})));
  }

  TEST_CASE("64.11 at right angles to no edge, or with one virtual channel, is refused") {
    const auto refused = [](const std::vector<std::string>& overrides) {
      return error_of([&] { static_cast<void>(one_die(overrides)); });
    };
    const std::string key = "die.hbm.routing=perpendicular";
    for (const std::string nowhere : {"private", "0,0 1,2"}) {
      const std::string message = refused({"die.hbm.controllers=" + nowhere, key});
      CHECK_MESSAGE(message.find("expected 'xy', or 'controllers' with north, south, east or west, got "
                                 "'perpendicular'") != std::string::npos,
                    message);
    }
    const std::string message = refused({"die.hbm.controllers=0,0 east", "die.router.virtual_channels=1", key});
    CHECK_MESSAGE(message.find("expected 'xy', or at least 2 virtual channels") != std::string::npos, message);
    CHECK(refused({"die.hbm.controllers=0,0 east", "die.router.virtual_channels=2", key}) == "");
  }

  TEST_CASE("64.2 a die's controllers are where they are named, each with a link to its router and one from it") {
    const MachineSpec machine = with_controllers("0,3 west 0,0");
    const NetworkPlan plan = plan_network(machine);
    const std::vector<std::int32_t> routers{3, 0, 4, 0};
    const std::int64_t dies = 16;
    CHECK(plan.nodes.size() == 2 * (8 * dies + 8 * dies + 4 * dies + dies + 2));
    CHECK(network_size(machine).nodes == static_cast<std::int64_t>(plan.nodes.size()));
    CHECK(network_size(machine).links == static_cast<std::int64_t>(plan.links.size()));
    for (const std::int32_t die : {0, 5, 31}) {
      const std::vector<std::int32_t> controllers = plan.hbm_controllers(die);
      CHECK(controllers.size() == routers.size());
      for (std::size_t i = 0; i < controllers.size(); ++i) {
        const NetworkNode& node = plan.node(controllers[i]);
        const NodeLocation at{die / 16, die % 16, routers[i]};
        CHECK(node.kind == NodeKind::kHbm);
        CHECK(node.at == at);
        CHECK(node.name ==
              "package" + std::to_string(die / 16) + ".die" + std::to_string(die % 16) + ".hbm" + std::to_string(i));
        const NetworkLink& out = plan.link(plan.first_link(controllers[i]));
        CHECK(out.to == plan.find(NodeKind::kRouter, at));
        CHECK(out.latency == Picoseconds{20});
        CHECK(out.bandwidth == machine.die.router.link);
        CHECK(plan.next_link(out.to, controllers[i], 0) ==
              plan.routing.places[static_cast<std::size_t>(controllers[i])].last_link);
      }
    }
    CHECK(plan.find(NodeKind::kHbm, {0, 0, 0}) == -1);
    CHECK(plan.hbm_of(0) == plan.hbm_of(7));
    CHECK(plan.hbm_of(8) == hbm_of_die(1));
    CHECK(nearest_hbm(plan, 0) == plan.hbm_controllers(0)[1]);
    CHECK(nearest_hbm(plan, 3) == plan.hbm_controllers(0)[0]);
    CHECK(nearest_hbm(plan, 12) == plan.hbm_controllers(1)[2]);
    const NetworkPlan own = plan_network(milestone());
    CHECK(nearest_hbm(own, 12) == own.hbm_of(12));
  }

  TEST_CASE("64.3 each burst is at one controller, which numbers its own without a gap; granules go round") {
    const Interleaving three{4, 3};
    std::map<std::int64_t, std::set<std::int64_t>> there;
    for (std::int64_t burst = 0; burst < 4 * 3 * 5; ++burst) {
      CHECK(three.controller_of(burst) == burst / 4 % 3);
      CHECK(there[three.controller_of(burst)].insert(three.burst_there(burst)).second);
    }
    for (const auto& [controller, bursts] : there) {
      CHECK(bursts.size() == 20);
      CHECK(*bursts.rbegin() == 19);
    }
    CHECK(three.burst_there(12) == 4);  // the second granule of controller 0
    CHECK(three.burst_there(17) == 5);
    CHECK(Interleaving{}.controller_of(17) == 0);
    CHECK(Interleaving{}.burst_there(17) == 17);
  }

  TEST_CASE(
      "64.3 the hash of an address is the sum of its quotients, and each controller has a granule of every turn") {
    CHECK(rc::check("addresses by a hash", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      const Interleaving hashed{up_to(9), 1 + up_to(13), true};
      const Interleaving plain{hashed.granule, hashed.controllers};
      const std::int64_t turn = hashed.granule * hashed.controllers;
      const std::int64_t first = turn * *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 32);
      std::map<std::int64_t, std::set<std::int64_t>> there;
      for (std::int64_t burst = first; burst < first + 3 * turn; ++burst) {
        std::int64_t sum = 0;
        for (std::int64_t q = burst / hashed.granule; q > 0; q /= hashed.controllers) sum += q;
        RC_ASSERT(hashed.controller_of(burst) == sum % hashed.controllers);
        RC_ASSERT(hashed.burst_there(burst) == plain.burst_there(burst));
        there[hashed.controller_of(burst)].insert(hashed.burst_there(burst));
      }
      RC_ASSERT(there.size() == static_cast<std::size_t>(hashed.controllers));
      const std::int64_t begin = first / hashed.controllers;
      for (const auto& [controller, bursts] : there) {
        RC_ASSERT(bursts.size() == static_cast<std::size_t>(3 * hashed.granule));  // three turns, without a gap
        RC_ASSERT(*bursts.begin() == begin);
        RC_ASSERT(*bursts.rbegin() == begin + 3 * hashed.granule - 1);
      }
    }));
  }

  TEST_CASE("64.3 with the hash a stride of C granules, or its powers, meets all controllers, one of C - 1 does not") {
    for (const std::int64_t count : {2, 3, 8, 12}) {
      const auto controllers_of = [count](std::int64_t stride, std::int64_t steps, bool hashed) {
        const Interleaving by{4, count, hashed};
        std::vector<std::int64_t> met;
        for (std::int64_t step = 1; step <= steps; ++step) met.push_back(by.controller_of(4 * stride * step));
        return met;
      };
      const std::vector<std::int64_t> in_turn = controllers_of(1, count * count, true);
      CHECK(std::set(in_turn.begin(), in_turn.begin() + count - 1).size() == static_cast<std::size_t>(count - 1));
      for (std::int64_t power = count; power <= count * count * count; power *= count) {
        CHECK(controllers_of(power, count * count, true) == in_turn);
        CHECK(controllers_of(power, count * count, false) == std::vector<std::int64_t>(count * count, 0));
        CHECK(controllers_of(5 * power, count * count, true) == controllers_of(5, count * count, true));
      }
      CHECK(controllers_of(count - 1, count, true) == std::vector<std::int64_t>(count, count - 1));
      const std::vector<std::int64_t> few = controllers_of(count - 1, count * count - 1, true);
      CHECK(std::set(few.begin(), few.end()).size() == 2);
    }
  }

  TEST_CASE(
      "64.4 packets move the same bursts as without controllers, each of one controller, as long as they may be") {
    CHECK(rc::check("packets of a block", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      const Bytes row = up_to(5000);
      const Block block{up_to(100000), up_to(4), row, row + *rc::gen::element(0, 1, 64, 4096)};
      const std::int64_t granule = up_to(9);
      const std::int64_t controllers = up_to(5);
      const Interleaving interleaving{granule, controllers, controllers > 1 && *rc::gen::arbitrary<bool>()};
      const std::int64_t most = up_to(20);
      const auto packets_of = [&](const Interleaving& by) {
        std::vector<Packet> packets;
        PacketCursor cursor(block, 64, most, by);
        for (Packet packet; cursor.next(packet);) packets.push_back(packet);
        return packets;
      };
      std::vector<std::int64_t> moved;
      std::int64_t end = -1;
      std::int64_t before = 0;
      for (const Packet& packet : packets_of(interleaving)) {
        const std::int64_t last = packet.first_burst + packet.bursts - 1;
        RC_ASSERT(packet.bursts <= most);
        RC_ASSERT(packet.first_burst / interleaving.granule == last / interleaving.granule);
        RC_ASSERT(interleaving.controller_of(packet.first_burst) == interleaving.controller_of(last));
        const bool cut = packet.first_burst == end && before < most;  // then because of the controller, within a row
        RC_ASSERT(!cut || block.rows > 1 || packet.first_burst % interleaving.granule == 0);
        end = last + 1;
        before = packet.bursts;
        for (std::int64_t burst = packet.first_burst; burst <= last; ++burst) moved.push_back(burst);
      }
      std::vector<std::int64_t> plain;
      for (const Packet& packet : packets_of({})) {
        for (std::int64_t i = 0; i < packet.bursts; ++i) plain.push_back(packet.first_burst + i);
      }
      RC_ASSERT(moved == plain);
    }));
  }

  TEST_CASE("64.8 to a closed form of one PE the memory is a partition of all of it, or of its share") {
    const MachineSpec machine = with_controllers("0,3 west 0,0");
    const MachineSpec alone = with_partition(machine);
    CHECK(alone.die.hbm.bandwidth.gbs() == 4 * 256);
    CHECK(alone.die.hbm.pseudo_channels == 32);
    CHECK(alone.die.hbm.capacity == Bytes{4} << 30U);
    CHECK_FALSE(alone.die.hbm.shared());
    CHECK(with_partition(machine, 8).die.hbm.bandwidth.gbs() == 128);
    CHECK(with_partition(milestone(), 8).die.hbm.bandwidth.gbs() == 256);
  }
}
