#include "sim/plan/collective/check.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "sim/plan/collective/message_channel.hpp"
#include "sim/plan/collective/reference.hpp"

namespace kernbench {

namespace {

using Value = std::uint64_t;
/// How far each thread of the whole collective had come, as far as the holder can know. Steps count from 1.
using KnownSteps = std::vector<std::int64_t>;

struct Message {
  std::vector<Value> values;
  KnownSteps known;
};

struct Thread {
  std::int32_t rank = 0;
  std::size_t number = 0;  ///< in its rank
  const CollectiveThread* steps = nullptr;
  std::size_t next = 0;
  KnownSteps known;
  [[nodiscard]] bool done() const { return next == steps->size(); }
};

/// The last step of one thread that read, or wrote, each element of its rank.
struct LastSteps {
  std::vector<std::int64_t> read;
  std::vector<std::int64_t> written;
};

RankBuffers<Value> random_buffers(const CollectiveSchedule& schedule, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  RankBuffers<Value> buffers(schedule.ranks.size(), std::vector<Value>(static_cast<std::size_t>(schedule.elements)));
  for (auto& buffer : buffers) {
    for (Value& value : buffer) value = random();
  }
  return buffers;
}

class Run {
 public:
  Run(const CollectiveSchedule& schedule, std::uint64_t seed)
      : schedule_(schedule), before_(random_buffers(schedule, seed)), buffers_(before_) {
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
      for (std::size_t number = 0; number < schedule.ranks[rank].size(); ++number) {
        threads_.push_back({static_cast<std::int32_t>(rank), number, &schedule.ranks[rank][number], 0, {}});
        last_.push_back(
            {std::vector<std::int64_t>(before_[rank].size()), std::vector<std::int64_t>(before_[rank].size())});
      }
    }
    for (Thread& thread : threads_) thread.known.resize(threads_.size());
  }

  std::string fault() {
    for (bool moved = true; moved && fault_.empty();) {
      moved = false;
      for (std::size_t t = 0; t < threads_.size() && fault_.empty(); ++t) {
        while (!threads_[t].done() && take_step(t)) moved = true;
      }
    }
    if (fault_.empty()) check_end();
    return fault_;
  }

 private:
  static std::string place(const Thread& thread) {
    return "rank " + std::to_string(thread.rank) + ", thread " + std::to_string(thread.number) + ", step " +
           std::to_string(thread.next);
  }
  [[nodiscard]] bool in_buffer(std::int64_t first, std::int64_t count) const {
    return first >= 0 && count > 0 && first <= schedule_.elements - count;
  }

  [[nodiscard]] std::string malformed(const CollectiveStep& step, std::int32_t rank) const {
    const std::int64_t from = step.kind == StepKind::kCopy ? step.from : 0;
    if (!in_buffer(step.first, step.count) || !in_buffer(from, step.count))
      return "a range outside the buffer, or empty";
    if (step.phase >= schedule_.phases.size()) return "a phase that has no name";
    const bool peer = step.peer >= 0 && step.peer < schedule_.size() && step.peer != rank;
    if (step.kind != StepKind::kCopy && !peer) return "a peer that is no other rank";
    return {};
  }

  /// False where the thread has to wait, or something is wrong.
  bool take_step(std::size_t t) {
    Thread& thread = threads_[t];
    const CollectiveStep& step = (*thread.steps)[thread.next];
    std::string wrong = malformed(step, thread.rank);
    if (wrong.empty() && step.kind != StepKind::kCopy) wrong = second_user(step, t);
    if (!wrong.empty()) return fail(thread, wrong);
    auto& buffer = buffers_[static_cast<std::size_t>(thread.rank)];
    const auto first = buffer.begin() + step.first;
    std::optional<Message> message;
    if (step.kind == StepKind::kReceive || step.kind == StepKind::kReduce) {
      auto& waiting = messages_[channel_of(thread.rank, step)];
      if (waiting.empty()) return false;
      message = std::move(waiting.front());
      waiting.pop_front();
      if (static_cast<std::int64_t>(message->values.size()) != step.count) {
        return fail(thread, "takes " + std::to_string(step.count) + " elements from a message of " +
                                std::to_string(message->values.size()));
      }
      for (std::size_t i = 0; i < thread.known.size(); ++i) {
        thread.known[i] = std::max(thread.known[i], message->known[i]);
      }
    }
    thread.known[t] = static_cast<std::int64_t>(thread.next) + 1;
    switch (step.kind) {
      case StepKind::kSend:
        if (!touch(t, {step.first, step.count}, false)) return false;
        messages_[channel_of(thread.rank, step)].push_back({{first, first + step.count}, thread.known});
        break;
      case StepKind::kReceive:
        if (!touch(t, {step.first, step.count}, true)) return false;
        std::ranges::copy(message->values, first);
        break;
      case StepKind::kReduce:
        if (!touch(t, {step.first, step.count}, true)) return false;
        std::transform(message->values.begin(), message->values.end(), first, first, std::plus<>{});
        break;
      case StepKind::kCopy: {
        if (!touch(t, {step.from, step.count}, false) || !touch(t, {step.first, step.count}, true)) return false;
        const auto from = buffer.begin() + step.from;
        const std::vector<Value> values(from, from + step.count);
        std::ranges::copy(values, first);
        break;
      }
    }
    ++thread.next;
    return true;
  }

  bool fail(const Thread& thread, const std::string& wrong) {
    fault_ = place(thread) + ": " + wrong;
    return false;
  }

  /// Says so where another thread of the rank uses this end of the step's channel.
  std::string second_user(const CollectiveStep& step, std::size_t t) {
    auto& users = step.kind == StepKind::kSend ? senders_ : receivers_;
    const auto [user, first] = users.emplace(channel_of(threads_[t].rank, step), t);
    return first || user->second == t ? "" : "a channel that another thread uses";
  }

  /// Notes that thread t reads or writes a range of its rank; false where another thread may do so at the same time.
  bool touch(std::size_t t, ElementRange range, bool writes) {
    const Thread& thread = threads_[t];
    const std::size_t first_of_rank = t - thread.number;
    const auto begin = static_cast<std::size_t>(range.first);
    const auto end = static_cast<std::size_t>(range.first + range.count);
    for (std::size_t other = first_of_rank; other < threads_.size() && threads_[other].rank == thread.rank; ++other) {
      const std::int64_t known = thread.known[other];
      for (std::size_t e = begin; other != t && e < end; ++e) {
        if (last_[other].written[e] > known || (writes && last_[other].read[e] > known)) {
          return fail(thread, "races with thread " + std::to_string(threads_[other].number) + " at element " +
                                  std::to_string(e));
        }
      }
    }
    auto& noted = writes ? last_[t].written : last_[t].read;
    std::fill(noted.begin() + range.first, noted.begin() + range.first + range.count, thread.known[t]);
    return true;
  }

  void check_end() {
    for (const Thread& thread : threads_) {
      if (!thread.done()) {
        fault_ = place(thread) + ": waits for ever";
        return;
      }
    }
    for (const auto& entry : messages_) {
      if (entry.second.empty()) continue;
      fault_ = "rank " + std::to_string(entry.first.receiver) + " leaves a message of rank " +
               std::to_string(entry.first.sender);
      return;
    }
    for (std::int32_t rank = 0; rank < schedule_.size(); ++rank) {
      const ElementRange result = defined_result(schedule_, rank);
      for (std::int64_t e = result.first; e < result.first + result.count; ++e) {
        if (buffers_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(e)] ==
            reference_value(schedule_, before_, rank, e)) {
          continue;
        }
        fault_ = "rank " + std::to_string(rank) + " ends with a wrong element " + std::to_string(e);
        return;
      }
    }
  }

  const CollectiveSchedule& schedule_;
  RankBuffers<Value> before_;
  RankBuffers<Value> buffers_;
  std::vector<Thread> threads_;
  std::vector<LastSteps> last_;  ///< by thread
  std::map<MessageChannel, std::deque<Message>> messages_;
  std::map<MessageChannel, std::size_t> senders_;
  std::map<MessageChannel, std::size_t> receivers_;
  std::string fault_;
};

}  // namespace

std::string schedule_fault(const CollectiveSchedule& schedule, std::uint64_t seed) {
  return Run(schedule, seed).fault();
}

}  // namespace kernbench
