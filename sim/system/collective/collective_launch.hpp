// Runs the threads of every rank: sends, receives, reductions and copies on the PEs' own engines (adr/0019).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/engine/completion.hpp"
#include "sim/plan/collective/message_channel.hpp"
#include "sim/plan/collective/rails.hpp"
#include "sim/plan/collective/schedule.hpp"
#include "sim/system/collective/rank_values.hpp"
#include "sim/system/launch.hpp"

namespace kernbench {

/// Bytes of slots that lead to the PE with most queues.
[[nodiscard]] Bytes message_slots(const CollectiveSchedule& schedule, const MachineSpec& machine);
/// Bytes of the slots of so many queues.
[[nodiscard]] Bytes message_slots(std::int64_t queues, const MachineSpec& machine);
/// Whether a rank's buffer of so many elements lies in HBM where so many bytes of its TCM are taken (19.9).
[[nodiscard]] bool leaves_tcm(std::int64_t elements, Bytes taken, const MachineSpec& machine);

/// When the ranks of a collective may begin, and who is told of their ends (41.6).
class RankGates {
 public:
  RankGates() = default;
  RankGates(const RankGates&) = delete;
  RankGates& operator=(const RankGates&) = delete;
  virtual ~RankGates() = default;
  /// The threads of the rank wait for it before their first step. A launch whose rank has no step waits for nothing.
  virtual Completion& opened(std::int32_t rank) = 0;
  /// A thread of the rank has ended its last step, now.
  virtual void thread_ended(std::int32_t rank) = 0;
};

class CollectiveLaunch : public Launch {
 public:
  /// Rank r runs on the machine's PE rail.pe(r). Buffers lie in TCM where they fit beside the queues and the `reserved`
  /// bytes that others take of it (19.9), else in HBM. Without gates all ranks begin with the launch. Schedule, values
  /// and gates outlive the launch.
  CollectiveLaunch(const CollectiveSchedule& schedule, RankValues& values, Bytes reserved = 0, Rail rail = {},
                   RankGates* gates = nullptr);

  /// Makes the message queues that the schedule uses, and puts every thread of every rank on the calendar, now. Throws
  /// ConfigError where ranks, queues or buffers do not fit the machine.
  void start(System& system) override;
  [[nodiscard]] bool done() const override { return running_ == 0; }
  /// End of the last step of the last rank.
  [[nodiscard]] Picoseconds end() const override { return end_; }
  [[nodiscard]] std::string what() const override;
  [[nodiscard]] std::string waiting() const override;
  /// By phase of the schedule.
  [[nodiscard]] const std::vector<Picoseconds>& phase_ends() const { return phase_ends_; }
  /// The buffers did not fit in TCM beside the queues.
  [[nodiscard]] bool in_hbm() const { return in_hbm_; }

 private:
  void plan_memory(const System& system);
  /// A thread of a rank.
  struct Thread {
    std::int32_t rank = 0;
    std::int64_t number = 0;  ///< in its rank
    const CollectiveThread* steps = nullptr;
    /// What it waits for, where it receives.
    const CollectiveStep* waits_for = nullptr;
    Picoseconds since{};
    Process process{};
  };
  /// A queue that leads from a rank.
  struct Outgoing {
    MessageChannel channel;
    std::unique_ptr<MessageQueue> queue;
  };

  void make_queues(System& system);
  [[nodiscard]] MessageQueue::Context context_of(System& system, const MessageChannel& channel) const;
  /// Where the queue is among those from its sender, or would be.
  [[nodiscard]] std::vector<Outgoing>::iterator find(const MessageChannel& channel);
  MessageQueue& queue(MessageChannel channel);
  /// The rank that does what `rank` does: itself, or the one of the package that stands for all (adr/0062).
  [[nodiscard]] std::int32_t simulated(std::int32_t rank) const { return rank % ranks_; }
  Process run(Thread* thread);
  Task<Picoseconds> copy(std::int32_t rank, Asker asker, CollectiveStep step);
  [[nodiscard]] MessagePlace place(std::int32_t rank, std::int64_t element) const;

  System* system_ = nullptr;
  const CollectiveSchedule& schedule_;
  RankValues& values_;
  Bytes reserved_;  // of each TCM
  Rail rail_;
  RankGates* gates_;
  bool in_hbm_ = false;
  std::int32_t ranks_ = 0;                                // that are simulated
  std::vector<Address> bases_;                            // of the ranks' buffers
  std::vector<ValueStore*> stores_;                       // in runs that carry values: that hold them
  std::vector<std::unique_ptr<Scoreboard>> scoreboards_;  // of the ranks' buffers
  std::vector<std::vector<Outgoing>> queues_;             // by sender; in order
  std::int64_t queues_made_ = 0;
  std::vector<Thread> threads_;
  std::int64_t running_ = 0;
  Picoseconds end_{};
  std::vector<Picoseconds> phase_ends_;
};

}  // namespace kernbench
