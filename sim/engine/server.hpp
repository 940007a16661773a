// A unit that serves one after the other those who ask: a control processor, a vector unit.
#pragma once

#include <algorithm>
#include <bit>
#include <coroutine>
#include <cstdint>
#include <vector>

#include "sim/engine/op_log.hpp"
#include "sim/engine/process.hpp"

namespace kernbench {

/// First come, first served; of those who ask at one instant the one with the lower turn first, of one turn the one who
/// asked first. Each service is recorded in the log, or in that which it names.
class Server {
 public:
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() = default;
  Server(Calendar& calendar, OpChannel& log) : calendar_(calendar), log_(log), chooser_(choose()) {}

  /// Awaitable: goes on at the end of a service of `duration`. What takes no time is served at once.
  [[nodiscard]] auto serve(Picoseconds duration, std::int64_t turn, std::int64_t tile = -1, std::int32_t composite = -1,
                           OpChannel* log = nullptr) {
    return Service{*this, duration, turn, tile, composite, log == nullptr ? &log_ : log, {}};
  }

 private:
  struct Service {
    Server& server;
    Picoseconds duration;
    std::int64_t turn = 0;
    std::int64_t tile = -1;
    std::int32_t composite = -1;
    OpChannel* log = nullptr;
    std::coroutine_handle<> asking;
    [[nodiscard]] bool await_ready() const {
      if (duration > Picoseconds{}) return false;
      record(*this, server.calendar_.now());
      return true;
    }
    void await_suspend(std::coroutine_handle<> process) {
      asking = process;
      server.ask(*this);
    }
    void await_resume() const {}
  };

  void ask(const Service& service) {
    if (asking_.empty()) calendar_.schedule(chooser_.handle(), calendar_.now(), Phase::kChoosing);
    asking_.push_back(&service);
  }

  static void record(const Service& service, Picoseconds start) {
    service.log->record({start, start + service.duration, 0, 0, service.tile, service.composite});
  }

  /// Wakes when all who ask at an instant have done so.
  Process choose() {
    for (;;) {
      std::ranges::stable_sort(asking_, {}, [](const Service* service) { return service->turn; });
      for (const Service* service : asking_) {
        const Picoseconds start = std::max(calendar_.now(), free_at_);
        free_at_ = start + service->duration;
        record(*service, start);
        const auto as = std::bit_cast<std::uintptr_t>(this) + static_cast<std::uintptr_t>(service->turn);
        calendar_.schedule(service->asking, free_at_, Phase::kNormal, as);
      }
      asking_.clear();
      co_await std::suspend_always{};
    }
  }

  Calendar& calendar_;
  OpChannel& log_;
  Picoseconds free_at_{};
  std::vector<const Service*> asking_;  ///< at the present instant
  Process chooser_;
};

}  // namespace kernbench
