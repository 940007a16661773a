#include "benches/experiments/run/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <stdexcept>

#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr double kDefaultShare = 0.8;

/// The number that a file of one number holds; `otherwise` where there is none, as in a cgroup's "max".
Bytes number_in(const fs::path& file, Bytes otherwise) {
  std::ifstream in(file);
  Bytes value = 0;
  return in >> value ? value : otherwise;
}

Bytes machine_memory(const fs::path& root) {
  std::ifstream in(root / "proc/meminfo");
  std::string key;
  std::int64_t kib = 0;
  while (in >> key) {
    if (key == "MemTotal:" && in >> kib) return kib * 1024;
    in.ignore(256, '\n');
  }
  throw std::runtime_error("/proc/meminfo has no MemTotal");
}

/// The least limit of a control group and of those that hold it.
Bytes limit_of_groups(const fs::path& mount, fs::path group, const char* file, Bytes least) {
  group = group.relative_path();
  while (true) {
    least = std::min(least, number_in(mount / group / file, least));
    if (group.empty()) return least;
    group = group.parent_path();
  }
}

}  // namespace

Bytes usable_memory(const fs::path& root) {
  Bytes least = machine_memory(root);
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/group", and in version 1 "4:memory:/group"
    const std::size_t path = line.find(':', line.find(':') + 1) + 1;
    if (line.starts_with("0::")) {
      least = limit_of_groups(root / "sys/fs/cgroup", line.substr(path), "memory.max", least);
    } else if (line.find(":memory:") != std::string::npos) {
      least = limit_of_groups(root / "sys/fs/cgroup/memory", line.substr(path), "memory.limit_in_bytes", least);
    }
  }
  return least;
}

void MemoryLimit::require(const MemoryNeed& need) const {
  const double needed = need.estimate.bytes();
  if (needed <= static_cast<double>(bytes)) return;
  throw ConfigError(need.what + ": needs about " + approximate_bytes(needed) + " of memory and may take " +
                    approximate_bytes(static_cast<double>(bytes)) + " (" + origin + "):\n" + need.estimate.describe() +
                    "take " + need.remedy + ", or raise --memory");
}

int MemoryLimit::jobs_that_fit(const std::vector<MemoryNeed>& needs, int jobs) const {
  double most = 1;
  for (const MemoryNeed& need : needs) {
    require(need);
    most = std::max(most, need.estimate.bytes());
  }
  const double fit = static_cast<double>(bytes) / most;
  return fit >= jobs ? jobs : std::max(1, static_cast<int>(fit));
}

MemoryLimit default_memory_limit() {
  const Bytes usable = usable_memory();
  const auto limit = static_cast<Bytes>(kDefaultShare * static_cast<double>(usable));
  return {limit,
          "80 % of this machine's " + approximate_bytes(static_cast<double>(usable)) + "; --memory says otherwise"};
}

void limit_own_memory(Bytes bytes) {
  std::ifstream statm("/proc/self/statm");  // in pages; the sixth number is data and stack
  Bytes pages = 0;
  for (int field = 0; field < 6; ++field) statm >> pages;
  rlimit limit{};
  if (!statm || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;  // a safety net: without it there is still the estimate
  const auto wanted = static_cast<rlim_t>(pages * ::sysconf(_SC_PAGESIZE) + bytes);
  limit.rlim_cur = std::min({limit.rlim_cur, limit.rlim_max, wanted});
  ::setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace kernbench
