// Ends or fails this process at a chosen step of what it writes (benches/io/files/disk.hpp).
#pragma once

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string_view>

#include "benches/io/files/disk.hpp"

/// Steps are counted from 1, in the process that asked; its children write unharmed.
class DiskFaults {
 public:
  /// As if the power went: killed before step `at` is made.
  static void kill_at(int at) { start({at, 0, false}); }
  /// That step alone fails.
  static void fail_at(int at, int error) { start({at, error, false}); }
  /// The disk is full from that step on: no more bytes, no more files. Renaming and removing go on.
  static void full_from(int at) { start({at, ENOSPC, true}); }
  /// Only counts.
  static void count() { start({0, 0, false}); }
  static void stop() { kernbench::disk::set_watch(nullptr); }
  [[nodiscard]] static int steps() { return made; }

 private:
  struct Plan {
    int at;
    int error;
    bool for_good;
  };

  static void start(Plan what) {
    plan = what;
    made = 0;
    process = ::getpid();
    kernbench::disk::set_watch(step);
  }

  static int step(const char* name, const std::filesystem::path& /*path*/) {
    if (::getpid() != process) return 0;
    ++made;
    if (plan.at == 0 || made < plan.at || (made > plan.at && !plan.for_good)) return 0;
    if (plan.error == 0) ::raise(SIGKILL);
    const std::string_view step_name = name;
    const bool takes_room = step_name == "open" || step_name == "write" || step_name == "make_folders";
    return plan.for_good && !takes_room ? 0 : plan.error;
  }

  static inline Plan plan{};
  static inline int made = 0;
  static inline pid_t process = 0;
};
