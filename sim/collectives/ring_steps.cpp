#include "sim/collectives/ring_steps.hpp"

#include <algorithm>
#include <utility>

namespace kernbench {

namespace {

void send_block(CollectiveThread& thread, const RingBlock& block, const RingSeat& seat, const StepStyle& style) {
  for (const ElementRange range : block) add_steps(thread, StepKind::kSend, seat.next(), range, style);
}

/// Takes a range chunk by chunk from the rank before; each chunk goes on at once, in the style `forward` where it is
/// given.
void pass_on(CollectiveThread& thread, StepKind take, ElementRange range, const RingSeat& seat, const StepStyle& style,
             const StepStyle* forward) {
  for_each_chunk(range, style.chunk, [&](ElementRange chunk) {
    add_step(thread, take, seat.previous(), chunk, style);
    if (forward != nullptr) add_step(thread, StepKind::kSend, seat.next(), chunk, *forward);
  });
}

/// `last`: the style in which the reduced block goes on; null where it stays.
void add_reduce_rounds(CollectiveThread& thread, const RingSeat& seat, const StepStyle& style, const StepStyle* last) {
  send_block(thread, seat.block(seat.place - 1), seat, style);
  for (std::int64_t back = 2; back <= seat.size(); ++back) {
    const StepStyle* forward = back < seat.size() ? &style : last;
    for (const ElementRange range : seat.block(seat.place - back)) {
      pass_on(thread, StepKind::kReduce, range, seat, style, forward);
    }
  }
}

void add_gather_rounds(CollectiveThread& thread, const RingSeat& seat, const StepStyle& style) {
  for (std::int64_t back = 1; back < seat.size(); ++back) {
    const StepStyle* forward = back + 1 < seat.size() ? &style : nullptr;
    for (const ElementRange range : seat.block(seat.place - back)) {
      pass_on(thread, StepKind::kReceive, range, seat, style, forward);
    }
  }
}

/// From the rank at the first place of `order` through all others.
void add_chain_broadcast(CollectiveThread& thread, const RingSeat& seat, ElementRange range, const StepStyle& style) {
  if (seat.place == 0) return add_steps(thread, StepKind::kSend, seat.next(), range, style);
  pass_on(thread, StepKind::kReceive, range, seat, style, seat.place + 1 < seat.size() ? &style : nullptr);
}

/// From the rank after the first place of `order` through all others to the first.
void add_chain_reduce(CollectiveThread& thread, const RingSeat& seat, ElementRange range, const StepStyle& style) {
  if (seat.place == 1) return add_steps(thread, StepKind::kSend, seat.next(), range, style);
  pass_on(thread, StepKind::kReduce, range, seat, style, seat.place != 0 ? &style : nullptr);
}

}  // namespace

void add_ring_reduce_scatter(CollectiveThread& thread, const RingSeat& seat, const StepStyle& style) {
  add_reduce_rounds(thread, seat, style, nullptr);
}

void add_ring_all_gather(CollectiveThread& thread, const RingSeat& seat, const StepStyle& style) {
  send_block(thread, seat.block(seat.place), seat, style);
  add_gather_rounds(thread, seat, style);
}

void add_ring_all_reduce(CollectiveThread& thread, const RingSeat& seat, const StepStyle& reduce,
                         const StepStyle& gather) {
  add_reduce_rounds(thread, seat, reduce, &gather);
  add_gather_rounds(thread, seat, gather);
}

std::vector<RingBlock> rank_blocks(std::int64_t count, const std::vector<std::int32_t>& order) {
  std::vector<RingBlock> blocks;
  blocks.reserve(order.size());
  for (const std::int32_t rank : order) {
    blocks.push_back({balanced_block(count, static_cast<std::int64_t>(order.size()), rank)});
  }
  return blocks;
}

void add_ring(CollectiveSchedule& schedule, const std::vector<std::int32_t>& order,
              const std::vector<RingBlock>& blocks, ElementRange whole, const StepStyle& style) {
  const auto root = std::ranges::find(order, schedule.root) - order.begin();
  std::vector<std::int32_t> from_root(order);
  std::rotate(from_root.begin(), from_root.begin() + root, from_root.end());

  for (std::size_t place = 0; place < order.size(); ++place) {
    const RingSeat seat{order, blocks, static_cast<std::int64_t>(place)};
    const std::int64_t after_root = (seat.place - root + seat.size()) % seat.size();
    const RingSeat seat_from_root{from_root, blocks, after_root};
    CollectiveThread thread;
    switch (schedule.collective) {
      case Collective::kAllReduce:
        add_ring_all_reduce(thread, seat, style, style.in_phase(1));
        break;
      case Collective::kReduceScatter:
        add_ring_reduce_scatter(thread, seat, style);
        break;
      case Collective::kAllGather:
        add_ring_all_gather(thread, seat, style);
        break;
      case Collective::kBroadcast:
        add_chain_broadcast(thread, seat_from_root, whole, style);
        break;
      case Collective::kReduce:
        add_chain_reduce(thread, seat_from_root, whole, style);
        break;
      case Collective::kAllToAll:
        break;  // no neighbours-only form without a third buffer
    }
    schedule.ranks[static_cast<std::size_t>(order[place])].push_back(std::move(thread));
  }
}

}  // namespace kernbench
