// How the PEs run a schedule over message queues (ADR-0019).
#pragma once

#include <deque>
#include <map>

#include "tests/collectives_calculator/schedule.hpp"
#include "tests/collectives_calculator/system.hpp"

namespace calc {

constexpr Bytes element_bytes = 2;  // bf16

// A copy's transfers come behind those of queues, which have lower numbers (19.18).
constexpr int behind_all_queues = 1 << 30;

class Collective {
 public:
  Collective(const Machine& machine, Schedule schedule);

  Time run();  // the time of the collective, from the start of the kernels
  Time launch();
  bool buffers_in_hbm() const { return in_hbm_; }
  Bytes sent_bytes() const { return sent_bytes_; }
  Bytes link_bytes();
  std::int64_t steps() const;  // the largest number of a rank
  std::uint64_t events() const { return calendar_.events(); }

 private:
  struct Piece {
    Bytes address = 0, bytes = 0;  // in the rank's buffer
  };
  using Unread = std::multimap<Bytes, Piece>;  // pieces that sends have still to read, by address (19.16)
  struct Outgoing {
    Piece piece;
    Unread::iterator unread;
  };
  struct Runner {  // a thread, and the message that it is taking
    int rank = 0, number = 0;
    const Thread* steps = nullptr;
    std::size_t next = 0;
    bool reduces = false, gone_on = false, is_to_copy = false;
    std::vector<Piece> pieces, sources;
    std::size_t piece = 0, operands_asked = 0, operands_there = 0, results = 0;
  };
  struct Queue {  // 19.1
    int sender = 0, receiver = 0, number = 0;
    Bytes slots_at = 0;  // in the receiver's HBM
    // the sender
    std::deque<Outgoing> outgoing;
    std::int64_t submitted = 0;
    int credits = 0;
    bool wants_credit = false, waking = false;
    Time came_for_credit = 0;
    // the receiver
    std::int64_t arrived = 0, taken = 0;
    Runner* taker = nullptr;  // who waits for a piece
    Time came_for_piece = 0;
  };

  void make_queues();
  void next_step(Runner& runner);
  void do_step(Runner& runner);
  void begin_copy(Runner& runner);
  void copy(Runner& runner);
  void begin_copy_in_hbm(Runner& runner, const Step& step);
  void read_to_copy(Runner& runner);
  void copy_piece(Runner& runner);
  void send(Queue& queue, const Range& range);
  void want_credit(Queue& queue);
  void credit_arrives(Queue& queue);
  void submit(Queue& queue);
  void post(Queue& queue, std::int64_t number, Bytes bytes, Calendar::Action left);
  void has_left(int rank, Unread::iterator piece);
  bool is_unread(int rank, Bytes address, Bytes bytes) const;
  void landed(Queue& queue, std::int64_t number, Bytes bytes);
  void piece_arrives(Queue& queue);
  void begin_taking(Runner& runner, const Step& step);
  void want_piece(Runner& runner);
  void go_on(Runner& runner);
  void ask_vector_unit(Runner& runner);
  void taken(Runner& runner);
  Queue& queue_of(const Runner& runner) { return queues_[(*runner.steps)[runner.next].queue]; }
  std::vector<Piece> pieces(const Range& range) const;
  Time cycles(std::int64_t elements) const { return duration(divide_up(elements, machine_.lanes), machine_.clock); }
  Time result_latency() const {
    return machine_.inline_consumer ? 0 : duration(machine_.vector_latency_cycles, machine_.clock);
  }
  Time going_on(Time came) const;  // 19.4
  Bytes slot_stride() const { return divide_up(machine_.slot_bytes, machine_.burst) * machine_.burst; }

  Machine machine_;
  Schedule schedule_;
  Calendar calendar_;
  Topology topology_;
  System system_;
  std::vector<Queue> queues_;
  std::deque<Runner> runners_;
  std::vector<std::vector<Runner*>> runners_of_;  // each rank
  std::vector<Unread> unread_;                    // of each rank
  bool in_hbm_ = false;
  Bytes sent_bytes_ = 0;
  Time end_ = 0;
  std::size_t running_ = 0;
};

}  // namespace calc
