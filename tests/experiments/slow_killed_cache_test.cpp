// Writers that are killed: what a call has kept is there, once, and the file is whole.
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <random>
#include <string>
#include <thread>

#include "benches/experiments/run/evaluation_cache.hpp"
#include "benches/io/files/file_descriptor.hpp"
#include "tests/support/temporary_folder.hpp"

using kernbench::EvaluationCache;
using kernbench::Row;

namespace {

constexpr int kKills = 500;

Row numbered(int number) {
  Row row;
  row.metrics.json()["number"] = number;
  row.metrics.json()["text"] = std::string(static_cast<std::size_t>(number % 7) * 900, 'r');  // some over several pages
  return row;
}

std::string key_of_number(int number) { return kernbench::evaluation_key({{"number", number}}, "machine"); }

/// Keeps rows from `first` on for as long as it lives, and says each number once it is kept.
[[noreturn]] void keep_for_ever(const std::filesystem::path& folder, int first, int tell) {
  EvaluationCache cache(folder);
  for (int number = first;; ++number) {
    cache.keep(key_of_number(number), "toy", numbered(number));
    if (!cache.usable()) ::_exit(1);
    if (::write(tell, &number, sizeof number) != sizeof number) ::_exit(2);
  }
}

/// Returns once something was said.
void wait_for_word(int from) {
  pollfd word{from, POLLIN, 0};
  while (::poll(&word, 1, -1) < 0) REQUIRE(errno == EINTR);
}

/// The last number that was said.
int last_said(int from, int otherwise) {
  int number = 0;
  while (::read(from, &number, sizeof number) == sizeof number) otherwise = number;
  return otherwise;
}

}  // namespace

TEST_SUITE("ADR-0037") {
  TEST_CASE(
      "37.5 a writer killed 500 times at any moment, beside another: no row is lost or doubled, the file is whole") {
    const TemporaryFolder folder(TemporaryFolder::fast_parent());
    constexpr int kOther = 1'000'000'000;  // numbers of the writer that lives
    kernbench::Pipe other = kernbench::Pipe::open();
    const pid_t living = ::fork();
    if (living == 0) keep_for_ever(folder.path(), kOther, other.write.get());
    other.write = kernbench::FileDescriptor();

    std::mt19937 random(20);
    int last = -1;
    int last_other = kOther - 1;
    int before_the_first = 0;
    for (int kill = 0; kill < kKills; ++kill) {
      kernbench::Pipe said = kernbench::Pipe::open();
      const pid_t pid = ::fork();
      // The number that the one before may have kept without saying so is kept again.
      if (pid == 0) keep_for_ever(folder.path(), last + 1, said.write.get());
      said.write = kernbench::FileDescriptor();
      // Every other one is at work when it is killed; the rest may still wait for the file, which takes its time
      // beside the writer that lives.
      if (kill % 2 == 0) wait_for_word(said.read.get());
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
      ::kill(pid, SIGKILL);
      int status = 0;
      ::waitpid(pid, &status, 0);
      REQUIRE(WIFSIGNALED(status));
      const int now = last_said(said.read.get(), last);
      before_the_first += now == last ? 1 : 0;
      last = now;
      last_other = last_said(other.read.get(), last_other);
    }
    while (last_other <= kOther + kKills) {  // on a busy machine it may not have come far
      wait_for_word(other.read.get());
      last_other = last_said(other.read.get(), last_other);
    }
    ::kill(living, SIGKILL);
    int status = 0;
    ::waitpid(living, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    last_other = last_said(other.read.get(), last_other);

    MESSAGE("rows of the killed: ", last + 1);
    MESSAGE("rows of the other: ", last_other - kOther + 1);
    MESSAGE("killed before they kept one: ", before_the_first);
    CHECK(last + 1 >= kKills / 2);
    EvaluationCache cache(folder.path());
    const auto missing = [&cache](int first, int end) {
      int count = 0;
      for (int number = first; number <= end; ++number) {
        const auto row = cache.find(key_of_number(number));
        count += row && row->metrics.json().at("number") == number ? 0 : 1;
      }
      return count;
    };
    CHECK(missing(0, last) == 0);
    CHECK(missing(kOther, last_other) == 0);
    REQUIRE(cache.usable());
    const auto contents = kernbench::cache_contents(folder.path());
    REQUIRE(contents.workloads.size() == 1);
    // Each writer may have kept one more than it said.
    const std::int64_t said = last + 1 + last_other - kOther + 1;
    CHECK(contents.workloads[0].rows >= said);
    CHECK(contents.workloads[0].rows <= said + 2);
    kernbench::sqlite::Database database(contents.file, std::chrono::seconds(5));
    kernbench::sqlite::Statement check = database.prepare("PRAGMA integrity_check");
    REQUIRE(check.step());
    CHECK(check.text(0) == "ok");
  }
}
