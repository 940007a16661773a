// `kernbench-gpu beside`: a product again and again while a collective runs on another stream, over several GPUs.
#include <algorithm>
#include <barrier>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "benches/gpu/collectives/expected.hpp"
#include "benches/gpu/collectives/nccl.hpp"
#include "benches/gpu/gemm/device_product.hpp"
#include "benches/gpu/ranks/ranks.hpp"
#include "benches/gpu/run_cases.hpp"
#include "benches/gpu/timing/spin.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/program/program.hpp"
#include "benches/measured/cases/beside_cases.hpp"
#include "benches/measured/cases/gemm_cases.hpp"
#include "benches/measured/cases/statistics.hpp"
#include "benches/results/rows/measured_metrics.hpp"

namespace kernbench::gpu {
namespace {

constexpr int kProductsOfGraph = 16;
constexpr double kProductsNs = 4e6;           // of products in a sample, at least
constexpr int kLeastCollectives = 4;          // that the products of a sample meet
constexpr long long kSpinCycles = 2'000'000;  // a millisecond: until the first collective is under way
constexpr double kSpinNs = 1.5e6;

/// A rank's product, and a graph that computes it again and again.
class RankProduct {
 public:
  RankProduct(const Json& point, std::uint64_t seed, const Stream& stream) : product_(point, seed, stream) {
    graph_ = std::make_unique<Graph>(stream, [this](cudaStream_t capturing) {
      for (int i = 0; i < kProductsOfGraph; ++i) product_.enqueue(capturing);
    });
    stream.synchronize();
  }

  void launch(const Stream& stream) const { graph_->launch(stream); }
  [[nodiscard]] double error(std::uint64_t seed, const Stream& stream) const { return product_.error(seed, stream); }

 private:
  DeviceProduct product_;
  std::unique_ptr<Graph> graph_;
};

/// What a rank saw in a sample, in ns.
struct Together {
  double product = 0;
  double collective = 0;  ///< the mean of those that lay within the products; 0: none did
  bool covered = false;   ///< collectives ran all the while
};

class BesideBench {
 public:
  explicit BesideBench(const Options& options)
      : options_(options), limits_(sample_limits(options)), products_(options.gpus), collectives_(options.gpus) {}

  void measure(const PlannedCase& planned, Row& row) {
    try {
      measure_case(planned, row);
    } catch (const GpuError&) {
      if (communicators_) communicators_->abort();
      communicators_.reset();
      throw;
    }
  }

 private:
  void measure_case(const PlannedCase& planned, Row& row) {
    const Json& point = planned.point;
    collective_ = point.at("collective");
    count_ = point.at("bytes").get<std::int64_t>() / 4;
    take_channels(point.at("channels"));
    std::vector<std::unique_ptr<RankProduct>> products;
    for (int rank = 0; rank < options_.gpus; ++rank) {
      const UseDevice use(rank);
      products.push_back(std::make_unique<RankProduct>(point, options_.seed, products_.stream(rank)));
    }
    const auto alone = products_alone(products);
    const auto collective_alone = time_ranks(collectives_, enqueue_collective(), limits_).time_ns;
    const double product_ns = median(alone);
    const double collective_ns = median(collective_alone);
    const double products_ns = std::max(kProductsNs, kLeastCollectives * collective_ns);
    const int graphs = static_cast<int>(std::ceil(products_ns / (product_ns * kProductsOfGraph)));
    // Both become slower; a sample that the collectives did not last for is taken again with more of them.
    int collectives = static_cast<int>(std::ceil((2 * products_ns + kSpinNs) / collective_ns)) + 2;
    std::vector<double> product;
    std::vector<double> collective;
    constexpr int kSamples = 10;
    for (int sample = 0; sample < kSamples + limits_.warm_ups; ++sample) {
      const std::vector<Together> ranks = together(products, graphs, collectives);
      if (!std::ranges::all_of(ranks, &Together::covered)) {
        collectives *= 2;
        if (collectives > 20000) throw GpuError("no collectives were long enough to run beside the products");
        --sample;
        continue;
      }
      if (sample < limits_.warm_ups) continue;
      product.push_back(std::ranges::max(ranks, {}, &Together::product).product);
      collective.push_back(std::ranges::max(ranks, {}, &Together::collective).collective);
    }
    require_results(products, point, row);
    add_family(row.metrics, "time", product);
    add_family(row.metrics, "alone", alone);
    add_family(row.metrics, "collective", collective);
    add_family(row.metrics, "collective_alone", collective_alone);
  }

  void take_channels(int channels) {
    if (communicators_ && channels_ == channels) return;
    communicators_.reset();
    communicators_ = std::make_unique<Communicators>(options_.gpus, channels);
    channels_ = channels;
    if (!in_.empty()) return;
    for (int rank = 0; rank < options_.gpus; ++rank) {
      const UseDevice use(rank);
      in_.emplace_back(static_cast<std::size_t>(count_) * 4);
      out_.emplace_back(static_cast<std::size_t>(count_) * 4);
      fill_contribution(in_.back().as<float>(), count_, rank, collectives_.stream(rank).get());
      collectives_.stream(rank).synchronize();
    }
  }

  [[nodiscard]] EnqueueRank enqueue_collective() const {
    return [this](int rank, cudaStream_t stream) {
      const auto at = static_cast<std::size_t>(rank);
      communicators_->enqueue(collective_, in_[at].as<const float>(), out_[at].as<float>(), count_, rank, stream);
    };
  }

  /// In ns a product.
  [[nodiscard]] std::vector<double> products_alone(const std::vector<std::unique_ptr<RankProduct>>& products) const {
    const EnqueueRank enqueue = [&](int rank, cudaStream_t) {
      products[static_cast<std::size_t>(rank)]->launch(products_.stream(rank));
    };
    std::vector<double> times = time_ranks(products_, enqueue, limits_).time_ns;
    for (double& time : times) time /= kProductsOfGraph;
    return times;
  }

  [[nodiscard]] std::vector<Together> together(const std::vector<std::unique_ptr<RankProduct>>& products, int graphs,
                                               int collectives) const {
    std::vector<Together> ranks(products.size());
    std::barrier<> meet(options_.gpus);
    const EnqueueRank enqueue = enqueue_collective();
    products_.run([&](int rank) {
      const Stream& stream = products_.stream(rank);
      const Stream& beside = collectives_.stream(rank);
      const auto at = static_cast<std::size_t>(rank);
      const Event begin;
      const Event end;
      std::vector<Event> between(static_cast<std::size_t>(collectives) + 1);
      meet.arrive_and_wait();
      enqueue_spin(kSpinCycles, stream.get());
      begin.record(stream);
      between.front().record(beside);
      for (int i = 0; i < collectives; ++i) {
        if (i == kLeastCollectives) launch_all(*products[at], graphs, stream, end);
        enqueue(rank, beside.get());
        between[static_cast<std::size_t>(i) + 1].record(beside);
      }
      if (collectives <= kLeastCollectives) launch_all(*products[at], graphs, stream, end);
      wait_for(end, rank);
      wait_for(between.back(), rank);
      ranks[at] = seen(begin, end, between, graphs);
    });
    return ranks;
  }

  static void launch_all(const RankProduct& product, int graphs, const Stream& stream, const Event& end) {
    for (int i = 0; i < graphs; ++i) product.launch(stream);
    end.record(stream);
  }

  static Together seen(const Event& begin, const Event& end, const std::vector<Event>& between, int graphs) {
    Together saw;
    saw.product = begin.nanoseconds_to(end) / (graphs * kProductsOfGraph);
    saw.covered = between.front().nanoseconds_to(begin) > 0 && end.nanoseconds_to(between.back()) > 0;
    double sum = 0;
    int within = 0;
    for (std::size_t i = 0; i + 1 < between.size(); ++i) {
      if (begin.nanoseconds_to(between[i]) < 0 || between[i + 1].nanoseconds_to(end) < 0) continue;
      sum += between[i].nanoseconds_to(between[i + 1]);
      ++within;
    }
    if (within > 0) saw.collective = sum / within;
    saw.covered = saw.covered && within > 0;
    return saw;
  }

  void require_results(const std::vector<std::unique_ptr<RankProduct>>& products, const Json& point, Row& row) const {
    for (int rank = 0; rank < options_.gpus; ++rank) {
      const UseDevice use(rank);
      const auto at = static_cast<std::size_t>(rank);
      const double product = products[at]->error(options_.seed + 2, products_.stream(rank));
      require_right(product, gemm_tolerance(point.at("dtype"), point.at("k")));
      const double collective = collective_error(collective_, out_[at].as<const float>(), count_, rank, options_.gpus,
                                                 collectives_.stream(rank).get());
      require_right(collective, 0);
      if (rank == 0) row.metrics.set(kError, product);
    }
  }

  Options options_;
  SampleLimits limits_;
  Ranks products_;
  Ranks collectives_;
  std::string collective_;
  std::int64_t count_ = 0;  ///< of fp32
  int channels_ = 0;
  std::unique_ptr<Communicators> communicators_;
  std::vector<DeviceBuffer> in_;
  std::vector<DeviceBuffer> out_;
};

std::function<int()> set_up(CommandSpec& command) {
  auto options = Options::add_to(command, "out/gpu/beside.json");
  options->gpus = 2;
  command.add_option("--gpus", options->gpus, "GPUs that take part").rule(whole_number(2, 1024)).show_default();
  return [options] {
    const auto cases = beside_cases(Suites(options->suites), options->gpus, options->smoke);
    if (options->list) return list_cases(cases);
    require_gpus(options->gpus);
    BesideBench bench(*options);
    return run_cases(*options, "gpu-beside", cases,
                     [&bench](const PlannedCase& planned, Row& row) { bench.measure(planned, row); });
  };
}

const bool registered = register_command({55, "beside", "Products beside collectives over several GPUs", set_up});

}  // namespace
}  // namespace kernbench::gpu
