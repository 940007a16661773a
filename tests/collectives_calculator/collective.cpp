#include "tests/collectives_calculator/collective.hpp"

#include <stdexcept>
#include <tuple>

namespace calc {

Collective::Collective(const Machine& machine, Schedule schedule)
    : machine_(machine),
      schedule_(std::move(schedule)),
      topology_(machine_),
      system_(calendar_, topology_),
      runners_of_(schedule_.ranks.size()),
      unread_(schedule_.ranks.size()) {
  make_queues();
}

void Collective::make_queues() {  // 19.1, 19.9
  std::map<std::tuple<int, int, int>, int> numbers;
  std::vector<int> to_receiver(machine_.pes());
  const int ranks = static_cast<int>(schedule_.ranks.size());
  for (int rank = 0; rank < ranks; ++rank)
    for (Thread& thread : schedule_.ranks[rank])
      for (Step& step : thread) {
        if (step.kind != StepKind::send) continue;
        const auto [found, is_new] = numbers.try_emplace({rank, step.peer, step.channel}, queues_.size());
        step.queue = found->second;
        if (!is_new) continue;
        Queue& queue = queues_.emplace_back();
        queue.sender = rank;
        queue.receiver = step.peer;
        queue.number = step.queue;
        queue.credits = machine_.slots;
        queue.slots_at = to_receiver[step.peer]++ * machine_.slots * slot_stride();
      }
  for (int rank = 0; rank < ranks; ++rank)
    for (Thread& thread : schedule_.ranks[rank])
      for (Step& step : thread)
        if (step.kind == StepKind::receive || step.kind == StepKind::reduce)
          step.queue = numbers.at({step.peer, rank, step.channel});
  const Bytes buffer = divide_up(schedule_.buffer_elements * element_bytes, machine_.burst) * machine_.burst;  // 19.9
  const int most = *std::max_element(to_receiver.begin(), to_receiver.end());
  in_hbm_ = buffer + most * machine_.slots * slot_stride() > machine_.tcm_capacity;
  if (in_hbm_)
    for (Queue& queue : queues_) queue.slots_at += buffer;
}

Time Collective::launch() {  // 19.13
  Time farthest = 0;
  for (std::size_t rank = 0; rank < schedule_.ranks.size(); ++rank)
    farthest = std::max(
        farthest, topology_.route(topology_.host(0), topology_.pe(static_cast<int>(rank)), Traffic::data).latency);
  return machine_.io_processor_latency + farthest;
}

std::int64_t Collective::steps() const {
  std::size_t most = 0;
  for (const auto& threads : schedule_.ranks) {
    std::size_t steps = 0;
    for (const Thread& thread : threads) steps += thread.size();
    most = std::max(most, steps);
  }
  return static_cast<std::int64_t>(most);
}

Bytes Collective::link_bytes() {
  Bytes sum = 0;
  for (std::size_t l = 0; l < topology_.links().size(); ++l) sum += system_.network().bytes(static_cast<int>(l));
  return sum;
}

Time Collective::run() {
  for (std::size_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
    int number = 0;
    for (const Thread& thread : schedule_.ranks[rank]) {
      Runner& runner = runners_.emplace_back();
      runner.rank = static_cast<int>(rank);
      runner.number = number++;
      runner.steps = &thread;
      runners_of_[rank].push_back(&runner);
    }
  }
  running_ = runners_.size();
  for (Runner& runner : runners_) calendar_.at(0, [this, &runner] { next_step(runner); });
  calendar_.run();
  if (running_ > 0) throw std::runtime_error("deadlock");
  return end_;
}

// --- threads (19.11) ---

void Collective::next_step(Runner& runner) {
  end_ = std::max(end_, calendar_.now());
  if (runner.next == runner.steps->size()) {
    --running_;
    return;
  }
  system_.pe(runner.rank).control.ask(runner.number, machine_.control_latency, [this, &runner] { do_step(runner); });
}

void Collective::do_step(Runner& runner) {
  const Step& step = (*runner.steps)[runner.next];
  if (step.kind == StepKind::send) {
    send(queues_[step.queue], step.range);
    ++runner.next;
    next_step(runner);
  } else if (step.kind == StepKind::copy) {
    in_hbm_ ? begin_copy_in_hbm(runner, step) : begin_copy(runner);
  } else {
    begin_taking(runner, step);
  }
}

void Collective::begin_copy(Runner& runner) {
  runner.is_to_copy = true;
  copy(runner);
}

void Collective::copy(Runner& runner) {
  if (in_hbm_) return copy_piece(runner);
  const Range& to = (*runner.steps)[runner.next].range;
  if (is_unread(runner.rank, to.begin * element_bytes, to.count * element_bytes)) return;  // has_left tries again
  runner.is_to_copy = false;
  const Time service = machine_.inline_consumer ? 0 : cycles(to.count);
  system_.pe(runner.rank).vector.ask(runner.number, service, [this, &runner] {
    ++runner.next;
    calendar_.at(calendar_.now() + result_latency(), [this, &runner] { next_step(runner); });
  });
}

// 19.18: pieces through TCM
void Collective::begin_copy_in_hbm(Runner& runner, const Step& step) {
  runner.pieces = pieces(step.range);
  runner.sources = pieces(step.from);
  runner.piece = runner.operands_asked = runner.operands_there = runner.results = 0;
  runner.is_to_copy = true;
  for (int ahead = 0; ahead < machine_.slots; ++ahead) read_to_copy(runner);
}

void Collective::read_to_copy(Runner& runner) {
  if (runner.operands_asked == runner.sources.size()) return;
  const auto number = static_cast<std::int64_t>(runner.operands_asked);
  const Piece& piece = runner.sources[runner.operands_asked++];
  system_.read(runner.rank, {Purpose::operand, behind_all_queues + runner.number, number}, topology_.hbm(runner.rank),
               piece.address, piece.bytes, [this, &runner] {
                 ++runner.operands_there;
                 copy_piece(runner);
               });
}

void Collective::copy_piece(Runner& runner) {
  if (!runner.is_to_copy || runner.operands_there <= runner.piece) return;
  const Piece piece = runner.pieces[runner.piece];
  if (is_unread(runner.rank, piece.address, piece.bytes)) return;  // has_left tries again
  runner.is_to_copy = false;
  const Time service = machine_.inline_consumer ? 0 : cycles(piece.bytes / element_bytes);
  system_.pe(runner.rank).vector.ask(runner.number, service, [this, &runner, piece] {
    const auto number = static_cast<std::int64_t>(runner.piece++);
    read_to_copy(runner);
    const Time usable = calendar_.now() + result_latency();
    const auto written = [this, &runner, usable] {
      if (++runner.results < runner.pieces.size()) return;
      ++runner.next;
      calendar_.at(std::max(usable, calendar_.now()), [this, &runner] { next_step(runner); });
    };
    system_.write(runner.rank, {Purpose::result, behind_all_queues + runner.number, number}, piece.address, piece.bytes,
                  usable, written);
    if (runner.piece == runner.pieces.size()) return;
    runner.is_to_copy = true;
    copy_piece(runner);
  });
}

std::vector<Collective::Piece> Collective::pieces(const Range& range) const {  // 19.2
  std::vector<Piece> result;
  const Bytes end = range.end() * element_bytes;
  for (Bytes at = range.begin * element_bytes; at < end; at += machine_.slot_bytes)
    result.push_back({at, std::min(machine_.slot_bytes, end - at)});
  return result;
}

Time Collective::going_on(Time came) const {
  return machine_.poll ? divide_up(came, machine_.poll_interval) * machine_.poll_interval
                       : came + machine_.wake_latency;
}

// --- the sender (19.3, 19.5) ---

void Collective::send(Queue& queue, const Range& range) {
  sent_bytes_ += range.count * element_bytes;
  const bool idle = queue.outgoing.empty();
  Unread& unread = unread_[queue.sender];
  for (const Piece& piece : pieces(range)) queue.outgoing.push_back({piece, unread.insert({piece.address, piece})});
  if (idle) want_credit(queue);
}

void Collective::want_credit(Queue& queue) {
  while (!queue.outgoing.empty()) {
    if (queue.credits == 0) {
      queue.wants_credit = true;
      queue.came_for_credit = calendar_.now();
      return;
    }
    --queue.credits;
    submit(queue);
  }
}

void Collective::credit_arrives(Queue& queue) {
  ++queue.credits;
  if (!queue.wants_credit || queue.waking) return;
  const Time now = calendar_.now();
  queue.waking = true;
  calendar_.at(queue.came_for_credit == now ? now : going_on(now), [this, &queue] {
    queue.waking = queue.wants_credit = false;
    want_credit(queue);
  });
}

void Collective::submit(Queue& queue) {
  const auto [piece, unread] = queue.outgoing.front();
  queue.outgoing.pop_front();
  const std::int64_t number = queue.submitted++;
  const auto left = [this, rank = queue.sender, unread = unread] { has_left(rank, unread); };
  if (!in_hbm_) return post(queue, number, piece.bytes, left);
  system_.read(queue.sender, {Purpose::outgoing, queue.number, number}, topology_.hbm(queue.sender), piece.address,
               piece.bytes, [this, &queue, number, left, bytes = piece.bytes] {
                 left();
                 post(queue, number, bytes, nullptr);
               });
}

void Collective::post(Queue& queue, std::int64_t number, Bytes bytes, Calendar::Action left) {
  const int receiver = queue.receiver;
  const int destination = machine_.tier == Tier::tcm    ? topology_.pe(receiver)
                          : machine_.tier == Tier::sram ? topology_.sram_of(receiver)
                                                        : topology_.hbm(receiver);
  const Bytes slot = machine_.tier == Tier::hbm ? queue.slots_at + number % machine_.slots * slot_stride() : 0;
  system_.post(queue.sender, {Purpose::posted, queue.number, number}, destination, slot, bytes, std::move(left),
               [this, &queue, number, bytes] { landed(queue, number, bytes); });
}

// --- who overwrites what sends have still to read waits (19.16) ---

bool Collective::is_unread(int rank, Bytes address, Bytes bytes) const {
  const Unread& unread = unread_[rank];  // no piece is longer than a slot
  for (auto i = unread.upper_bound(address - machine_.slot_bytes); i != unread.end() && i->first < address + bytes; ++i)
    if (i->first + i->second.bytes > address) return true;
  return false;
}

void Collective::has_left(int rank, Unread::iterator piece) {
  unread_[rank].erase(piece);
  for (Runner* runner : runners_of_[rank]) {
    if (runner->is_to_copy) copy(*runner);
    ask_vector_unit(*runner);
  }
}

// --- the receiver (19.4, 19.6, 19.8, 19.9) ---

void Collective::landed(Queue& queue, std::int64_t number, Bytes bytes) {
  if (machine_.tier == Tier::tcm) return piece_arrives(queue);
  const bool sram = machine_.tier == Tier::sram;
  const int memory = sram ? topology_.sram_of(queue.receiver) : topology_.hbm(queue.receiver);
  const Bytes slot = sram ? 0 : queue.slots_at + number % machine_.slots * slot_stride();
  system_.read(queue.receiver, {Purpose::landed, queue.number, number}, memory, slot, bytes,
               [this, &queue] { piece_arrives(queue); });
}

void Collective::piece_arrives(Queue& queue) {
  ++queue.arrived;
  if (!queue.taker) return;
  Runner& runner = *queue.taker;
  queue.taker = nullptr;
  const Time now = calendar_.now();
  calendar_.at(queue.came_for_piece == now ? now : going_on(now), [this, &runner] { go_on(runner); });
}

void Collective::begin_taking(Runner& runner, const Step& step) {
  runner.reduces = step.kind == StepKind::reduce;
  runner.pieces = pieces(step.range);
  runner.piece = runner.operands_asked = runner.operands_there = runner.results = 0;
  want_piece(runner);
}

void Collective::want_piece(Runner& runner) {
  Queue& queue = queue_of(runner);
  runner.gone_on = false;
  if (in_hbm_ && runner.reduces) {  // what this piece and the following ones are added to
    const std::size_t until = std::min(runner.pieces.size(), runner.piece + machine_.slots);
    for (; runner.operands_asked < until; ++runner.operands_asked) {
      const Piece& piece = runner.pieces[runner.operands_asked];
      const auto number = queue.taken + static_cast<std::int64_t>(runner.operands_asked - runner.piece);
      system_.read(runner.rank, {Purpose::operand, queue.number, number}, topology_.hbm(runner.rank), piece.address,
                   piece.bytes, [this, &runner] {
                     ++runner.operands_there;
                     ask_vector_unit(runner);
                   });
    }
  }
  if (queue.arrived > queue.taken) return go_on(runner);
  queue.taker = &runner;
  queue.came_for_piece = calendar_.now();
}

void Collective::go_on(Runner& runner) {
  runner.gone_on = true;
  ask_vector_unit(runner);
}

void Collective::ask_vector_unit(Runner& runner) {
  if (!runner.gone_on) return;
  if (in_hbm_ && runner.reduces && runner.operands_there <= runner.piece) return;
  const Piece& piece = runner.pieces[runner.piece];
  if (is_unread(runner.rank, piece.address, piece.bytes)) return;  // has_left tries again
  runner.gone_on = false;
  const Time service = machine_.inline_consumer ? 0 : cycles(piece.bytes / element_bytes);
  system_.pe(runner.rank).vector.ask(runner.number, service, [this, &runner] { taken(runner); });
}

void Collective::taken(Runner& runner) {
  Queue& queue = queue_of(runner);
  const Time usable = calendar_.now() + result_latency();
  const std::int64_t number = queue.taken++;
  const Piece piece = runner.pieces[runner.piece++];
  const std::size_t count = runner.pieces.size();
  const auto usable_now = [this, &runner, count] {
    if (++runner.results < count) return;
    ++runner.next;
    next_step(runner);
  };
  system_.credit(queue.receiver, queue.sender, [this, &queue] { credit_arrives(queue); });
  if (in_hbm_)
    system_.write(runner.rank, {Purpose::result, queue.number, number}, piece.address, piece.bytes, usable, usable_now);
  else
    calendar_.at(usable, usable_now);
  if (runner.piece < count) want_piece(runner);
}

}  // namespace calc
