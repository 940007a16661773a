#include "benches/measured/probes/probe_cases.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

namespace kernbench {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

class Cases {
 public:
  void add(const std::string& probe, Json more, double estimate_s) {
    PlannedCase planned;
    planned.suite = probe;
    planned.point = {{"probe", probe}};
    for (const auto& [name, value] : more.items()) planned.point[name] = value;
    planned.estimate_s = estimate_s;
    cases_.push_back(std::move(planned));
  }
  [[nodiscard]] std::vector<PlannedCase> take() { return std::move(cases_); }

 private:
  std::vector<PlannedCase> cases_;
};

/// 1, and eighths of the SMs.
std::set<int> parts_of(int sms) {
  std::set<int> parts{1};
  for (int eighth = 1; eighth <= 8; ++eighth) parts.insert(std::max(1, sms * eighth / 8));
  return parts;
}

void add_lines(Cases& cases, int sms, bool smoke) {
  const auto lines = [&](int some, int cluster, const char* pattern, std::int64_t bytes) {
    cases.add("lines", {{"sms", some}, {"cluster", cluster}, {"pattern", pattern}, {"bytes", bytes}}, 0.1);
  };
  for (const int cluster : {1, 2, 4}) lines(cluster, cluster, "same", 2 * kMiB);
  if (smoke) return;
  for (const char* pattern : {"same", "own"}) {
    for (const int some : parts_of(sms)) lines(some, 1, pattern, 16 * kMiB);
  }
  for (const int cluster : {2, 4}) lines(sms * 3 / 4 / cluster * cluster, cluster, "same", 16 * kMiB);
}

/// Small ones as the library chooses, then one channel alone with much to send; those of as many channels follow one
/// another, as a communicator takes seconds to make.
void add_nccl(Cases& cases, int gpus, bool smoke) {
  const auto nccl = [&](const char* collective, int channels, std::int64_t bytes) {
    cases.add("nccl", {{"gpus", gpus}, {"collective", collective}, {"channels", channels}, {"bytes", bytes}}, 0.5);
  };
  const std::int64_t kib = 1024;
  nccl("all_reduce", 0, kib);
  if (gpus < 2) return;  // which is skipped, and says why
  nccl("all_gather", 0, kib);
  if (smoke) return;
  for (const char* collective : {"all_reduce", "all_gather"}) {
    for (const std::int64_t bytes : probed_sizes(gpus)) nccl(collective, 1, bytes);
  }
}

}  // namespace

std::array<std::int64_t, 2> probed_sizes(std::int64_t gpus) {
  if (gpus <= 5) return {16 * kMiB, 64 * kMiB};
  return {64 * kMiB, 256 * kMiB};
}

std::vector<PlannedCase> probe_cases(int sms, int gpus, bool smoke) {
  Cases cases;
  cases.add("device", Json::object(), 0.1);
  // From idle, so before what warms the GPU up.
  if (!smoke) cases.add("governor", {{"seconds", 3}}, 6);
  for (const std::int64_t mib : {4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 72, 80, 96, 128, 4096}) {
    if (!smoke || mib == 16 || mib == 128) cases.add("read", {{"bytes", mib * kMiB}}, 0.1);
  }
  add_lines(cases, sms, smoke);
  for (const int shared_kib : {0, 200}) {
    for (const int ctas : parts_of(sms)) {
      if (!smoke || ctas == sms) cases.add("launch", {{"ctas", ctas}, {"shared_bytes", shared_kib * 1024}}, 0.1);
    }
  }
  for (const int rounds : {2, 4, 8, 16}) {
    if (!smoke) cases.add("launch", {{"ctas", sms * rounds}, {"shared_bytes", 0}}, 0.1);
  }
  for (const char* dtype : {"bf16", "fp8"}) {
    for (const int n : {256, 64, 8}) {
      if (!smoke || n == 256) cases.add("tensor", {{"dtype", dtype}, {"n", n}}, 0.1);
    }
  }
  add_nccl(cases, gpus, smoke);
  if (!smoke) cases.add("idle", Json::object(), 4);
  return cases.take();
}

}  // namespace kernbench
