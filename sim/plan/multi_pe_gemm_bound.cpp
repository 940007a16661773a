#include "sim/plan/multi_pe_gemm_bound.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/checked.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/machine/tcm_paths.hpp"
#include "sim/plan/array_work.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/plan/network/link_loads.hpp"

namespace kernbench {

namespace {

void add(Bytes& sum, Bytes bytes) { sum = checked_add(sum, bytes, "bytes that a PE moves", kInBytes); }

/// Nodes of a PE, and of its memories.
std::int32_t node_of(const NetworkPlan& plan, const MachineSpec& machine, std::int32_t pe, NodeKind kind) {
  NodeLocation at = plan.location_of(pe);
  if (kind == NodeKind::kSram) at.router = static_cast<std::int32_t>(machine.die.sram.router);
  return plan.find(kind, at);
}

LinkLoads loads_of(const MultiPeWork& work, const MachineSpec& machine, const NetworkPlan& plan,
                   const std::vector<std::int32_t>& pes) {
  LinkLoads loads(plan);
  const auto node = [&](int rank, NodeKind kind) {
    return node_of(plan, machine, pes[static_cast<std::size_t>(rank)], kind);
  };
  if (!plan.shares_hbm) {
    for (const MultiPeWork::Flow& read : work.reads()) {
      loads.add(node(read.from, NodeKind::kHbm), node(read.to, NodeKind::kPe), read.bytes);
    }
    for (std::size_t rank = 0; rank < pes.size(); ++rank) {
      const auto pe = static_cast<int>(rank);
      loads.add(node(pe, NodeKind::kPe), node(pe, NodeKind::kHbm), work.pes()[rank].written);
    }
  }
  const MemoryTier tier = machine.pe.message_queue.tier;
  const NodeKind slots = tier == MemoryTier::kTcm    ? NodeKind::kPe
                         : tier == MemoryTier::kSram ? NodeKind::kSram
                                                     : NodeKind::kHbm;
  for (const MultiPeWork::Message& message : work.messages()) {
    const std::int32_t from = node(message.from, NodeKind::kPe);
    std::vector<std::int32_t> landed;
    for (const int to : message.to) landed.push_back(node(to, slots));
    if (machine.die.router.multicast) {
      loads.add_once(from, landed, message.bytes);
      continue;
    }
    for (std::size_t number = 0; number < landed.size(); ++number) {
      loads.add(from, landed[number], message.bytes);
      if (slots != NodeKind::kPe) loads.add(landed[number], node(message.to[number], NodeKind::kPe), message.bytes);
    }
  }
  return loads;
}

/// What a memory that PEs share gives and takes.
struct SharedHbmWork {
  Bytes given = 0;
  Bytes written = 0;
};

std::vector<SharedHbmWork> shared_hbm_work(const MultiPeWork& work, const NetworkPlan& plan,
                                           const std::vector<std::int32_t>& pes) {
  std::map<MemoryNode, SharedHbmWork> memories;
  for (std::size_t rank = 0; plan.shares_hbm && rank < pes.size(); ++rank) {
    SharedHbmWork& hbm = memories[plan.hbm_of(pes[rank])];
    add(hbm.given, work.pes()[rank].given);
    add(hbm.written, work.pes()[rank].written);
  }
  std::vector<SharedHbmWork> all;
  for (const auto& [memory, hbm] : memories) all.push_back(hbm);
  return all;
}

}  // namespace

void MultiPeWork::multiplies(int pe, Picoseconds array, Cycles converting) {
  of(pe).array += array;
  of(pe).converting += converting;
}

void MultiPeWork::reads(int pe, int owner, Bytes bytes, std::int64_t times) {
  const Bytes all = checked_multiply(times, bytes, "bytes that a PE moves", kInBytes);
  add(of(pe).read, all);
  add(of(owner).given, all);
  if (all > 0) reads_.push_back({owner, pe, all});
}

void MultiPeWork::reads(int pe, const PlacedMatrix& matrix, const Rect& rect, std::int64_t times) {
  for (const PlacedMatrix::Piece& piece : matrix.pieces_of(rect, pe)) {
    reads(pe, piece.owner, matrix.piece(piece.tiles).element_bytes(), times);
  }
}

void MultiPeWork::writes(int pe, Bytes bytes) { add(of(pe).written, bytes); }

void MultiPeWork::multicasts(int from, const std::vector<std::int32_t>& to, const MatrixLayout& matrix) {
  const Bytes bytes = matrix.footprint();
  for (const std::int32_t receiver : to) {
    add(of(receiver).received, bytes);
    of(receiver).taken += elements_in(bytes, matrix.dtype);
  }
  if (bytes > 0) messages_.push_back({from, to, bytes});
}

void MultiPeWork::takes_tcm(Bytes bytes) { tcm_ = std::max(tcm_, bytes); }

void add_product(const PlacedGemm& gemm, int pe, const Rect& a, const Rect& b, const PeSpec& spec, MultiPeWork& work) {
  const MatrixLayout rows = gemm.a.piece(a);
  const MatrixLayout columns = gemm.b.piece(b);
  const LoadedFirst first = loaded_first(gemm.problem, rows, columns, spec, gemm.tcm);
  const GemmProblem& problem = gemm.problem;
  work.multiplies(pe,
                  array_work(spec, {rows.rows, rows.columns, columns.columns}, problem.has_partials(), problem.dtype),
                  conversion_cycles(columns, rows.row_tiles(), problem.dtype, spec.vector));
  work.reads(pe, gemm.a, a, first == LoadedFirst::kA ? 1 : columns.column_tiles());
  work.reads(pe, gemm.b, b, first == LoadedFirst::kB ? 1 : rows.row_tiles());
  work.writes(pe, rows.rows * bytes_of_row(columns.columns, columns.tile_columns, problem.result()));
  work.takes_tcm(tcm_for(gemm.problem, rows, columns, first, spec));
}

MultiPeGemmBound multi_pe_gemm_bound(const MultiPeWork& work, const MachineSpec& machine, const NetworkPlan& plan,
                                     const std::vector<std::int32_t>& pes) {
  const PeSpec& pe = machine.pe;
  std::vector<Bytes> sent(work.pes().size());
  for (const MultiPeWork::Message& message : work.messages()) {
    const std::int64_t times = machine.die.router.multicast ? 1 : std::ssize(message.to);
    add(sent[static_cast<std::size_t>(message.from)],
        checked_multiply(times, message.bytes, "bytes that a PE moves", kInBytes));
  }
  const bool takes_out = pe.message_queue.consumer == SlotConsumer::kVectorUnit;
  const Bytes queued = queued_writes(machine);
  MultiPeGemmBound bound;
  const auto at_least = [&bound](const std::string& resource, Picoseconds time) {
    if (time <= bound.time) return;
    bound.time = time;
    bound.resource = resource;
  };
  for (std::size_t rank = 0; rank < pes.size(); ++rank) {
    const PeWork& of = work.pes()[rank];
    const auto sum = [](Bytes a, Bytes b) { return checked_add(a, b, "bytes that a PE moves", kInBytes); };
    at_least("mac", of.array);
    bound.brought = std::max(bound.brought, sum(of.read, of.received));
    at_least("dma_in", into_tcm(machine).time_for(sum(of.read, of.received)));
    if (!plan.shares_hbm) {
      at_least("hbm", machine.die.hbm.bandwidth.time_for(sum(of.given, std::max<Bytes>(0, of.written - queued))));
    }
    at_least("dma_out", out_of_tcm(machine).time_for(sum(sent[rank], of.written)));
    at_least("vector", pe.clock.time_for(of.converting + (takes_out ? of.taken / pe.vector.lanes : 0)));
  }
  for (const SharedHbmWork& hbm : shared_hbm_work(work, plan, pes)) {
    const std::int64_t controllers = controllers_of_die(machine.die);
    const Bytes written = std::max<Bytes>(0, hbm.written - controllers * queued);
    const Bandwidth links{controllers * machine.die.router.link.bytes_per_second};
    at_least("hbm", hbm_bandwidth(machine.die).time_for(checked_add(hbm.given, written, "bytes of an HBM", kInBytes)));
    at_least("hbm_links", links.time_for(std::max(hbm.given, hbm.written)));
  }
  const LinkLoads loads = loads_of(work, machine, plan, pes);
  for (std::size_t link = 0; link < loads.bytes().size(); ++link) {
    at_least(plan.links[link].name, plan.links[link].bandwidth.time_for(loads.bytes()[link]));
    add(bound.crossing, loads.bytes()[link]);
  }
  return bound;
}

}  // namespace kernbench
