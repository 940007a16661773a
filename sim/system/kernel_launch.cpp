#include "sim/system/kernel_launch.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "sim/base/capacity_error.hpp"
#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/system/waiting_ranks.hpp"

namespace kernbench {

namespace {

/// Says already which kernel, which rank, and when.
class KernelMisuse : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

/// Channels of groups have numbers that no kernel gives one.
constexpr std::int32_t kFirstOfGroups = 1 << 30;

std::string time_of(Picoseconds time) { return format_quantity(time.value, Dimension::kTime); }

}  // namespace

KernelLaunch::KernelLaunch(std::string name, KernelProgram program, std::vector<std::int32_t> pes)
    : name_(std::move(name)),
      program_(std::move(program)),
      pes_(std::move(pes)),
      ends_(pes_.size()),
      ended_(pes_.size()) {}

KernelLaunch::~KernelLaunch() = default;

void KernelLaunch::start(System& system) {
  system_ = &system;
  for (std::size_t rank = 0; rank < pes_.size(); ++rank) {
    ranks_.push_back(std::make_unique<KernelRank>(*this, system, static_cast<std::int32_t>(rank)));
  }
  for (const auto& rank : ranks_) {
    const bool runs = !only_ || rank->rank == *only_;
    ended_[static_cast<std::size_t>(rank->rank)] = !runs;
    if (runs) programs_.push_back(run(rank.get()));
  }
  running_ = static_cast<std::int64_t>(programs_.size());
  for (Process& program : programs_) program.start(system.calendar(), system.calendar().now());
}

Process KernelLaunch::run(KernelRank* rank) {
  try {
    Process program = program_(KernelPe(*rank));
    co_await program.finished();
  } catch (...) {
    rank->rethrow();
  }
  ends_[static_cast<std::size_t>(rank->rank)] = system_->calendar().elapsed();
  ended_[static_cast<std::size_t>(rank->rank)] = true;
  --running_;
}

Picoseconds KernelLaunch::end() const { return ends_.empty() ? Picoseconds{} : std::ranges::max(ends_); }

std::string KernelLaunch::channel_text(std::int32_t number) const {
  if (number < kFirstOfGroups) return "channel " + std::to_string(number);
  const MulticastGroup& group = groups_.at(static_cast<std::size_t>(number - kFirstOfGroups));
  return "channel " + std::to_string(group.channel) + " of its group of " + name_ranks(group.to);
}

std::string KernelLaunch::channel_name(const ChannelKey& key) const {
  const auto& [from, to, number] = key;
  const std::string ends = name_ + ": queue " + std::to_string(from) + " -> " + std::to_string(to);
  if (number >= kFirstOfGroups) return ends + " (" + channel_text(number) + ")";
  return ends + (number == 0 ? "" : " (" + std::to_string(number) + ")");
}

KernelLaunch::Channel& KernelLaunch::channel(std::int32_t from, std::int32_t to, std::int32_t number) {
  Channel& channel = channels_[{from, to, number}];
  if (!channel.queue) channel.queue = queue({from, {to}, number}, channel_name({from, to, number}));
  return channel;
}

std::int32_t KernelLaunch::channel_of(const MulticastGroup& group) {
  const auto known = std::ranges::find(groups_, group);
  const auto number = kFirstOfGroups + static_cast<std::int32_t>(known - groups_.begin());
  if (known != groups_.end()) return number;
  groups_.push_back(group);
  const std::shared_ptr<MessageQueue> made =
      queue(group, name_ + ": queue " + std::to_string(group.from) + " -> " + name_ranks(group.to) +
                       (group.channel == 0 ? "" : " (" + std::to_string(group.channel) + ")"));
  for (std::size_t receiver = 0; receiver < group.to.size(); ++receiver) {
    Channel& channel = channels_[{group.from, group.to[receiver], number}];
    channel.queue = made;
    channel.receiver = receiver;
  }
  return number;
}

std::shared_ptr<MessageQueue> KernelLaunch::queue(const MulticastGroup& group, const std::string& name) {
  const MachineSpec& machine = system_->machine();
  require_section(machine, "pe.message_queue", "a message between PEs");
  const MessageQueueSpec& spec = machine.pe.message_queue;
  const auto pe_of = [this](std::int32_t rank) { return pes_[static_cast<std::size_t>(rank)]; };
  const Bytes bytes = spec.slots * message_slot_stride(machine);
  std::vector<MessageSlots> receivers;
  for (const std::int32_t to : group.to) {
    const std::int32_t pe = pe_of(to);
    const std::int32_t node = system_->memory_node(pe, spec.tier);
    receivers.push_back(
        {.receiver = {system_->pe(pe), system_->pe_node(pe)},
         .node = node,
         .memory = system_->memory(pe, spec.tier),
         .fetch = spec.tier == MemoryTier::kTcm ? nullptr : &system_->route(pe, node),
         .address = system_->space(pe, spec.tier).allocate(bytes, "slots of " + name, machine.die.hbm.burst)});
  }
  return std::make_shared<MessageQueue>(MessageQueue::Context{
      .calendar = system_->calendar(),
      .network = system_->network(),
      .machine = machine,
      .sender = {system_->pe(pe_of(group.from)), system_->pe_node(pe_of(group.from))},
      .receivers = std::move(receivers),
      .values = system_->values() == nullptr ? nullptr : &system_->values()->clock(),
      .add =
          [](std::span<const float> held, std::span<float> received, Dtype dtype) {
            std::ranges::transform(held, received, received.begin(), std::plus<>());
            round_row(received, dtype);
          },
      .mover = {static_cast<std::int64_t>(group.from) * static_cast<std::int64_t>(pes_.size()) + group.to.front(),
                order()},
      .name = name});
}

KernelRank::KernelRank(KernelLaunch& the_launch, System& the_system, std::int32_t the_rank)
    : launch(the_launch),
      system(the_system),
      rank(the_rank),
      index(the_launch.pes_.at(static_cast<std::size_t>(the_rank))),
      pe(the_system.pe(index)) {}

std::string KernelRank::place() const {
  return launch.name_ + ", rank " + std::to_string(rank) + ", at " + time_of(system.calendar().elapsed()) + ": ";
}

void KernelRank::misuse(const std::string& message) const { throw KernelMisuse(place() + message); }

void KernelRank::rethrow() const {
  try {
    throw;
  } catch (const KernelMisuse&) {
    throw;
  } catch (const InvariantError&) {
    throw;  // no fault of the kernel's
  } catch (const CapacityError& error) {
    throw CapacityError(place() + error.what());
  } catch (const ConfigError& error) {
    throw ConfigError(place() + error.what());
  } catch (const OverflowError& error) {
    throw OverflowError(place() + error.what());
  } catch (const SimulationError& error) {
    throw SimulationError(place() + error.what());
  } catch (const std::exception& error) {
    throw SimulationError(place() + "the kernel throws an exception: " + error.what());
  }
}

std::int32_t KernelRank::peer(std::int32_t other, const char* call) const {
  if (other >= 0 && other < size() && other != rank) return other;
  misuse(std::string(call) + " names rank " + std::to_string(other) + ": expected another one of 0 to " +
         std::to_string(size() - 1));
}

MessagePlace KernelRank::place_of(const MatrixLayout& matrix, const char* call) const {
  if (!matrix.in_tcm() && matrix.memory != kOwnPartition) {
    misuse(std::string(call) +
           " of a matrix in another memory: expected one in TCM or in the own partition; load it first");
  }
  ValueStore* const store = system.values() == nullptr ? nullptr : &store_of(matrix);
  return {.in_hbm = !matrix.in_tcm(), .address = matrix.base, .store = store, .dtype = matrix.dtype};
}

ValueStore& KernelRank::store_of(const MatrixLayout& matrix) const { return pe.values()->memory(matrix.memory); }

Completion& KernelRank::begun(const std::string& what) {
  return begun_.emplace_back(system.calendar(), std::string(pe.name()) + ": " + what);
}

MatrixLayout KernelRank::shape(std::int64_t rows, std::int64_t columns) const {
  if (rows < 1 || columns < 1) {
    misuse("room for a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
           " elements is asked for: expected at least one");
  }
  if (saturating_multiply(saturating_multiply(rows, columns), kElementBytes) == INT64_MAX) {
    misuse("room for a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
           " elements is asked for: expected less than 2^63 bytes");
  }
  return {Layout::kRowMajor, rows, columns, rows, columns, 0, system.machine().die.hbm.burst};
}

MessageQueue& KernelRank::sending(const MatrixLayout& matrix, std::int32_t to, std::int32_t channel) {
  KernelLaunch::Channel& of = launch.channel(rank, to, channel);
  ++of.sends;
  if (of.awaited.empty()) {
    of.sent.push_back(matrix);
  } else {
    expect_alike_sides(matrix, of.awaited.front(),
                       "send to rank " + std::to_string(to) + " on " + launch.channel_text(channel));
    of.awaited.pop_front();
  }
  return *of.queue;
}

KernelLaunch::Channel& KernelRank::receiving(const MatrixLayout& matrix, std::int32_t from, std::int32_t channel) {
  KernelLaunch::Channel& of = launch.channel(from, rank, channel);
  if (of.sent.empty()) {
    of.awaited.push_back(matrix);
  } else {
    expect_alike_sides(of.sent.front(), matrix,
                       "receive from rank " + std::to_string(from) + " on " + launch.channel_text(channel));
    of.sent.pop_front();
  }
  return of;
}

std::int32_t KernelRank::channel_of(const MulticastGroup& group, Side side, const char* call) {
  const std::string where = std::string(call) + " of a group: ";
  std::vector<std::int32_t> all = group.to;
  all.push_back(group.from);
  std::ranges::sort(all);
  if (group.to.empty() || all.front() < 0 || all.back() >= size()) {
    misuse(where + "it names no receiver, or a rank that is none: expected some of 0 to " + std::to_string(size() - 1));
  }
  if (const auto twice = std::ranges::adjacent_find(all); twice != all.end()) {
    misuse(where + "it names rank " + std::to_string(*twice) + " twice: expected a sender, and each receiver once");
  }
  if (side == Side::kSender ? group.from != rank : std::ranges::find(group.to, rank) == group.to.end()) {
    misuse(where + "rank " + std::to_string(group.from) + " sends, " + name_ranks(group.to) +
           " receive: expected this rank among the " + (side == Side::kSender ? "former" : "latter"));
  }
  return launch.channel_of(group);
}

MatrixLayout& KernelRank::barrier_elements() {
  if (!barrier_) {
    const Bytes burst = system.machine().die.hbm.burst;
    const Address address = pe.tcm_space().allocate(2 * kElementBytes, "a barrier's elements", burst);
    barrier_ = std::make_unique<MatrixLayout>(MatrixLayout{Layout::kRowMajor, 1, 1, 1, 1, address, burst, kOwnTcm});
    if (system.values() != nullptr) store_of(*barrier_).set(address, 0.0F);
  }
  return *barrier_;
}

}  // namespace kernbench
