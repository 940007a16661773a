#include "sim/engine/calendar.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {

namespace {

Picoseconds systemc_now() {
  return {narrow(static_cast<Int128>(sc_core::sc_time_stamp().value()), "SystemC's time", kInPicoseconds)};
}

[[noreturn]] void throw_clock_overflow() {
  throw OverflowError(
      "simulated time reached 2^62 - 1 ps (53 days), beyond which no wake-up is served; take a smaller "
      "problem or a faster machine");
}

/// The instant of SystemC's next activity after the present one; kForever where it has none before that.
Picoseconds systemc_next() {
  if (!sc_core::sc_pending_activity_at_future_time()) return kForever;
  const Int128 at =
      static_cast<Int128>(sc_core::sc_time_stamp().value()) + sc_core::sc_time_to_pending_activity().value();
  return at < kForever.value ? Picoseconds{static_cast<std::int64_t>(at)} : kForever;
}

sc_core::sc_time to_sc_time(Picoseconds duration) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(duration.value));
}

}  // namespace

Calendar::Calendar(const sc_core::sc_module_name& name) : sc_module(name) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS)) {
    throw std::logic_error("the calendar counts picoseconds: SystemC's time resolution must be 1 ps");
  }
  SC_METHOD(advance);
  sensitive << wake_;
  dont_initialize();
}

void Calendar::note(std::uintptr_t process, Picoseconds at, Phase phase) {
  repetition_->note(process + static_cast<std::uintptr_t>(phase));
  repetition_->note(at - now_);
}

void Calendar::wake_systemc_at(Picoseconds at) {
  const Picoseconds present = systemc_now();
  wake_.notify(at > present ? to_sc_time(at - present) : sc_core::SC_ZERO_TIME);
}

void Calendar::notify(sc_core::sc_event& event, Picoseconds at) {
  event.notify(to_sc_time(at - systemc_now()));
  if (at < ahead_of_) ahead_of_ = at;
}

void Calendar::advance() {
  if (sc_core::sc_pending_activity_at_current_time()) {
    wake_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  ahead_of_ = systemc_next();
  running_ = true;
  try {
    run_entries();
  } catch (...) {
    failure_ = std::current_exception();
    queue_.clear();
    sc_core::sc_pause();  // other modules may have something to do for ever
  }
  running_ = false;
  if (!queue_.empty()) {
    wake_systemc_at(time_of(queue_.min_key()));
  } else if (ends_when_idle_ && owed_ == 0) {
    sc_core::sc_pause();
  }
}

void Calendar::run_entries() {
  while (!queue_.empty()) {
    const Picoseconds at = time_of(queue_.min_key());
    if (at >= ahead_of_) {
      if (at == kForever && ahead_of_ == kForever) throw_clock_overflow();
      return;
    }
    if (at > limit_) throw_limit();
    now_ = at;
    present_ = queue_.min_key();
    ++wakeups_;
    queue_.begin_service().resume();
    queue_.end_service();
  }
}

void Calendar::repeat(std::size_t /*loop*/, std::int64_t times, Picoseconds turn) { limit_ -= times * turn; }

void Calendar::throw_limit() const {
  if (asked_limit_ == kForever) throw_clock_overflow();
  throw TimeLimitError("the simulation passed its time limit of " +
                       format_quantity(asked_limit_.value, Dimension::kTime));
}

void Calendar::run(Picoseconds limit) {
  asked_limit_ = limit;
  limit_ = std::min(limit, kForever - Picoseconds{1});
  sc_core::sc_start();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::string Calendar::describe_waiting() const {
  std::string text;
  for (const Waitable* waitable : waitables_) {
    const std::string line = waitable->waiting();
    if (!line.empty()) text += "  " + line + "\n";
  }
  return text;
}

}  // namespace kernbench
