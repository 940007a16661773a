// Signals stay blocked except during ppoll: none is lost between looking and waiting.
#include "benches/experiments/run/stop_signals.hpp"

namespace kernbench {
namespace {

volatile std::sig_atomic_t caught_signal = 0;

extern "C" void note_signal(int signal) {
  if (caught_signal == 0) caught_signal = signal;
}

}  // namespace

StopSignals::StopSignals() {
  caught_signal = 0;
  sigset_t blocked;
  sigemptyset(&blocked);
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaddset(&blocked, kSignals[i]);
    ::sigaction(kSignals[i], nullptr, &actions_before_[i]);
    // Ignored by whoever started us (nohup): stays ignored.
    if (actions_before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
  ::sigprocmask(SIG_BLOCK, &blocked, &mask_before_);
}

StopSignals::~StopSignals() {
  // Let what is pending be noted, not delivered to the restored default, which would end the process.
  std::vector<pollfd> nothing;
  wait(nothing, std::chrono::milliseconds(0));
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &actions_before_[i], nullptr);
  ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

void StopSignals::wait(std::vector<pollfd>& descriptors, std::chrono::milliseconds at_most) const {
  const timespec time{at_most.count() / 1000, (at_most.count() % 1000) * 1'000'000};
  ::ppoll(descriptors.data(), descriptors.size(), &time, &mask_before_);
}

int StopSignals::caught() { return caught_signal; }

}  // namespace kernbench
