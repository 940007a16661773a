// Coroutine types: Process, which the calendar runs, and Task<T>, a part of a process that returns a value.
//
// Both start later than they are called. A coroutine takes its parameters by value or by pointer, never by reference: a
// temporary that is bound to a reference is gone before the first line runs (1.17). What a lambda captures lives in the
// lambda: it has to outlive the process.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/engine/calendar.hpp"

namespace kernbench {

/// A process of a module. Created suspended; start() puts it on the calendar. The owner keeps it alive while it runs.
/// An exception that leaves it goes to the process that awaits its end or, where none does, ends the simulation:
/// Calendar::run rethrows it.
class [[nodiscard]] Process {
 public:
  struct promise_type {
    Process get_return_object() { return Process(std::coroutine_handle<promise_type>::from_promise(*this)); }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static auto final_suspend() noexcept {
      struct Resume {
        [[nodiscard]] static bool await_ready() noexcept { return false; }
        static std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
          return self.promise().continuation;
        }
        static void await_resume() noexcept {}
      };
      return Resume{};
    }
    std::coroutine_handle<> continuation = std::noop_coroutine();
    bool awaited = false;
    std::exception_ptr exception;
    void return_void() {}
    void unhandled_exception() {
      if (!awaited) throw;
      exception = std::current_exception();
    }
  };

  Process() = default;
  Process(Process&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (handle_) handle_.destroy();
  }

  void start(Calendar& calendar, Picoseconds at = {}) { calendar.schedule(handle_, at); }
  [[nodiscard]] bool done() const { return !handle_ || handle_.done(); }
  /// Awaitable by another process, in place of start(): runs it from now on, and goes on when it has ended.
  [[nodiscard]] auto finished() const { return Finished{handle_}; }
  /// For a primitive that schedules its process by itself.
  [[nodiscard]] std::coroutine_handle<> handle() const { return handle_; }

 private:
  struct Finished {
    std::coroutine_handle<promise_type> process;
    [[nodiscard]] static bool await_ready() { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) const {
      process.promise().continuation = caller;
      process.promise().awaited = true;
      return process;
    }
    void await_resume() const {
      if (process.promise().exception) std::rethrow_exception(process.promise().exception);
    }
  };

  explicit Process(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

/// A coroutine that a process awaits, once: `T value = co_await task;`. It starts when awaited and hands control
/// straight back, without a wake-up of its own. Throws SimulationError where it is awaited again.
template <class T>
class [[nodiscard]] Task {
 public:
  struct promise_type {
    std::optional<T> value;
    std::exception_ptr exception;
    std::coroutine_handle<> continuation;

    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static auto final_suspend() noexcept {
      struct Resume {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
          return self.promise().continuation;
        }
        void await_resume() noexcept {}
      };
      return Resume{};
    }
    template <class U>
    void return_value(U&& result) {
      value.emplace(std::forward<U>(result));
    }
    void unhandled_exception() { exception = std::current_exception(); }
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  [[nodiscard]] bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    if (handle_.promise().continuation) {
      throw SimulationError("one call is awaited twice: call again, or keep what the first co_await returned");
    }
    handle_.promise().continuation = caller;
    return handle_;
  }
  T await_resume() {
    if (handle_.promise().exception) std::rethrow_exception(handle_.promise().exception);
    return std::move(*handle_.promise().value);
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace kernbench
