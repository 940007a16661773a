// The cells of a distributed GEMM: everything is multiplied and moved once, by parts that lie where nothing else does.
#include "sim/plan/distributed_gemm/distributed_program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "sim/plan/distributed_gemm/matrix_chunks.hpp"
#include "sim/plan/distributed_gemm/schedule.hpp"
#include "tests/plan/random_distributed_gemm.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

MachineSpec machine_of_small_tiles() {
  return milestone({"pe.mac.tile.m=4", "pe.mac.tile.k=8", "pe.mac.tile.n=4", "die.hbm.burst=32B",
                    "simulation.packet_bytes=64B", "pe.message_queue.slot_bytes=256B"});
}

DeviceMemories memories(int devices, int pes, const std::optional<GemmPlacement>& placement) {
  DeviceMemories all{placement, {}};
  for (int device = 0; device < devices; ++device) {
    std::vector<MemoryNode>& of = all.memories.emplace_back();
    for (int pe = 0; pe < pes; ++pe) of.push_back(100 * device + pe);
  }
  return all;
}

std::optional<GemmPlacement> random_placement() {
  if (*rc::gen::arbitrary<bool>()) return std::nullopt;
  const auto any = [] {
    return *rc::gen::element(PlacementPolicy::kRows, PlacementPolicy::kColumns, PlacementPolicy::kBlocks);
  };
  return GemmPlacement{any(), any(), any()};
}

}  // namespace

TEST_SUITE("ADR-0044") {
  TEST_CASE("44.2 products of cells are the whole product, and copies of cells what the command list moves") {
    const MachineSpec machine = machine_of_small_tiles();
    CHECK(rc::check([&] {
      const DistributedGemm problem = random_distributed_gemm(40);
      const DistributedGemmPlan plan = plan_distributed_gemm(problem);
      const ScheduleDepth depth{*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4)};
      const CommandList list = schedule_distributed_gemm(plan, depth);
      const DistributedProgram program = distributed_program(
          plan, list, machine, memories(problem.devices, *rc::gen::inRange(1, 7), random_placement()));
      std::int64_t macs = 0;
      std::vector<DeviceTraffic> traffic(static_cast<std::size_t>(problem.devices));
      for (const DeviceCommand& command : program.commands) {
        for (const CellProduct& product : command.products) {
          macs += product.problem.macs();
          RC_ASSERT(product.a->shape().rows == product.c->shape().rows);
          RC_ASSERT(product.b->shape().columns == product.c->shape().columns);
          RC_ASSERT(product.a->shape().columns == product.b->shape().rows);
        }
        for (const CellMove& move : command.moves) {
          if (command.kind != CommandKind::kCopy) continue;
          const Bytes bytes = move.to->shape().element_bytes();
          RC_ASSERT(move.from->shape().element_bytes() == bytes);
          const bool sends = command.queue == QueueKind::kSend;
          traffic.at(static_cast<std::size_t>(sends ? command.device : command.other)).sent += bytes;
          traffic.at(static_cast<std::size_t>(sends ? command.other : command.device)).received += bytes;
        }
      }
      RC_ASSERT(macs == problem.m * problem.k * problem.n);
      const std::vector<DeviceTraffic> expected = traffic_of(list, problem.devices);
      for (std::size_t device = 0; device < traffic.size(); ++device) {
        RC_ASSERT(traffic[device].sent == expected[device].sent);
        RC_ASSERT(traffic[device].received == expected[device].received);
      }
    }));
  }

  TEST_CASE("44.3 cells of tiles cover the matrices of every device, and no two of them share a byte") {
    const MachineSpec machine = machine_of_small_tiles();
    CHECK(rc::check([&] {
      const DistributedGemm problem = random_distributed_gemm(40);
      const DistributedGemmPlan plan = plan_distributed_gemm(problem);
      const int pes = *rc::gen::inRange(1, 7);
      const DistributedProgram program = distributed_program(plan, schedule_distributed_gemm(plan), machine,
                                                             memories(problem.devices, pes, random_placement()));
      std::map<OperandOf, std::int64_t> elements;
      std::map<std::pair<int, int>, std::vector<std::pair<Address, Address>>> used;  // by device and PE
      for (const TileCell& cell : program.tiles) {
        elements[cell.part.matrix] += cell.part.rect.elements();
        for (int pe = 0; pe < pes; ++pe) {
          const MatrixLayout& part = cell.placed->part(pe);
          if (part.footprint() == 0) continue;
          used[{cell.device, pe}].emplace_back(part.base, part.base + part.footprint());
        }
      }
      RC_ASSERT(elements[OperandOf::kA] == plan.a.elements() * plan.a.replication());
      RC_ASSERT(elements[OperandOf::kB] == plan.b.elements() * plan.b.replication());
      RC_ASSERT(elements[OperandOf::kC] == plan.c.elements() * plan.c.replication());
      for (auto& [pe, ranges] : used) {
        std::ranges::sort(ranges);
        for (std::size_t i = 1; i < ranges.size(); ++i) RC_ASSERT(ranges[i - 1].second <= ranges[i].first);
        RC_ASSERT(ranges.back().second <= program.bytes_of_pe);
      }
    }));
  }

  TEST_CASE("44.5 chunks are whole tiles, one run of bytes each, at most as large as a room or one tile") {
    CHECK(rc::check([] {
      const MatrixLayout matrix{.rows = *rc::gen::inRange(1, 60),
                                .columns = *rc::gen::inRange(1, 60),
                                .tile_rows = *rc::gen::inRange(1, 9),
                                .tile_columns = *rc::gen::inRange(1, 9),
                                .base = 4096,
                                .burst = 32};
      const Bytes most = *rc::gen::inRange<Bytes>(1, 3000);
      Address next = matrix.base;
      std::int64_t elements = 0;
      for (const MatrixLayout& chunk : chunks_of(matrix, most)) {
        RC_ASSERT(chunk.base == next);
        RC_ASSERT(chunk.footprint() <= std::max(most, matrix.slot_bytes()));
        RC_ASSERT(chunk.row_tiles() == 1 || chunk.column_tiles() == matrix.column_tiles());
        next += chunk.footprint();
        elements += chunk.rows * chunk.columns;
      }
      RC_ASSERT(next == matrix.base + matrix.footprint());
      RC_ASSERT(elements == matrix.rows * matrix.columns);
    }));
    CHECK(chunks_of({.rows = 0, .columns = 4, .tile_rows = 4, .tile_columns = 4, .burst = 32}, 64).empty());
  }

  TEST_CASE("44.2 each element lies once on a device") {
    const DistributedGemmPlan plan = plan_distributed_gemm({.m = 8, .k = 8, .n = 8, .devices = 2});
    const GemmPlacement placement{PlacementPolicy::kRows, PlacementPolicy::kReplicate, PlacementPolicy::kBlocks};
    const std::string error = error_of([&] {
      static_cast<void>(distributed_program(plan, schedule_distributed_gemm(plan), machine_of_small_tiles(),
                                            memories(2, 2, placement)));
    });
    CHECK(error ==
          "--place a=rows,b=replicate,c=blocks: over the PEs of a device expected rows, columns or blocks: each "
          "element lies once on a device");
  }
}
