#include "sim/plan/collective/alpha_beta.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/plan/collective/message_channel.hpp"

namespace kernbench {

namespace {

struct CostedThread {
  std::int32_t rank = 0;
  const CollectiveThread* steps = nullptr;
  std::size_t next = 0;
};

/// Messages of one channel that are there, and the thread that waits for the next one.
struct Mailbox {
  std::int64_t there = 0;
  CostedThread* waiting = nullptr;
};

/// A message's head at the in port, or all of it there.
struct Arrival {
  Picoseconds at;
  std::int64_t number = 0;  ///< in the order in which arrivals were foreseen
  bool complete = false;
  Picoseconds wire;
  std::int32_t receiver = 0;
  Mailbox* mailbox = nullptr;
  /// The latest first, as std::priority_queue puts the greatest on top.
  bool operator<(const Arrival& other) const { return std::tie(other.at, other.number) < std::tie(at, number); }
};

struct Ports {
  Picoseconds out_free;
  Picoseconds in_free;
};

class Clockwork {
 public:
  Clockwork(const CollectiveSchedule& schedule, const AlphaBeta& cost) : cost_(cost), ports_(schedule.ranks.size()) {
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
      for (const CollectiveThread& steps : schedule.ranks[rank]) {
        threads_.push_back({static_cast<std::int32_t>(rank), &steps, 0});
      }
    }
  }

  Picoseconds run() {
    for (CostedThread& thread : threads_) advance(thread);
    while (!arrivals_.empty()) {
      const Arrival arrival = arrivals_.top();
      arrivals_.pop();
      now_ = arrival.at;
      arrival.complete ? deliver(*arrival.mailbox) : take_in(arrival);
    }
    for (const CostedThread& thread : threads_) {
      if (thread.next == thread.steps->size()) continue;
      throw SimulationError("rank " + std::to_string(thread.rank) + " waits for ever at step " +
                            std::to_string(thread.next) + " of a thread");
    }
    return now_;
  }

 private:
  void advance(CostedThread& thread) {
    for (; thread.next < thread.steps->size(); ++thread.next) {
      const CollectiveStep& step = (*thread.steps)[thread.next];
      if (step.kind == StepKind::kCopy) continue;
      Mailbox& mailbox = mailboxes_[channel_of(thread.rank, step)];
      if (step.kind == StepKind::kSend) {
        send(thread.rank, step, mailbox);
        continue;
      }
      if (mailbox.there == 0) {
        mailbox.waiting = &thread;
        return;
      }
      --mailbox.there;
    }
  }

  void send(std::int32_t rank, const CollectiveStep& step, Mailbox& mailbox) {
    const Picoseconds wire = cost_.wire(step.count);
    Picoseconds& free = ports_[static_cast<std::size_t>(rank)].out_free;
    const Picoseconds leaves = std::max(now_, free);
    free = leaves + wire;
    arrivals_.push({leaves + cost_.alpha, ++foreseen_, false, wire, step.peer, &mailbox});
  }

  void take_in(Arrival arrival) {
    Picoseconds& free = ports_[static_cast<std::size_t>(arrival.receiver)].in_free;
    free = std::max(now_, free) + arrival.wire;
    arrival.at = free;
    arrival.number = ++foreseen_;
    arrival.complete = true;
    arrivals_.push(arrival);
  }

  void deliver(Mailbox& mailbox) {
    ++mailbox.there;
    if (mailbox.waiting == nullptr) return;
    CostedThread& thread = *mailbox.waiting;
    mailbox.waiting = nullptr;
    advance(thread);
  }

  AlphaBeta cost_;
  Picoseconds now_;
  std::int64_t foreseen_ = 0;
  std::vector<Ports> ports_;
  std::vector<CostedThread> threads_;
  std::map<MessageChannel, Mailbox> mailboxes_;
  std::priority_queue<Arrival> arrivals_;
};

}  // namespace

Picoseconds alpha_beta_time(const CollectiveSchedule& schedule, const AlphaBeta& cost) {
  return Clockwork(schedule, cost).run();
}

}  // namespace kernbench
