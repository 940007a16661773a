// Kernels that hold SMs, as events see them (adr/0050). All times in picoseconds of work: what passes at the rate that
// the kernel has alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <vector>

#include "sim/system/gpu/gpu_streams.hpp"

namespace kernbench {

/// Of a product: its clusters take tiles, one after the other.
class RunningProduct {
 public:
  RunningProduct(const GpuProduct& product, const GpuSpec& gpu, const GpuRunSettings& settings);

  [[nodiscard]] std::int64_t cluster() const { return kernel_.cluster(); }  ///< SMs
  [[nodiscard]] bool wants() const { return taken_ < units_ && launched_ < most_; }
  [[nodiscard]] bool done() const { return taken_ == units_ && resident_ == 0; }
  [[nodiscard]] std::int64_t sms() const { return resident_ * cluster(); }
  [[nodiscard]] Picoseconds front() const { return front_; }  ///< before its first CTA
  [[nodiscard]] Picoseconds tail() const { return tail_; }    ///< after its last one
  [[nodiscard]] std::int64_t most_tiles() const { return most_tiles_; }
  [[nodiscard]] double hbm_rate() const;  ///< bytes a ns that those of its clusters that run ask for

  /// Clusters of more than two CTAs that SMs of which others hold so many reach (50.4).
  [[nodiscard]] bool reaches(std::int64_t others) const;
  void place();                  ///< a cluster gets SMs
  std::int64_t end_due_tiles();  ///< clusters that have no more tiles give up their SMs; how many tiles ended
  void advance(double real);     ///< ps of real time
  [[nodiscard]] bool running() const { return resident_ > 0; }
  [[nodiscard]] double next() const;  ///< ps of real time until the next tile ends

  /// `clock` as a share of that which it has alone, `hbm` as a share of what it asks for; that which its clusters that
  /// run have.
  void set_rate(double clock, double hbm);
  /// SMs that it holds, of those that it has alone.
  [[nodiscard]] double share_of_sms() const;
  /// Its clock, of that which it has alone, where products have `share` of the SMs that they have alone and a
  /// collective holds others; `runs`: the collective has all of its own.
  [[nodiscard]] double clock_beside(double share, bool runs);

 private:
  struct Cluster {
    double ends = 0;         ///< in work
    double began = 0;        ///< with its first tile
    std::int64_t tiles = 0;  ///< with this one
    std::int64_t own = 0;    ///< tiles that are dealt out to it and not begun
    std::int64_t order = 0;
    bool operator>(const Cluster& other) const { return ends != other.ends ? ends > other.ends : order > other.order; }
  };
  void begin_tile(Cluster cluster);
  [[nodiscard]] double drain() const;  ///< ns
  /// In ns, of SMs that take so long and of that share of the HBM time that it takes alone.
  [[nodiscard]] double body(double sm, double hbm_time) const;
  /// Clusters that run, of those that alone run in the same round.
  [[nodiscard]] double share_of_clusters() const;

  GpuGemm gemm_;
  GpuKernel kernel_;
  const GpuSpec& gpu_;
  GpuRunSettings settings_;
  GpuConditions conditions_;
  GpuGemmTime alone_;
  double sm_ = 0;  ///< ns of SMs, at the clock that it has
  Picoseconds front_;
  Picoseconds tail_;
  double body_ = 0;  ///< ps
  std::int64_t units_ = 0;
  std::int64_t most_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t launched_ = 0;
  std::int64_t resident_ = 0;
  std::int64_t most_tiles_ = 0;
  double work_ = 0;
  double rate_ = 1;
  double clock_share_ = 1;
  double hbm_time_ = 1;              ///< of that which it takes alone
  std::map<double, double> clocks_;  ///< clocks by the share of SMs, GHz
  std::priority_queue<Cluster, std::vector<Cluster>, std::greater<>> clusters_;
};

/// Of a pass over data: launch and HBM.
class RunningPass {
 public:
  RunningPass(const GpuPass& pass, const GpuSpec& gpu);

  [[nodiscard]] double hbm_rate() const { return rate_of_bytes_; }
  void advance(double real) { work_ += real * rate_; }
  [[nodiscard]] double next() const;
  [[nodiscard]] bool done() const;
  void set_rate(double hbm) { rate_ = hbm; }

 private:
  double total_ = 0;  ///< ps
  double rate_of_bytes_ = 0;
  double work_ = 0;
  double rate_ = 1;
};

/// A collective on all its GPUs.
class RunningCollective {
 public:
  RunningCollective(const NcclCollective& asked, const GpuSpec& gpu, std::size_t gpus);

  [[nodiscard]] std::int64_t sms() const { return sms_; }  ///< of each GPU
  [[nodiscard]] std::int64_t held(std::size_t gpu) const { return held_[gpu]; }
  [[nodiscard]] bool wants(std::size_t gpu) const { return arrived_[gpu] && held_[gpu] < sms_; }
  [[nodiscard]] bool arrived(std::size_t gpu) const { return arrived_[gpu]; }
  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] double hbm_rate() const { return hbm_rate_; }  ///< of a GPU, bytes a ns at its own rate

  void arrive(std::size_t gpu) { arrived_[gpu] = true; }
  void place(std::size_t gpu, std::int64_t sms);  ///< begins where every GPU has its SMs
  void advance(double real);
  [[nodiscard]] double next() const;
  [[nodiscard]] bool done() const;
  /// `beside`: a product runs on one of its GPUs.
  void set_rate(bool beside, double hbm);

 private:
  NcclTime alone_;
  double hbm_rate_;
  double rate_beside_;  ///< beside products, of that alone
  std::int64_t sms_ = 0;
  double total_ = 0;  ///< ps
  double work_ = 0;
  double rate_ = 1;
  bool running_ = false;
  std::vector<std::int64_t> held_;
  std::vector<bool> arrived_;
};

}  // namespace kernbench
