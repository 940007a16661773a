// How a run that repeats itself is recognised, and counted on without being simulated (adr/0047).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim/base/checked.hpp"
#include "sim/base/units.hpp"

namespace kernbench {

/// Loops that stand one in the other; each may repeat itself.
inline constexpr std::size_t kRepeatedLoops = 3;

/// Has sums of what a run does that a plain counter does not hold.
class Repeated {
 public:
  Repeated() = default;
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;
  virtual ~Repeated() = default;
  /// Keeps its sums at the beginning of a turn of a loop.
  virtual void remember(std::size_t loop) = 0;
  /// Of how many further turns it can tell what they add, and of any multiple of it; 0: of none.
  [[nodiscard]] virtual std::int64_t repeats(std::size_t loop) = 0;
  /// After how many further turns, at most, it is still as it was in the last.
  [[nodiscard]] virtual std::int64_t most_repeats(std::size_t /*loop*/) { return INT64_MAX; }
  /// What has come since then comes `times` times more, a multiple of that; each turn has taken `turn`.
  virtual void repeat(std::size_t loop, std::int64_t times, Picoseconds turn) = 0;
};

/// All that a run counts, and a digest of all that it does, at which time from the present one.
class Repetition {
 public:
  // What happens, in its order. Two turns of a loop with the same notes leave the same state behind (47.3).
  void note(std::uint64_t what) { digest_ = mixed(digest_, what); }
  /// Something is known now to happen so much later, or to have happened so much earlier.
  void note(Picoseconds ahead) {
    note(static_cast<std::uint64_t>(ahead.value));
    if (ahead > reach_) reach_ = ahead;
  }
  /// The farthest that anything has been known ahead.
  [[nodiscard]] Picoseconds reach() const { return reach_; }
  /// `note_state` notes what somebody keeps that nothing tells when it is made; called with each digest.
  void ask(std::function<void()> note_state) { states_.push_back(std::move(note_state)); }
  /// Of the notes since the last call.
  std::uint64_t take_digest() {
    for (const auto& note_state : states_) note_state();
    const std::uint64_t digest = digest_;
    digest_ = 0;
    return digest;
  }
  [[nodiscard]] static std::uint64_t mixed(std::uint64_t digest, std::uint64_t what) {
    digest = (digest ^ what) * 0x9E3779B97F4A7C15U;
    return digest ^ (digest >> 29U);
  }

  // What is counted; both stay where they are.
  void count(std::int64_t& counter) { counters_.push_back({&counter, {}}); }
  void count(Repeated& sums) { sums_.push_back(&sums); }

  /// `now` is the calendar's.
  void remember(std::size_t loop, Picoseconds now);
  /// Counts on by up to `times` turns of what has come since remember(): as many as all sums can tell of. Returns how
  /// many these are.
  std::int64_t repeat(std::size_t loop, std::int64_t times, Picoseconds now);
  /// That the calendar has not gone through.
  [[nodiscard]] Picoseconds passed_over() const { return passed_over_; }

 private:
  struct Counter {
    std::int64_t* value = nullptr;
    std::array<std::int64_t, kRepeatedLoops> before{};
  };

  std::uint64_t digest_ = 0;
  Picoseconds reach_{};
  std::vector<std::function<void()>> states_;
  std::vector<Counter> counters_;
  std::vector<Repeated*> sums_;
  Picoseconds passed_over_{};
  std::array<Picoseconds, kRepeatedLoops> before_{};  ///< simulated times
};

}  // namespace kernbench
