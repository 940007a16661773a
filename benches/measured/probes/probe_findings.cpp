#include "benches/measured/probes/probe_findings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "benches/measured/cases/statistics.hpp"
#include "benches/measured/probes/probe_cases.hpp"
#include "benches/measured/probes/probe_metrics.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

class ProbeRows {
 public:
  ProbeRows(const Results& results, std::string file) : results_(results), file_(std::move(file)) {
    if (results.bench != kProbeBench) {
      throw ConfigError(file_ + ": bench: expected " + kProbeBench + ", got " + results.bench);
    }
    for (std::size_t i = 0; i < results.rows.size(); ++i) {
      const auto probe = results.rows[i].point.find("probe");
      if (probe == results.rows[i].point.end() || !probe->is_string()) {
        throw ConfigError(file_ + ": rows[" + std::to_string(i) + "].point.probe: expected the name of a probe");
      }
    }
  }

  /// The good rows of a probe whose points have these values.
  [[nodiscard]] std::vector<const Row*> good(const std::string& probe, const Json& values = Json::object()) const {
    std::vector<const Row*> found;
    for (const Row& row : results_.rows) {
      const bool right = std::ranges::all_of(values.items(), [&row](const auto& wanted) {
        return row.point.contains(wanted.key()) && row.point.at(wanted.key()) == wanted.value();
      });
      if (row.status == "ok" && row.point.at("probe") == probe && right) found.push_back(&row);
    }
    return found;
  }
  [[nodiscard]] const Row* first(const std::string& probe, const Json& values = Json::object()) const {
    const auto found = good(probe, values);
    return found.empty() ? nullptr : found.front();
  }

  /// A number above 0 of the row's point or metrics.
  [[nodiscard]] double number(const Row& row, const Json& of, const std::string& name) const {
    const auto found = of.find(name);
    if (found == of.end() || !found->is_number() || !(found->get<double>() > 0)) {
      const auto index = static_cast<std::size_t>(&row - results_.rows.data());
      throw ConfigError(file_ + ": rows[" + std::to_string(index) + "]: " + name + ": expected a number above 0" +
                        (found == of.end() ? ", which is missing" : ", got " + found->dump()));
    }
    return found->get<double>();
  }
  template <class T>
  [[nodiscard]] double metric(const Row& row, const Metric<T>& metric) const {
    return number(row, row.metrics.json(), std::string(metric.name));
  }
  [[nodiscard]] double axis(const Row& row, const std::string& name) const { return number(row, row.point, name); }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  const Results& results_;
  std::string file_;
};

std::string spread_of(const Row& row) {
  const Json spread = row.metrics.json().value(kSpread.name, Json());
  return spread.is_number() ? formatted("; samples within %.1f %%", spread.get<double>() * 100) : "";
}

const Row& device_row(const ProbeRows& rows) {
  const Row* row = rows.first("device");
  if (row == nullptr)
    throw ConfigError(rows.file() + ": no good row of the probe 'device', which says what the GPU is");
  return *row;
}

void add_device(const ProbeRows& rows, std::vector<ProbeFinding>& found) {
  const Row& row = device_row(rows);
  const auto add = [&](const char* key, const auto& metric, double unit = 1) {
    found.push_back({key, rows.metric(row, metric) * unit, NumberSource::kDataSheet, "", true});
  };
  add("sm.count", kSmCount);
  add("sm.clock", kSmClockMhz, 1e-3);
  add("sm.shared_memory", kSharedMemory);
  add("sm.registers", kRegisterCount);
  add("sm.threads", kThreadCount);
  add("sm.cta_slots", kCtaSlots);
  add("l2.capacity", kL2Bytes);
  add("hbm.capacity", kDeviceMemory);
  if (row.metrics.has(kPowerLimitW)) add("power.limit", kPowerLimitW);
}

/// Where `share` of what is read comes from HBM: between the two footprints where it is passed.
std::optional<double> footprint_missing(const std::vector<std::pair<double, double>>& missing, double share) {
  for (std::size_t i = 1; i < missing.size(); ++i) {
    const auto& [smaller, before] = missing[i - 1];
    const auto& [larger, after] = missing[i];
    if (before < share && after >= share) return smaller + (larger - smaller) * (share - before) / (after - before);
  }
  return std::nullopt;
}

void add_memory(const ProbeRows& rows, std::vector<ProbeFinding>& found) {
  std::vector<std::pair<double, const Row*>> reads;
  for (const Row* row : rows.good("read")) reads.emplace_back(rows.axis(*row, "bytes"), row);
  std::ranges::sort(reads);
  const double l2_bytes = rows.metric(device_row(rows), kL2Bytes);
  if (reads.empty() || reads.back().first < 8 * l2_bytes) return;
  const Row& largest = *reads.back().second;
  const double hbm = rows.metric(largest, kGbs);
  found.push_back({"hbm.bandwidth", hbm, NumberSource::kProbe,
                   formatted("reading %.0f MiB again and again", reads.back().first / (1 << 20)) + spread_of(largest),
                   true});
  double best = 0;
  for (const auto& [bytes, row] : reads) best = std::max(best, rows.metric(*row, kGbs));
  if (best <= hbm) return;
  std::vector<std::pair<double, double>> missing;
  for (const auto& [bytes, row] : reads) {
    missing.emplace_back(bytes, (1 / rows.metric(*row, kGbs) - 1 / best) / (1 / hbm - 1 / best));
  }
  const auto quarter = footprint_missing(missing, 0.25);
  const auto most = footprint_missing(missing, 0.75);
  if (!quarter || !most) return;
  const double slope = 2 * (*most - *quarter);
  const std::string note = formatted("reading alone, at %.0f GB/s at most; a quarter comes from HBM", best) +
                           formatted(" at %.1f MiB,", *quarter / (1 << 20)) +
                           formatted(" three quarters at %.1f MiB", *most / (1 << 20));
  found.push_back({"l2.resident", std::max(0.0, *quarter - slope / 4), NumberSource::kProbe, note, false});
  found.push_back({"l2.spill", slope, NumberSource::kProbe, note, false});
}

void add_lines(const ProbeRows& rows, std::vector<ProbeFinding>& found) {
  const double sms = rows.metric(device_row(rows), kSmCount);
  const Row* least = nullptr;
  for (const Row* row : rows.good("lines")) {
    const double cluster = rows.axis(*row, "cluster");
    if (rows.axis(*row, "sms") != cluster) continue;  // more than one cluster: the L2's limit, not the SM's
    if (least == nullptr || rows.metric(*row, kCyclesPerLine) < rows.metric(*least, kCyclesPerLine)) least = row;
  }
  if (least != nullptr) {
    found.push_back(
        {"sm.receive", rows.metric(*least, kCyclesPerLine), NumberSource::kProbe,
         formatted("bulk copies into one cluster of %.0f", rows.axis(*least, "cluster")) + spread_of(*least), true});
  }
  for (const Row* row : rows.good("lines", {{"cluster", 1}, {"pattern", "same"}})) {
    if (rows.axis(*row, "sms") != sms) continue;
    std::string note = "bulk copies of the same lines by all SMs at once" + spread_of(*row);
    if (const Row* own = rows.first("lines", {{"cluster", 1}, {"pattern", "own"}, {"sms", row->point.at("sms")}})) {
      note += formatted("; %.3g ns where each SM reads lines of its own", rows.metric(*own, kNsPerLine));
    }
    found.push_back({"l2.request", rows.metric(*row, kNsPerLine), NumberSource::kProbe, note, false});
  }
}

void add_launch(const ProbeRows& rows, std::vector<ProbeFinding>& found) {
  const double sms = rows.metric(device_row(rows), kSmCount);
  double n = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (const Row* row : rows.good("launch")) {
    const double ctas = rows.axis(*row, "ctas");
    if (row->point.at("shared_bytes") == 0 || ctas > sms) continue;
    const double ns = rows.metric(*row, kTime);
    n += 1;
    x += ctas;
    y += ns;
    xx += ctas * ctas;
    xy += ctas * ns;
  }
  const double determinant = n * xx - x * x;
  if (n < 3 || determinant <= 0) return;
  const double slope = (n * xy - x * y) / determinant;
  const std::string note = "least squares over empty kernels in a CUDA graph, of 1 CTA to one on each SM";
  found.push_back({"launch.cta", std::max(0.0, slope), NumberSource::kProbe, note, false});
  found.push_back({"launch.kernel", std::max(0.0, (y - slope * x) / n), NumberSource::kProbe,
                   note + ": launch.drain is part of it", false});
}

void add_tensor(const ProbeRows& rows, std::vector<ProbeFinding>& found) {
  for (const char* dtype : {"bf16", "fp8"}) {
    const Row* wide = rows.first("tensor", {{"dtype", dtype}, {"n", 256}});
    if (wide == nullptr) continue;
    const double measured = rows.metric(*wide, kMacsPerCycle);
    // Parts are made in powers of two; what is far from one is taken as it is.
    const double power = std::exp2(std::round(std::log2(measured)));
    const bool nominal = std::abs(measured - power) < 0.1 * power;
    found.push_back({"tensor." + std::string(dtype) + ".macs", nominal ? power : std::round(measured),
                     NumberSource::kProbe,
                     wide->metrics.value_or(kInstruction, "") + formatted(" alone: %.1f a cycle counted", measured) +
                         formatted(", at %.0f MHz", rows.metric(*wide, kClockMhz)) + spread_of(*wide),
                     true});
  }
  if (const Row* narrow = rows.first("tensor", {{"dtype", "bf16"}, {"n", 8}})) {
    found.push_back({"tensor.least", rows.metric(*narrow, kCyclesPerStep), NumberSource::kProbe,
                     "instructions of 64 x 8 alone, two groups of warps" + spread_of(*narrow), false});
  }
}

/// Of all tensor cores at work in bf16 at this clock (GHz), W, by the energies of a file.
double power_of_tensor_cores(double clock, double sms, double idle, const GpuSpec& base) {
  const double flops = 2 * base.tensor.bf16.macs * sms * clock;  // a ns
  return idle + base.tensor.bf16.energy * flops / 1e3 * std::pow(clock / base.power.clock, base.power.exponent);
}

void add_power(const ProbeRows& rows, const GpuSpec& base, std::vector<ProbeFinding>& found) {
  double idle_w = base.power.idle;

  if (const Row* idle = rows.first("idle")) {
    idle_w = rows.metric(*idle, kPowerW);
    found.push_back({"power.idle", idle_w, NumberSource::kProbe,
                     formatted("one thread counts, at %.0f MHz", rows.metric(*idle, kClockMhz)) + spread_of(*idle),
                     true});
  }
  const Row* governor = rows.first("governor");
  if (governor == nullptr) return;
  const auto list = [&](const char* name) {
    std::vector<double> values;
    for (const Json& one : governor->timeline.value(name, Json::array())) {
      if (!one.is_number()) throw ConfigError(rows.file() + ": governor: timeline." + name + ": expected numbers");
      values.push_back(one.get<double>());
    }
    return values;
  };
  const std::vector<double> at_ms = list("at_ms");
  const std::vector<double> clock = list("clock_mhz");
  if (at_ms.size() != clock.size() || clock.size() < 50) {
    throw ConfigError(rows.file() + ": governor: timeline: expected at_ms and clock_mhz of 50 kernels or more");
  }
  // The first kernels may still see the clock rise; the first fall is where three kernels in a row are 2 % slower.
  std::size_t fall = 5;
  std::vector<double> before(clock.begin() + 2, clock.begin() + 5);
  const auto slow = [&](std::size_t i) { return clock[i] < 0.98 * median(before); };
  while (fall + 2 < clock.size() && !(slow(fall) && slow(fall + 1) && slow(fall + 2))) before.push_back(clock[fall++]);
  if (fall + 2 < clock.size()) {
    found.push_back({"power.period", at_ms[fall] * 1e6, NumberSource::kProbe,
                     "from idle until the clock falls for the first time, on tensor cores alone", false});
  }
  const std::vector<double> last(clock.begin() + static_cast<std::ptrdiff_t>(clock.size() / 2), clock.end());
  if (!base.tensor.bf16.given) return;
  const double burst = median(before) * 1e-3;
  const double sms = rows.metric(device_row(rows), kSmCount);
  found.push_back({"power.peak", power_of_tensor_cores(burst, sms, idle_w, base), NumberSource::kProbe,
                   formatted("tensor cores alone, random operands, at %.0f MHz", burst * 1e3) +
                       formatted(" in the first %.0f ms from idle, by the base's energies", at_ms[fall]) +
                       formatted("; %.0f MHz over the second half", median(last)) +
                       formatted(" of %.1f s", at_ms.back() * 1e-3),
                   true});
}

/// Collectives over as many GPUs, of all_reduce and all_gather.
struct NcclRows {
  double gpus = 0;
  const Row* reduced = nullptr;
  const Row* gathered = nullptr;
};

std::optional<NcclRows> nccl_rows(const ProbeRows& rows, int channels, std::int64_t bytes) {
  const auto of = [&](const char* collective) {
    return rows.first("nccl", {{"collective", collective}, {"channels", channels}, {"bytes", bytes}});
  };
  NcclRows found{0, of("all_reduce"), of("all_gather")};
  if (found.reduced == nullptr || found.gathered == nullptr) return std::nullopt;
  found.gpus = rows.axis(*found.reduced, "gpus");
  if (found.gpus < 2 || rows.axis(*found.gathered, "gpus") != found.gpus) return std::nullopt;
  return found;
}

/// LL's start and hop from the smallest, its few bytes at the base's rate.
void add_small_collectives(const ProbeRows& rows, const GpuSpec& base, std::vector<ProbeFinding>& found) {
  const auto small = nccl_rows(rows, 0, 1024);
  if (!small || !base.nccl.given) return;
  const double n = small->gpus;
  const double written = 1024 / n / base.nccl.ll_write;
  const double reduced = rows.metric(*small->reduced, kTime) - (3 * n - 2) * written;
  const double gathered = rows.metric(*small->gathered, kTime) - (2 * n - 1) * written;
  const double hop = (reduced - gathered) / (n - 1);
  const double start = gathered - (n - 1) * hop;
  if (hop <= 0 || start <= 0) return;
  const std::string note =
      formatted("all_reduce and all_gather of 1 KiB over %.0f GPUs", n) + spread_of(*small->reduced);
  // Two rows of 1 KiB that vary by a tenth: shown, and not taken unasked.
  found.push_back({"nccl.small_start", start, NumberSource::kProbe, note, false});
  found.push_back({"nccl.small_hop", hop, NumberSource::kProbe, note, false});
}

/// What one channel reads and writes, from what it takes longer for more.
void add_channel(const ProbeRows& rows, std::vector<ProbeFinding>& found) {
  const Row* any = rows.first("nccl", {{"channels", 1}});
  if (any == nullptr) return;
  const auto [fewer, most] = probed_sizes(static_cast<std::int64_t>(rows.axis(*any, "gpus")));
  const auto less = nccl_rows(rows, 1, fewer);
  const auto more = nccl_rows(rows, 1, most);
  if (!less || !more || less->gpus != more->gpus) return;
  const double n = more->gpus;
  const auto more_bytes = static_cast<double>(most - fewer);
  const auto of_byte = [&](const Row* long_one, const Row* short_one) {  // ns a byte of a step
    return n * (rows.metric(*long_one, kTime) - rows.metric(*short_one, kTime)) / more_bytes;
  };
  // An all_reduce reads and writes 3n - 2 times, an all_gather reads n and writes 2n - 1 times.
  const double both = of_byte(more->reduced, less->reduced) / (3 * n - 2);
  const double write = (of_byte(more->gathered, less->gathered) - n * both) / (n - 1);
  const double read = both - write;
  if (read <= 0 || write <= 0) return;
  const std::string note = "one channel, all_reduce and all_gather of " + std::to_string(fewer >> 20) + " and " +
                           std::to_string(most >> 20) + formatted(" MiB over %.0f GPUs", n) + spread_of(*more->reduced);
  found.push_back({"nccl.read", 1 / read, NumberSource::kProbe, note, true});
  found.push_back({"nccl.write", 1 / write, NumberSource::kProbe, note, true});
}

}  // namespace

std::string probed_device(const Results& rows, const std::string& file) {
  return device_row(ProbeRows(rows, file)).metrics.value_or(kGpuName, "GPU");
}

std::vector<ProbeFinding> probe_findings(const Results& results, const std::string& file, const GpuSpec& base) {
  const ProbeRows rows(results, file);
  std::vector<ProbeFinding> found;
  add_device(rows, found);
  add_memory(rows, found);
  add_lines(rows, found);
  add_launch(rows, found);
  add_tensor(rows, found);
  add_power(rows, base, found);
  add_small_collectives(rows, base, found);
  add_channel(rows, found);
  return found;
}

}  // namespace kernbench
