#include "sim/plan/mapping_estimate.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace kernbench {

namespace {

/// What is brought of an operand, or of sums.
struct Brought {
  std::int64_t loads = 0;  ///< but the first
  Bytes loaded = 0;        ///< by these; bytes are those of whole bursts
  Bytes first = 0;         ///< by the first load
  Bytes streamed = 0;      ///< tile by tile
};

struct Traffic {
  std::array<Brought, 3> brought;  ///< of A, B, sums
  Bytes written = 0;
  [[nodiscard]] Bytes later() const { return sum(&Brought::loaded) + sum(&Brought::streamed); }
  [[nodiscard]] Bytes sum(Bytes Brought::*of) const { return brought[0].*of + brought[1].*of + brought[2].*of; }
};

/// What moving a matrix tile by tile takes more than its elements: whole bursts, of a row-major matrix those that each
/// row of a tile touches, and where rows begin at the same few pseudo-channels, as many more as would use the others.
struct InBursts {
  Bytes bytes;  ///< of elements, which take the time of `moves`
  Bytes moves;
  [[nodiscard]] Bytes of(Bytes elements) const { return ceil_mul_div(elements, moves, bytes); }
};

/// Rows of the bursts that they touch on average, so many of them in a tile.
InBursts rows_in_bursts(Bytes row, Bytes stride, std::int64_t rows, std::int64_t tiles_under_way,
                        const MachineSpec& machine) {
  const HbmSpec& hbm = machine.die.hbm;
  const Bytes moves = row + hbm.burst - std::gcd(std::gcd(row, stride), hbm.burst);
  if (!hbm.follows_keys() || stride % hbm.burst != 0) return {row, moves};
  const std::int64_t starts = hbm.pseudo_channels / std::gcd(stride / hbm.burst, hbm.pseudo_channels);
  const std::int64_t used =
      std::min(hbm.pseudo_channels, std::min(starts, rows) * ceil_div(row * tiles_under_way, hbm.burst));
  const Bytes channels = ceil_mul_div(moves, hbm.pseudo_channels * read_path(machine).bytes_per_second,
                                      used * hbm.bandwidth.bytes_per_second);
  return {row, std::max(moves, channels)};
}

/// Of a matrix of so many columns in tiles of rows x columns; `beside`: tiles follow one another along a row.
InBursts in_bursts(const GemmProblem& problem, std::array<std::int64_t, 2> tile, std::int64_t columns, Dtype dtype,
                   bool beside, const MachineSpec& machine) {
  const Bytes burst = machine.die.hbm.burst;
  const Bytes row = std::min(tile[1], columns) * bytes_of(dtype);
  const Bytes stride = columns * bytes_of(dtype);
  if (problem.layout == Layout::kBlocked) return {tile[0] * row, ceil_div(tile[0] * row, burst) * burst};
  if (row == stride) return {1, 1};
  const std::int64_t bursts = tile[0] * ceil_div(row, burst);
  const std::int64_t under_way = beside ? std::max<std::int64_t>(1, machine.pe.dma.outstanding_bursts / bursts) : 1;
  return rows_in_bursts(row, stride, tile[0], under_way, machine);
}

Traffic traffic_of(const MappedGemm& mapped, const MachineSpec& machine) {
  const GemmProblem& problem = mapped.problem();
  const auto& [tile, block, order, blocks, buffers, sums] = mapped.mapping();
  const auto of_operand = [&problem](bool loaded, std::int64_t loads, Bytes all, Bytes first, const InBursts& bursts) {
    if (!loaded) return Brought{.streamed = bursts.of(all)};
    if (loads == 1) return Brought{.first = problem.layout == Layout::kRowMajor ? all : bursts.of(all)};
    return Brought{loads - 1, bursts.of(all - first), bursts.of(first), 0};
  };
  const InBursts a = in_bursts(problem, {tile.m, tile.k}, problem.k, problem.dtype, true, machine);
  const InBursts b = in_bursts(problem, {tile.k, tile.n}, problem.n, problem.stored_b(), blocks.b, machine);
  const InBursts c = in_bursts(problem, {tile.m, tile.n}, problem.n, problem.result(), true, machine);
  const Bytes all_a = mapped.times_a() * problem.m * problem.k * bytes_of(problem.dtype);
  const Bytes all_b = mapped.times_b() * problem.k * problem.n * bytes_of(problem.stored_b());
  return {{of_operand(blocks.a, mapped.loads_of_a(), all_a, mapped.block_of_a(), a),
           of_operand(blocks.b, mapped.loads_of_b(), all_b, mapped.block_of_b(), b),
           Brought{mapped.loads_of_sums(), mapped.bytes_of_sum_loads(), 0, 0}},
          c.of(problem.m * problem.n * bytes_of(problem.result())) + mapped.bytes_of_sum_stores()};
}

std::int64_t tiles_of(const MappedGemm& mapped) {
  const GemmProblem& problem = mapped.problem();
  const TileShape& tile = mapped.mapping().tile;
  return ceil_div(problem.m, tile.m) * ceil_div(problem.k, tile.k) * ceil_div(problem.n, tile.n);
}

/// A streamed tile has its place in TCM from its request on until it has been fetched; requests begin one after the
/// other.
Picoseconds all_streamed_tiles(const MappedGemm& mapped, Bytes streamed, Picoseconds fetched,
                               const MachineSpec& machine) {
  if (streamed == 0) return {};
  const std::int64_t tiles = tiles_of(mapped);
  const Residency blocks = mapped.mapping().blocks;
  const std::int64_t requests = tiles * ((blocks.a ? 0 : 1) + (blocks.b ? 0 : 1));
  const Picoseconds latency = machine.pe.dma.setup + machine.die.hbm.read_latency;
  const Picoseconds transfer = machine.die.hbm.bandwidth.time_for(ceil_div(streamed, tiles));
  const std::int64_t depth = machine.pe.stream_depth;
  return std::max(ceil_div(tiles, depth) * (latency + transfer) + Picoseconds{fetched.value / depth},
                  requests * machine.pe.dma.setup);
}

/// Of everything that is read, where no more than DMA credits is under way.
Picoseconds all_reads_by_credits(Bytes read, const MachineSpec& machine) {
  const DieSpec& die = machine.die;
  const Picoseconds way =
      die.wire.delay(die.wire.pe_to_router_um) + die.router.hop + die.wire.delay(die.wire.hbm_to_router_um);
  const Picoseconds round_trip = 2 * way + die.hbm.bandwidth.time_for(die.hbm.pseudo_channels * die.hbm.burst) +
                                 die.hbm.read_latency + die.router.link.time_for(machine.simulation.packet);
  return {ceil_mul_div(read, round_trip.value, machine.pe.dma.outstanding_bursts * die.hbm.burst)};
}

/// All tiles, as the PE takes them if they have been brought. A sum that is kept in TCM is fetched for the next block
/// along K when it has been stored; and C is written while the last of them is worked on, and what follows is read.
Picoseconds all_tiles(const MappedGemm& mapped, const PipelinePace& pace, const Traffic& traffic,
                      const MachineSpec& machine) {
  const std::int64_t k_blocks = mapped.k_blocks();
  if (k_blocks == 1 || mapped.sums_in_hbm()) return pace.tiles;
  const std::int64_t passes = mapped.steps() / mapped.steps_per_k_block();
  const std::int64_t outputs = passes / k_blocks;  // as often C is written, in parts
  const Picoseconds pass{pace.tiles.value / passes};
  const Bytes written = std::max<Bytes>(0, traffic.written / outputs - queued_writes(machine));
  const Picoseconds moved = machine.die.hbm.bandwidth.time_for(written + traffic.later() / passes);
  return pace.tiles + (passes - outputs) * std::max(Picoseconds{}, pace.through - pass) +
         outputs * std::max(Picoseconds{}, moved - pass);
}

/// What later loads wait for. One is asked for when the step has ended that used its buffer, `buffers` loads before,
/// and not before those that earlier steps need: of a block that changes seldom when few of the other's are left to be
/// worked on. So long as it is moved, streamed tiles wait, too. `work` is that of all steps.
Picoseconds with_later_loads(const MappedGemm& mapped, const Traffic& traffic, Picoseconds work,
                             const PipelinePace& pace, const MachineSpec& machine) {
  std::int64_t most = 0;
  std::int64_t calls = 0;
  for (const Brought& of : traffic.brought) {
    most = std::max(most, of.loads);
    calls += 2 * of.loads;
  }
  if (most == 0) return work;
  const Bandwidth path = read_path(machine);
  const Picoseconds latency = machine.pe.dma.setup + machine.die.hbm.read_latency;
  const Picoseconds waits = most * latency + calls * machine.pe.control;
  // Sums that the step before has stored do not come ahead.
  const bool in_turn = mapped.sums_in_hbm() && mapped.steps_per_k_block() == 1;
  const std::int64_t buffers = in_turn ? 1 : mapped.mapping().buffers;
  // A step has ended when its last output has been stored.
  const Picoseconds steps = work + most * std::max(Picoseconds{}, pace.through - pace.period);
  if (buffers == 1) return waits + path.time_for(traffic.sum(&Brought::loaded)) + steps;

  const auto seldom = [most](const Brought& of) { return 2 * of.loads <= most; };
  Bytes often = 0;
  for (const Brought& of : traffic.brought) often += seldom(of) ? 0 : of.loaded;
  const Picoseconds brought = path.time_for(often);
  const Picoseconds between = std::max({work, brought, Picoseconds{(waits + brought).value / (buffers - 1)},
                                        Picoseconds{(waits + brought + steps).value / buffers}});
  const Picoseconds ahead{(between - brought).value * buffers / most};
  Picoseconds all = between;
  for (const Brought& of : traffic.brought) {
    if (of.loads == 0 || !seldom(of)) continue;
    all += std::max(Picoseconds{}, path.time_for(of.loaded) + of.loads * (latency - ahead));
  }
  const Bytes streamed = traffic.sum(&Brought::streamed);
  if (streamed == 0) return all;
  const std::int64_t tiles = tiles_of(mapped);
  const Picoseconds idle = std::max(Picoseconds{}, all - path.time_for(streamed));
  const Picoseconds free{ceil_mul_div(idle.value, most * machine.pe.stream_depth, tiles)};
  return all + std::max(Picoseconds{}, brought - free);
}

}  // namespace

Picoseconds before_and_after(Residency blocks, const MachineSpec& machine) {
  const Picoseconds latency = machine.pe.dma.setup + machine.die.hbm.read_latency;
  const std::int64_t loaded = (blocks.a ? 1 : 0) + (blocks.b ? 1 : 0);
  const std::int64_t streamed = 2 - loaded;
  return (2 * loaded + streamed + 2) * machine.pe.control + (loaded > 0 ? latency : Picoseconds{}) +
         (streamed > 0 ? latency : Picoseconds{});
}

Picoseconds estimated_time(const MappedGemm& mapped, const GemmBound& bound, const PipelinePace& pace,
                           const MachineSpec& machine) {
  const PeSpec& pe = machine.pe;
  const Traffic traffic = traffic_of(mapped, machine);
  const auto term = [&bound](std::string_view resource) {
    return *std::ranges::find(bound.terms, resource, &BoundTerm::resource);
  };
  const BoundTerm fetch = term("fetch");
  const BoundTerm mac = term("mac");
  const BoundTerm held = term("accumulators");

  Picoseconds tiles = all_tiles(mapped, pace, traffic, machine);
  if (held.work > Picoseconds{})
    tiles = std::max(tiles, held.work + pace.held);  // else products have sets of their own
  std::int64_t loads = 0;
  for (const Brought& of : traffic.brought) loads += of.loads;
  tiles = std::max({tiles, all_streamed_tiles(mapped, traffic.sum(&Brought::streamed), fetch.work, machine),
                    (2 * loads + mapped.steps()) * pe.control});

  const Bandwidth path = read_path(machine);
  const Residency blocks = mapped.mapping().blocks;
  const Bytes plain_first = (blocks.a ? mapped.block_of_a() : 0) + (blocks.b ? mapped.block_of_b() : 0);
  const Bytes later = traffic.later();
  const Bytes gaps = later - (mapped.read() - plain_first);
  const HbmSpec& hbm = machine.die.hbm;
  const std::int64_t batches = traffic.written / (hbm.write_batch * hbm.burst * hbm.pseudo_channels);
  const Picoseconds first = bound.pe - bound.longest() + path.time_for(traffic.sum(&Brought::first) - plain_first);
  Picoseconds steady =
      std::max({bound.longest(), fetch.head + with_later_loads(mapped, traffic, tiles, pace, machine) + mac.tail,
                term("dma_in").total() + path.time_for(gaps),
                term("hbm").total() + hbm.bandwidth.time_for(gaps + traffic.written - mapped.written()) +
                    batches * 2 * hbm.turnaround,
                all_reads_by_credits(later + traffic.sum(&Brought::first), machine) - first});
  return before_and_after(blocks, machine) + first + steady;
}

}  // namespace kernbench
