// Runs the threads of every rank: sends, receives, reductions and copies on the PEs' own engines (adr/0019).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sim/plan/collective/message_channel.hpp"
#include "sim/plan/collective/schedule.hpp"
#include "sim/system/collective/rank_values.hpp"
#include "sim/system/system.hpp"

namespace kernbench {

class CollectiveExecutor {
 public:
  /// Rank r runs on the system's PE r. Makes the message queues that the schedule uses. Throws ConfigError where ranks,
  /// queues or buffers do not fit the machine.
  CollectiveExecutor(System& system, const CollectiveSchedule& schedule, RankValues& values);

  /// Puts every thread of every rank on the calendar, now.
  void start();

  [[nodiscard]] bool done() const { return running_ == 0; }
  /// End of the last step of the last rank.
  [[nodiscard]] Picoseconds end() const { return end_; }
  /// By phase of the schedule.
  [[nodiscard]] const std::vector<Picoseconds>& phase_ends() const { return phase_ends_; }
  /// The buffers did not fit in TCM beside the queues.
  [[nodiscard]] bool in_hbm() const { return in_hbm_; }

 private:
  void plan_memory();
  void make_queues();
  MessageQueue& queue(const MessageChannel& channel);
  Process run(std::int32_t rank, std::int64_t number, const CollectiveThread* thread);
  [[nodiscard]] HbmAddress address(std::int64_t element) const;

  System& system_;
  const CollectiveSchedule& schedule_;
  RankValues& values_;
  bool in_hbm_ = false;
  std::vector<std::int64_t> incoming_;  // queues of each rank
  std::map<MessageChannel, std::unique_ptr<MessageQueue>> queues_;
  std::vector<Process> threads_;
  std::int64_t running_ = 0;
  Picoseconds end_{};
  std::vector<Picoseconds> phase_ends_;
};

}  // namespace kernbench
