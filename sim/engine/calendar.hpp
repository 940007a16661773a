// The simulation's calendar: resumes coroutine processes in order of (time, phase, sequence) and runs ahead of
// SystemC's clock for as long as SystemC itself has nothing to do (adr/0001-engine.md).
#pragma once

#include <algorithm>
#include <bit>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <string>
#include <systemc>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/units.hpp"
#include "sim/engine/repetition.hpp"
#include "sim/engine/time_queue.hpp"

namespace kernbench {

/// Order of wake-ups at one instant: every normal wake-up, those it causes at the same instant included, precedes every
/// choosing one, and these every yielding one. A unit that several may ask at one instant chooses among them in phase
/// kChoosing; a requester that loses ties against another waits in phase kYielding.
enum class Phase : std::uint8_t { kNormal = 0, kChoosing = 1, kYielding = 2 };

/// Later than any wake-up: one scheduled for it, or for later, is an overflow when its turn comes (2.5). Two bits of a
/// wake-up's key are its phase.
inline constexpr Picoseconds kForever{INT64_MAX >> 1};

/// The run has passed its time limit, at now().
class TimeLimitError : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

/// Something a process can wait on. It registers with the calendar so that a deadlock can say who waits for what.
class Waitable {
 public:
  Waitable() = default;
  Waitable(const Waitable&) = delete;
  Waitable& operator=(const Waitable&) = delete;
  virtual ~Waitable() = default;
  /// "NAME: what is missing", or empty when nobody waits whose work is not done.
  [[nodiscard]] virtual std::string waiting() const = 0;
};

class Calendar : public sc_core::sc_module, private Repeated {
  SC_HAS_PROCESS(Calendar);

 public:
  explicit Calendar(const sc_core::sc_module_name& name);

  [[nodiscard]] Picoseconds now() const { return now_; }
  /// Since the start of the run: now(), and what has been passed over (adr/0047).
  [[nodiscard]] Picoseconds elapsed() const { return now_ + passed_over(); }
  [[nodiscard]] Picoseconds passed_over() const {
    return repetition_ == nullptr ? Picoseconds{} : repetition_->passed_over();
  }

  /// Resumes `process` at `at`, which must not lie in the past. Calls of a program are coroutines of their own, each
  /// elsewhere: what may be one is noted (adr/0047) `as` a number that says which unit resumes it.
  void schedule(std::coroutine_handle<> process, Picoseconds at, Phase phase = Phase::kNormal, std::uintptr_t as = 0);

  /// Awaitable: the process goes on at `at`, or at once, without a wake-up, when that is not in the future.
  [[nodiscard]] auto until(Picoseconds at) { return Until{*this, at}; }
  [[nodiscard]] auto delay(Picoseconds duration) { return Until{*this, now_ + duration}; }

  /// Notifies a SystemC event at calendar time `at` >= now(); the calendar does not run past it before SystemC acted.
  void notify(sc_core::sc_event& event, Picoseconds at);

  /// From now on foreign modules only answer: a run ends when nothing of ours is left to happen and no answer is owed,
  /// although they go on, as a clock does.
  void end_when_idle() { ends_when_idle_ = true; }
  /// A foreign module was asked for something, or has answered.
  void owe() { ++owed_; }
  void settle() { --owed_; }

  /// Runs until nothing is left to do. Rethrows what a process threw. Throws TimeLimitError past `limit`.
  void run(Picoseconds limit = kForever);

  [[nodiscard]] std::int64_t wakeups() const { return wakeups_; }

  /// From now on all that happens is noted there, and all that is counted may be counted on (adr/0047).
  void follow(Repetition& repetition) {
    repetition_ = &repetition;
    repetition.count(wakeups_);
    repetition.count(*this);
  }
  /// Null: nobody asks.
  [[nodiscard]] Repetition* repetition() { return repetition_; }
  /// Something is known now to happen at `at`.
  void note(Picoseconds at) {
    if (repetition_ != nullptr) [[unlikely]]
      repetition_->note(at - now_);
  }

  void enroll(const Waitable& waitable) { waitables_.push_back(&waitable); }
  /// One line for each Waitable that somebody waits on whose work is not done.
  [[nodiscard]] std::string describe_waiting() const;

 private:
  struct Until {
    Calendar& calendar;
    Picoseconds at;
    [[nodiscard]] bool await_ready() const { return at <= calendar.now_; }
    void await_suspend(std::coroutine_handle<> process) const { calendar.schedule(process, at); }
    void await_resume() const {}
  };

  void note(std::uintptr_t process, Picoseconds at, Phase phase);
  void remember(std::size_t /*loop*/) override {}
  [[nodiscard]] std::int64_t repeats(std::size_t /*loop*/) override { return 1; }
  void repeat(std::size_t loop, std::int64_t times, Picoseconds turn) override;
  [[noreturn]] void throw_limit() const;
  void advance();
  void run_entries();
  void wake_systemc_at(Picoseconds at);
  static constexpr unsigned kPhaseBits = 2;
  [[nodiscard]] static constexpr std::uint64_t key_of(Picoseconds at, Phase phase) {
    return (static_cast<std::uint64_t>(std::min(at, kForever).value) << kPhaseBits) | static_cast<std::uint64_t>(phase);
  }
  [[nodiscard]] static constexpr Picoseconds time_of(std::uint64_t key) {
    return {static_cast<std::int64_t>(key >> kPhaseBits)};
  }

  TimeQueue queue_;
  bool running_ = false;
  Picoseconds now_{};
  std::uint64_t present_ = 0;  // key of the wake-up being served
  Picoseconds ahead_of_{};     // SystemC's next activity: entries before it may run
  Picoseconds asked_limit_ = kForever;
  Picoseconds limit_ = kForever;  ///< of now()
  bool ends_when_idle_ = false;
  std::int64_t owed_ = 0;  // answers of foreign modules
  std::int64_t wakeups_ = 0;
  Repetition* repetition_ = nullptr;
  std::exception_ptr failure_;
  std::vector<const Waitable*> waitables_;
  sc_core::sc_event wake_;
};

inline void Calendar::schedule(std::coroutine_handle<> process, Picoseconds at, Phase phase, std::uintptr_t as) {
  KB_CHECK(at >= now_, "a wake-up is scheduled for the past");
  // What a wake-up causes at its own instant in an earlier phase comes after those of its own phase already there.
  queue_.push(std::max(key_of(at, phase), present_), process);
  if (repetition_ != nullptr) [[unlikely]]
    note(as == 0 ? std::bit_cast<std::uintptr_t>(process.address()) : as, at, phase);
  if (!running_) wake_systemc_at(at);
}

}  // namespace kernbench
