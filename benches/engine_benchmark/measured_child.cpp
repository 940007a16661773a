#include "benches/engine_benchmark/measured_child.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <stdexcept>

namespace kernbench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Never returns. A sample is smaller than a pipe's atomic write: it arrives whole or not at all.
[[noreturn]] void run_child(const std::function<Sample()>& work, int pipe) {
  try {
    const Sample sample = work();
    std::_Exit(::write(pipe, &sample, sizeof sample) == sizeof sample ? EXIT_SUCCESS : EXIT_FAILURE);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(EXIT_FAILURE);
  }
}

}  // namespace

Sample measured_in_child(const std::function<Sample()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("cannot open a pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) run_child(work, ends[1]);
  ::close(ends[1]);
  Sample sample;
  const bool complete = ::read(ends[0], &sample, sizeof sample) == sizeof sample;
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child || status != 0 || !complete) {
    throw std::runtime_error("the measured child failed");
  }
  if (sample.cpu_s == 0) sample.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  sample.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;  // NOLINT(*-union-access): glibc's rusage has unions
  return sample;
}

double process_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace kernbench
