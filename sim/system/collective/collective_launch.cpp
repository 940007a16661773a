#include "sim/system/collective/collective_launch.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "sim/base/capacity_error.hpp"
#include "sim/base/checked.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/units.hpp"
#include "sim/hw/message/buffer_copy.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/system/waiting_ranks.hpp"

namespace kernbench {

namespace {

std::string size(Bytes bytes) { return format_quantity(bytes, Dimension::kBytes); }

/// Queues that lead to the rank that has most.
std::int64_t most_queues(const CollectiveSchedule& schedule) {
  std::vector<std::int64_t> incoming(schedule.ranks.size());
  std::set<MessageChannel> channels;
  for (std::int32_t rank = 0; rank < schedule.size(); ++rank) {
    for (const CollectiveThread& thread : schedule.ranks[static_cast<std::size_t>(rank)]) {
      for (const CollectiveStep& step : thread) {
        if (step.kind != StepKind::kSend || !channels.insert(channel_of(rank, step)).second) continue;
        ++incoming.at(static_cast<std::size_t>(step.peer));
      }
    }
  }
  return incoming.empty() ? 0 : *std::ranges::max_element(incoming);
}

}  // namespace

Bytes message_slots(std::int64_t queues, const MachineSpec& machine) {
  const Bytes slots = saturating_multiply(machine.pe.message_queue.slots, message_slot_stride(machine));
  return saturating_multiply(queues, slots);
}

Bytes message_slots(const CollectiveSchedule& schedule, const MachineSpec& machine) {
  return message_slots(most_queues(schedule), machine);
}

bool leaves_tcm(std::int64_t elements, Bytes taken, const MachineSpec& machine) {
  const Bytes burst = machine.die.hbm.burst;  // slots are laid behind the buffer at the next one
  const Bytes buffer = saturating_multiply(elements, kElementBytes);
  return saturating_multiply(ceil_div(buffer, burst), burst) > machine.pe.tcm.capacity - taken;
}

CollectiveLaunch::CollectiveLaunch(const CollectiveSchedule& schedule, RankValues& values, Bytes reserved, Rail rail,
                                   RankGates* gates)
    : schedule_(schedule),
      values_(values),
      reserved_(reserved),
      rail_(rail),
      gates_(gates),
      phase_ends_(schedule.phases.size()) {}

void CollectiveLaunch::plan_memory(const System& system) {
  const MachineSpec& machine = system.machine();
  require_section(machine, "pe.message_queue", "a collective");
  if (schedule_.size() > system.pes() / rail_.stride()) {
    throw CapacityError("the collective has " + std::to_string(schedule_.size()) + " ranks" +
                        (rail_.stride() == 1 ? "" : " of " + std::to_string(rail_.stride()) + " PEs") + "; machine " +
                        machine.name + " has " + std::to_string(system.pes()) + " PEs");
  }
  const MessageQueueSpec& queues = machine.pe.message_queue;
  const Bytes buffer = saturating_multiply(schedule_.elements, kElementBytes);
  const std::int64_t most = most_queues(schedule_);
  const Bytes slots = message_slots(most, machine);
  const auto refuse = [&](const std::string& memory, Bytes needed, Bytes capacity) {
    throw CapacityError("pe.message_queue: " + std::to_string(most) + " queues of " + std::to_string(queues.slots) +
                        " slots of " + size(queues.slot) + " for a PE do not fit in its " + memory +
                        ": expected at most " + size(capacity) + ", got " + size(needed) +
                        "; take fewer or smaller slots, or another algorithm");
  };
  // A slot in another memory is brought into TCM before it is used: the TCM has room for all of them in any case.
  if (slots > machine.pe.tcm.capacity) refuse("TCM", slots, machine.pe.tcm.capacity);
  const std::int64_t sharers = machine.die.routers.count();
  if (queues.tier == MemoryTier::kSram && slots > machine.die.sram.capacity / sharers) {
    refuse("share of the die's SRAM", slots, machine.die.sram.capacity / sharers);
  }
  in_hbm_ = leaves_tcm(schedule_.elements, slots + reserved_, machine);
  const std::int64_t in_one = machine.die.hbm.shared() ? std::min<std::int64_t>(ranks_, sharers) : 1;
  const Bytes left_by_slots = hbm_capacity(machine.die) - (queues.tier == MemoryTier::kHbm ? slots : 0);
  if ((in_hbm_ ? saturating_multiply(buffer, in_one) : 0) > left_by_slots) {
    throw CapacityError(
        "a buffer of " + size(buffer) + " a rank" + rail_.text() + " fits neither in pe.tcm.capacity, " +
        size(machine.pe.tcm.capacity) + ", nor in " +
        (in_one == 1 ? "die.hbm.capacity, " : std::to_string(in_one) + " of them in the HBM that PEs share, ") +
        size(hbm_capacity(machine.die)));
  }
}

void CollectiveLaunch::make_queues(System& system) {
  queues_.resize(schedule_.ranks.size());
  for (std::int32_t sender = 0; sender < ranks_; ++sender) {
    std::vector<Outgoing>& outgoing = queues_[static_cast<std::size_t>(sender)];
    for (const CollectiveThread& thread : schedule_.ranks[static_cast<std::size_t>(sender)]) {
      for (const CollectiveStep& step : thread) {
        if (step.kind != StepKind::kSend) continue;
        const MessageChannel channel = channel_of(sender, step);
        const auto place = find(channel);
        if (place != outgoing.end() && place->channel == channel) continue;
        outgoing.insert(place, {channel, std::make_unique<MessageQueue>(context_of(system, channel))});
        ++queues_made_;
      }
    }
  }
}

MessageQueue::Context CollectiveLaunch::context_of(System& system, const MessageChannel& channel) const {
  const MachineSpec& machine = system.machine();
  const MemoryTier tier = machine.pe.message_queue.tier;
  const Bytes slots = machine.pe.message_queue.slots * message_slot_stride(machine);
  const std::int32_t from = rail_.pe(channel.sender);
  const std::int32_t named = rail_.pe(channel.receiver);
  const std::int32_t to = rail_.pe(simulated(channel.receiver));
  const std::int32_t slot_node = system.memory_node(named, tier);
  return {.calendar = system.calendar(),
          .network = system.network(),
          .machine = machine,
          .sender = {system.pe(from), system.pe_node(from)},
          .receivers = {{.receiver = {system.pe(to), system.pe_node(named)},
                         .node = slot_node,
                         .memory = system.memory(to, tier),
                         .fetch = tier != MemoryTier::kTcm ? &system.route(to, slot_node) : nullptr,
                         .address = system.space(to, tier).allocate(slots, "slots of a message queue",
                                                                    machine.die.hbm.burst)}},
          .values = system.values() == nullptr ? nullptr : &system.values()->clock(),
          .add = values_.add(),
          .mover = {queues_made_, order()},
          .name = "queue " + std::to_string(channel.sender) + " -> " + std::to_string(channel.receiver) + " (" +
                  std::to_string(channel.channel) + ")" + rail_.text()};
}

std::vector<CollectiveLaunch::Outgoing>::iterator CollectiveLaunch::find(const MessageChannel& channel) {
  return std::ranges::lower_bound(queues_[static_cast<std::size_t>(channel.sender)], channel, {}, &Outgoing::channel);
}

MessageQueue& CollectiveLaunch::queue(MessageChannel channel) {
  const std::int32_t turned = channel.sender - simulated(channel.sender);
  channel.sender -= turned;
  channel.receiver = (channel.receiver - turned + schedule_.size()) % schedule_.size();
  const auto found = find(channel);
  if (found == queues_[static_cast<std::size_t>(channel.sender)].end() || found->channel != channel) {
    throw SimulationError("rank " + std::to_string(channel.receiver) + rail_.text() + " receives from rank " +
                          std::to_string(channel.sender) + " on channel " + std::to_string(channel.channel) +
                          ", where nothing is ever sent");
  }
  return *found->queue;
}

MessagePlace CollectiveLaunch::place(std::int32_t rank, std::int64_t element) const {
  const auto index = static_cast<std::size_t>(rank);
  return {in_hbm_, bases_[index] + element * kElementBytes, stores_[index], scoreboards_[index].get()};
}

std::string CollectiveLaunch::what() const {
  const std::int32_t packages = ranks_ == 0 ? 1 : schedule_.size() / ranks_;
  return "the collective" + rail_.text() +
         (packages == 1 ? "" : " (one package, and " + std::to_string(packages - 1) + " like it)");
}

void CollectiveLaunch::start(System& system) {
  system_ = &system;
  plan_memory(system);
  ranks_ = system.one_package() ? system.pes_simulated() : schedule_.size();
  const MemoryTier tier = in_hbm_ ? MemoryTier::kHbm : MemoryTier::kTcm;
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    const Bytes bytes = schedule_.elements * kElementBytes;
    const std::int32_t pe = rail_.pe(rank);
    bases_.push_back(system.space(pe, tier).allocate(bytes, "a rank's buffer", system.machine().die.hbm.burst));
    stores_.push_back(system.store(pe, tier));
    values_.place(rank, stores_.back(), bases_.back());
    scoreboards_.push_back(
        std::make_unique<Scoreboard>(system.calendar(), "buffer of rank " + std::to_string(rank) + rail_.text()));
  }
  make_queues(system);
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    std::int64_t number = 0;
    for (const CollectiveThread& thread : schedule_.ranks[static_cast<std::size_t>(rank)]) {
      const std::int64_t own = number++;
      if (!thread.empty()) threads_.push_back({.rank = rank, .number = own, .steps = &thread});
    }
  }
  for (Thread& thread : threads_) {
    thread.process = run(&thread);
    thread.process.start(system.calendar(), system.calendar().now());
  }
  running_ = static_cast<std::int64_t>(threads_.size());
}

Task<Picoseconds> CollectiveLaunch::copy(std::int32_t rank, Asker asker, CollectiveStep step) {
  Pe& pe = system_->pe(rail_.pe(rank));
  const MessagePlace to = place(rank, step.first);
  const Bytes bytes = step.count * kElementBytes;
  if (in_hbm_) {
    ValueClock* values = system_->values() == nullptr ? nullptr : &system_->values()->clock();
    co_return co_await copy_in_hbm({pe, system_->machine(), values, place(rank, step.from), to, bytes, asker});
  }
  co_await to.scoreboard->clear(to.address, bytes);
  pe.count_received(to.piece(0, bytes), 1);
  if (system_->machine().pe.message_queue.consumer == SlotConsumer::kVectorUnit) {
    co_await pe.vector().process(step.count, asker);
    co_await pe.calendar().until(pe.now() + pe.vector().latency());
  }
  if (system_->values() != nullptr) system_->values()->clock().settle();
  values_.copy(rank, step.first, step.from, step.count, pe.now());
  co_return pe.now();
}

std::string CollectiveLaunch::waiting() const {
  std::vector<WaitingRank> waiting;
  for (const Thread& thread : threads_) {
    if (thread.waits_for == nullptr) continue;
    const CollectiveStep& step = *thread.waits_for;
    const std::string since = "since " + format_quantity(thread.since.value, Dimension::kTime) + " in " +
                              (step.kind == StepKind::kReduce ? "reduce" : "receive") + " from ";
    const std::string rest = " on channel " + std::to_string(step.channel) + ", elements " +
                             std::to_string(step.first) + " to " + std::to_string(step.first + step.count - 1) +
                             ", thread " + std::to_string(thread.number);
    waiting.push_back({thread.rank, system_->pe_name(rail_.pe(thread.rank)),
                       since + "rank " + std::to_string(step.peer) + rest,
                       since + name_relative(step.peer, thread.rank, schedule_.size()) + rest});
  }
  return describe_waiting(what(), waiting);
}

Process CollectiveLaunch::run(Thread* thread) {
  const std::int32_t rank = thread->rank;
  Pe& pe = system_->pe(rail_.pe(rank));
  const Asker asker{.thread = thread->number, .launch = order()};
  if (gates_ != nullptr) co_await gates_->opened(rank).wait();
  for (const CollectiveStep& step : *thread->steps) {
    co_await pe.control_call(asker);
    const Bytes bytes = step.count * kElementBytes;
    switch (step.kind) {
      case StepKind::kSend:
        queue(channel_of(rank, step)).send(bytes, place(rank, step.first));
        break;
      case StepKind::kReceive:
      case StepKind::kReduce: {
        const auto landing = step.kind == StepKind::kReduce ? Landing::kAdd : Landing::kReplace;
        thread->since = pe.now();
        thread->waits_for = &step;
        co_await queue(channel_of(rank, step))
            .receiver()
            .receive(bytes, landing, place(rank, step.first), {.thread = thread->number});
        thread->waits_for = nullptr;
        break;
      }
      case StepKind::kCopy:
        co_await copy(rank, asker, step);
        break;
    }
    Picoseconds& phase_end = phase_ends_.at(step.phase);
    phase_end = std::max(phase_end, pe.now());
  }
  end_ = std::max(end_, pe.now());
  --running_;
  if (gates_ != nullptr) gates_->thread_ended(rank);
}

}  // namespace kernbench
