// Forked work: whatever one child does, the others' results come back.
#include "benches/experiments/run/isolated.hpp"

#include <doctest/doctest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "benches/io/files/write_file.hpp"
#include "tests/support/temporary_folder.hpp"

using kernbench::IsolationOptions;
using kernbench::Outcome;
using kernbench::run_isolated;
using kernbench::Work;
using namespace std::chrono_literals;

namespace {

std::string good() { return "good"; }

/// Runs one faulty child among good ones, checks that those are unharmed, and returns the faulty one's outcome.
Outcome outcome_among_good_ones(const Work& faulty, std::chrono::milliseconds timeout = 0ms) {
  const auto report = run_isolated({good, faulty, good, good}, {2, timeout});
  CHECK(report.stopped_by == 0);
  for (const std::size_t i : {0, 2, 3}) CHECK(report.outcomes[i]->payload == "good");
  CHECK_FALSE(report.outcomes[1]->ok);
  CHECK(report.outcomes[1]->payload.empty());
  return *report.outcomes[1];
}

bool alive(pid_t pid) { return ::kill(pid, 0) == 0; }

/// Gone, or a zombie that whoever adopted it has not reaped yet.
bool ended(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return !(stat >> number >> name >> state) || state == "Z";
}

void wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(10ms);
  REQUIRE(condition());
}

}  // namespace

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.1 every piece of work runs in a process of its own, not in the parent") {
    const Work pid = [] { return std::to_string(::getpid()); };
    const auto report = run_isolated({pid, pid, pid}, {1});
    std::set<std::string> pids{std::to_string(::getpid())};
    for (const auto& outcome : report.outcomes) pids.insert(outcome->payload);
    CHECK(pids.size() == 4);
  }

  TEST_CASE("10.1 forking with a second thread alive is refused") {
    std::atomic<bool> end = false;
    std::thread second([&end] {
      while (!end) std::this_thread::yield();
    });
    CHECK_THROWS_AS(run_isolated({good}), std::logic_error);
    end = true;
    second.join();
    CHECK(run_isolated({good}).outcomes[0]->ok);
  }

  TEST_CASE("10.2 a crash is named by its signal, with what the child said last") {
    const auto outcome = outcome_among_good_ones([]() -> std::string {
      std::fputs("first line\nassertion failed: depth > 0\n", stderr);
      std::abort();
    });
    CHECK(outcome.reason == "killed by SIGABRT (Aborted); its last output: assertion failed: depth > 0");
    CHECK(outcome.output == "first line\nassertion failed: depth > 0\n");
  }

  TEST_CASE("10.2 an exit is named by its status, and one without a result is a fault even with status 0") {
    CHECK(outcome_among_good_ones([]() -> std::string { ::_exit(3); }).reason == "exited with status 3");
    CHECK(outcome_among_good_ones([]() -> std::string { ::_exit(0); }).reason == "exited without a result");
  }

  TEST_CASE("10.2 an exception gives its message, whatever its type") {
    CHECK(outcome_among_good_ones([]() -> std::string { throw std::runtime_error("pe0.dma waits"); }).reason ==
          "pe0.dma waits");
    CHECK(outcome_among_good_ones([]() -> std::string { throw 7; }).reason ==
          "an exception that is not a std::exception");
  }

  TEST_CASE("10.2 a child that hangs is killed at its time limit, even one that ignores SIGTERM or floods its output") {
    const auto hang = [] {
      ::signal(SIGTERM, SIG_IGN);
      for (;;) ::pause();
      return std::string();
    };
    CHECK(outcome_among_good_ones(hang, 300ms).reason == "timed out after 0.3 s");
    const auto flood = [] {
      const std::string line(4095, 'x');
      for (;;) std::puts(line.c_str());
      return std::string();
    };
    const Outcome outcome = outcome_among_good_ones(flood, 300ms);
    CHECK(outcome.reason.rfind("timed out after 0.3 s", 0) == 0);
    CHECK(outcome.output.size() == kernbench::kOutputTail);
  }

  TEST_CASE("10.2 a result that is cut off while it is written is a fault, one of many pipe buffers is whole") {
    const std::string large(3'000'000, 'r');
    CHECK(run_isolated({[&large] { return std::string(large); }}).outcomes[0]->payload == large);
    // The parent cannot read while it is in a callback, so the second child fills its pipe and stands in write() when
    // its alarm ends it with status 0.
    const Work cut = [&large] {
      ::signal(SIGALRM, [](int) { ::_exit(0); });
      const itimerval soon{{0, 0}, {0, 100'000}};
      ::setitimer(ITIMER_REAL, &soon, nullptr);
      return std::string(large);
    };
    IsolationOptions options{2};
    options.on_done = [](std::size_t index, const Outcome&) {
      if (index == 0) std::this_thread::sleep_for(500ms);
    };
    const auto report = run_isolated({good, cut}, options);
    CHECK(report.outcomes[0]->ok);
    CHECK(report.outcomes[1]->reason == "its result is truncated");
  }

  TEST_CASE("10.2 a child that closes its outputs does not look finished") {
    const auto silent = [] {
      ::close(STDOUT_FILENO);
      ::close(STDERR_FILENO);
      std::this_thread::sleep_for(50ms);
      return std::string("late");
    };
    CHECK(run_isolated({silent}).outcomes[0]->payload == "late");
  }

  TEST_CASE("10.15 children do short work in turn, each outcome and each output is its own") {
    std::vector<Work> works;
    for (int i = 0; i < 300; ++i) {
      works.emplace_back([i] {
        if (i % 3 == 0) std::printf("output of %d", i);
        return std::to_string(::getpid()) + " " + std::to_string(i);
      });
    }
    IsolationOptions options{2};
    options.most_in_turn = 64;
    std::size_t seen = 0;
    options.on_done = [&seen](std::size_t, const Outcome&) { ++seen; };
    const auto report = run_isolated(works, options);
    std::set<std::string> pids;
    for (int i = 0; i < 300; ++i) {
      const Outcome& outcome = *report.outcomes[static_cast<std::size_t>(i)];
      const std::size_t blank = outcome.payload.find(' ');
      pids.insert(outcome.payload.substr(0, blank));
      CHECK(outcome.payload.substr(blank + 1) == std::to_string(i));
      CHECK(outcome.output == (i % 3 == 0 ? "output of " + std::to_string(i) : ""));
    }
    CHECK(seen == 300);
    CHECK(pids.size() < 100);
    CHECK(pids.size() >= 300 / 64);
    CHECK_FALSE(pids.contains(std::to_string(::getpid())));
  }

  TEST_CASE("10.15 work that fails among others fails alone, with the reason that it has in a child of its own") {
    const auto fault = [](int kind) -> std::string {
      if (kind == 0) throw std::runtime_error("pe0.dma waits");
      if (kind == 1) {
        std::fputs("assertion failed\n", stderr);
        std::abort();
      }
      if (kind == 2) ::_exit(0);
      if (kind == 3) ::_exit(7);
      if (kind == 4) throw std::bad_alloc();
      for (;;) ::pause();
    };
    std::vector<Work> works;
    for (int i = 0; i < 240; ++i) {
      works.emplace_back([i, fault] { return i % 40 == 39 ? fault(i / 40) : std::to_string(i); });
    }
    IsolationOptions options{2, 300ms};
    options.most_in_turn = 64;
    const auto in_turn = run_isolated(works, options);
    options.most_in_turn = 1;
    const auto alone = run_isolated(works, options);
    for (std::size_t i = 0; i < works.size(); ++i) {
      CAPTURE(i);
      CHECK(in_turn.outcomes[i]->ok == (i % 40 != 39));
      CHECK(in_turn.outcomes[i]->payload == alone.outcomes[i]->payload);
      CHECK(in_turn.outcomes[i]->reason == alone.outcomes[i]->reason);
      CHECK(in_turn.outcomes[i]->output == alone.outcomes[i]->output);
    }
    CHECK(in_turn.outcomes[79]->reason == "killed by SIGABRT (Aborted); its last output: assertion failed");
    CHECK(in_turn.outcomes[239]->reason == "timed out after 0.3 s");
  }

  TEST_CASE("10.15 what fails because of work before it in its child has not failed") {
    static int spoilt = 0;  // of a child
    std::vector<Work> works;
    for (int i = 0; i < 200; ++i) {
      works.emplace_back([i]() -> std::string {
        if (spoilt++ > 3) throw std::runtime_error("spoilt");
        return std::to_string(i);
      });
    }
    IsolationOptions options{2};
    options.most_in_turn = 64;
    const auto report = run_isolated(works, options);
    for (std::size_t i = 0; i < works.size(); ++i) CHECK(report.outcomes[i]->payload == std::to_string(i));
  }

  TEST_CASE("10.3 outcomes stand by index whatever the order of completion, with at most `jobs` children at a time") {
    std::vector<Work> works;
    works.reserve(12);
    for (int i = 0; i < 12; ++i) {
      works.emplace_back([i] {
        std::this_thread::sleep_for(std::chrono::milliseconds(7 * (12 - i) % 31));
        return std::to_string(i);
      });
    }
    for (const int jobs : {1, 2, 5, 0}) {
      const auto report = run_isolated(works, {jobs});
      for (int i = 0; i < 12; ++i) CHECK(report.outcomes[static_cast<std::size_t>(i)]->payload == std::to_string(i));
    }
    CHECK(run_isolated({}).outcomes.empty());
  }

  TEST_CASE("10.4 a signal ends all children, keeps what was done, and leaves none behind") {
    for (const int signal : {SIGINT, SIGTERM}) {
      const TemporaryFolder folder;
      const auto pid_file = folder.path() / "pid";
      const Work hang = [&pid_file]() -> std::string {
        kernbench::write_file(pid_file, std::to_string(::getpid()));
        for (;;) ::pause();
      };
      const pid_t test = ::getpid();
      // The signal comes from a child of the pool, once its neighbour is known to hang.
      const Work interrupt = [&]() -> std::string {
        wait_until([&pid_file] { return std::filesystem::exists(pid_file); });
        ::kill(test, signal);
        for (;;) ::pause();
      };
      std::size_t seen = 0;
      IsolationOptions options{2};
      options.on_done = [&seen](std::size_t, const Outcome&) { ++seen; };
      const auto report = run_isolated({good, hang, interrupt, good, good}, options);
      CHECK(report.stopped_by == signal);
      CHECK(seen == 1);
      CHECK(report.outcomes[0]->ok);
      for (const std::size_t i : {1, 2, 3, 4}) CHECK_FALSE(report.outcomes[i].has_value());
      CHECK_FALSE(alive(std::stoi(kernbench::read_file(pid_file))));
      CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // no child is left to reap
    }
  }

  TEST_CASE("10.4 an exception from a callback ends the children as well") {
    IsolationOptions options{2};
    options.on_done = [](std::size_t, const Outcome&) { throw std::runtime_error("disk full"); };
    const Work hang = []() -> std::string {
      for (;;) ::pause();
    };
    CHECK_THROWS_WITH(run_isolated({hang, good}, options), "disk full");
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  }

  TEST_CASE("10.5 the processes that a child started end with it") {
    const TemporaryFolder folder;
    const auto pid_file = folder.path() / "pid";
    const Work leave_one_behind = [&pid_file]() -> std::string {
      if (::fork() == 0) {
        kernbench::write_file(pid_file, std::to_string(::getpid()));
        for (;;) ::pause();
      }
      wait_until([&pid_file] { return std::filesystem::exists(pid_file); });
      return "good";
    };
    CHECK(run_isolated({leave_one_behind}).outcomes[0]->ok);
    wait_until([&pid_file] { return ended(std::stoi(kernbench::read_file(pid_file))); });
  }

  TEST_CASE("10.5 the children of a parent that is killed end with it") {
    const TemporaryFolder folder;
    const auto pid_file = folder.path() / "pid";
    // The inner pool's child leads a group of its own, so killing the inner parent's group does not reach it.
    const Work inner_pool = [&pid_file]() -> std::string {
      run_isolated({[&pid_file]() -> std::string {
        kernbench::write_file(pid_file, std::to_string(::getpid()));
        for (;;) ::pause();
      }});
      return "";
    };
    CHECK(outcome_among_good_ones(inner_pool, 500ms).reason == "timed out after 0.5 s");
    wait_until([&pid_file] { return ended(std::stoi(kernbench::read_file(pid_file))); });
  }
}
