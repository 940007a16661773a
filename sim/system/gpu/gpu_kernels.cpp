#include "sim/system/gpu/gpu_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "sim/plan/gpu/gpu_power.hpp"

namespace kernbench {
namespace {

constexpr double kPsOfNs = 1000;
constexpr double kDue = 1e-3;  // ps: what rates that are no whole numbers leave

double to_double(std::int64_t value) { return static_cast<double>(value); }

/// Whole ps of real time, at least one where something is left: it must be due then.
double until(double left, double rate) { return left <= kDue ? 0 : std::max(1.0, std::ceil((left - kDue) / rate)); }

/// What an SM, or a cluster of them, works on in a round: a tile a CTA, several of an older kernel.
std::int64_t tiles_of_unit(const GpuGemmTime& alone, const GpuKernel& kernel, const GpuSpec& gpu) {
  return kernel.cluster() * ceil_div(alone.ctas, most_ctas(kernel, gpu, 0));
}

/// Those that run at a time, alone.
std::int64_t most_units(const GpuGemmTime& alone, const GpuKernel& kernel, const GpuSpec& gpu) {
  return ceil_div(alone.ctas, tiles_of_unit(alone, kernel, gpu));
}

/// All; where steps are dealt out evenly (55.6), one each.
std::int64_t units_of(const GpuGemmTime& alone, const GpuKernel& kernel, const GpuSpec& gpu) {
  return std::min(ceil_div(alone.tiles, tiles_of_unit(alone, kernel, gpu)),
                  most_units(alone, kernel, gpu) * alone.rounds);
}

double launch_of(const GpuPass& pass, const GpuSpec& gpu) {
  return gpu.launch.kernel + gpu.launch.drain + (pass.launching == GpuLaunching::kGraph ? 0 : gpu.launch.stream);
}

}  // namespace

RunningProduct::RunningProduct(const GpuProduct& product, const GpuSpec& gpu, const GpuRunSettings& settings)
    : gemm_(product.gemm),
      kernel_(product.kernel),
      gpu_(gpu),
      settings_(settings),
      conditions_{.l2 = product.l2, .launching = product.launching, .clock = clock_of(product, gpu, settings)},
      alone_(gpu_gemm_time(gemm_, kernel_, gpu_, conditions_)),
      sm_(alone_.sm),
      front_{std::llround((alone_.launch - drain()) * kPsOfNs)},
      tail_{std::llround((alone_.split + drain()) * kPsOfNs)},
      body_(to_double((alone_.time() - front_ - tail_).value)),
      units_(units_of(alone_, kernel_, gpu)),
      most_(most_units(alone_, kernel_, gpu)),
      clocks_{{1, alone_.clock}} {}

double RunningProduct::drain() const { return std::min(gpu_.launch.drain, alone_.launch); }

double RunningProduct::hbm_rate() const {
  const double share = share_of_clusters();
  return share * alone_.hbm_bytes / (share == 1 ? body_ / kPsOfNs : body(alone_.sm, share));
}

double RunningProduct::share_of_sms() const { return to_double(resident_) / to_double(most_); }

double RunningProduct::clock_beside(double share, bool runs) {
  const auto clock = [&](double of) {
    const auto found = clocks_.find(of);
    if (found != clocks_.end()) return found->second;
    return clocks_[of] =
               std::min(governed_clock(settings_.state, gemm_, kernel_, gpu_, conditions_, of), settings_.most_clock);
  };
  const double beside =
      clock(settings_.clock_back ? std::min(1.0, share) : 1) - (runs ? gpu_.nccl.droop * gpu_.sm.clock : 0);
  return std::max(beside, kLeastShareOfClock * gpu_.sm.clock) / alone_.clock;
}

double RunningProduct::body(double sm, double hbm_time) const {
  return joined_limits({sm, alone_.hbm * hbm_time}, gpu_.overlap.body);
}

double RunningProduct::share_of_clusters() const {
  const bool last = most_tiles_ == alone_.rounds;
  const std::int64_t alone = last ? units_ - (alone_.rounds - 1) * most_ : most_;
  return std::min(1.0, to_double(resident_) / to_double(alone));
}

void RunningProduct::set_rate(double clock, double hbm) {
  const double hbm_time = share_of_clusters() / hbm;
  if (clock == clock_share_ && hbm_time == hbm_time_) return;
  if (clock != clock_share_) {
    GpuConditions conditions = conditions_;
    conditions.clock = alone_.clock * clock;
    sm_ = gpu_gemm_time(gemm_, kernel_, gpu_, conditions).sm;
  }
  clock_share_ = clock;
  hbm_time_ = hbm_time;
  rate_ = clock == 1 && hbm_time == 1 ? 1 : body(alone_.sm, 1) / body(sm_, hbm_time);
}

bool RunningProduct::reaches(std::int64_t others) const {
  if (cluster() <= 2 || others == 0) return true;
  const double left = (gpu_.sm.count - to_double(others)) * gpu_.sm.clustered / gpu_.sm.count;
  return to_double((resident_ + 1) * cluster()) <= left;
}

void RunningProduct::begin_tile(Cluster cluster) {
  ++taken_;
  ++cluster.tiles;
  most_tiles_ = std::max(most_tiles_, cluster.tiles);
  cluster.ends = cluster.began + std::round(body_ * to_double(cluster.tiles) / to_double(alone_.rounds));
  clusters_.push(cluster);
}

void RunningProduct::place() {
  Cluster cluster;
  cluster.began = work_;
  cluster.order = launched_++;
  cluster.own = (units_ - 1 - cluster.order) / most_;
  ++resident_;
  begin_tile(cluster);
}

std::int64_t RunningProduct::end_due_tiles() {
  std::int64_t ended = 0;
  while (!clusters_.empty() && clusters_.top().ends <= work_ + kDue) {
    Cluster cluster = clusters_.top();
    clusters_.pop();
    ++ended;
    const bool more = settings_.taken_over ? taken_ < units_ : cluster.own > 0;
    if (more) {
      --cluster.own;
      begin_tile(cluster);
    } else {
      --resident_;
    }
  }
  return ended;
}

void RunningProduct::advance(double real) {
  if (resident_ > 0) work_ += real * rate_;
}

double RunningProduct::next() const { return until(clusters_.top().ends - work_, rate_); }

RunningPass::RunningPass(const GpuPass& pass, const GpuSpec& gpu)
    : total_(std::round((launch_of(pass, gpu) + pass.bytes / gpu.hbm.bandwidth) * kPsOfNs)),
      rate_of_bytes_(pass.bytes / (total_ / kPsOfNs)) {}

double RunningPass::next() const { return until(total_ - work_, rate_); }

bool RunningPass::done() const { return work_ + kDue >= total_; }

RunningCollective::RunningCollective(const NcclCollective& asked, const GpuSpec& gpu, std::size_t gpus)
    : alone_(nccl_time(asked, gpu)),
      hbm_rate_(nccl_hbm_bytes(asked) / alone_.total),
      rate_beside_(alone_.total / nccl_time(asked, gpu, {.channel = gpu.nccl.beside}).total),
      sms_(nccl_sms(alone_, gpu)),
      total_(to_double(alone_.time().value)),
      held_(gpus, 0),
      arrived_(gpus, false) {}

void RunningCollective::place(std::size_t gpu, std::int64_t sms) {
  held_[gpu] += sms;
  running_ = std::ranges::all_of(held_, [this](std::int64_t held) { return held == sms_; });
}

void RunningCollective::advance(double real) {
  if (running_) work_ += real * rate_;
}

double RunningCollective::next() const { return until(total_ - work_, rate_); }

bool RunningCollective::done() const { return running_ && work_ + kDue >= total_; }

void RunningCollective::set_rate(bool beside, double hbm) { rate_ = (beside ? rate_beside_ : 1) * hbm; }

}  // namespace kernbench
