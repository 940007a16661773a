#include "benches/gpu/distributed/reference.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "benches/gpu/run_cases.hpp"

namespace kernbench::gpu {
namespace {

constexpr int kSamples = 128;  // of each device's tile

std::int64_t padded(std::int64_t columns) { return (columns + 7) / 8 * 8; }

/// Two sums on the device that is current when it is made.
class Sums {
 public:
  explicit Sums(const Stream& stream) : memory_(2 * sizeof(double)), stream_(stream) {
    check(cudaMemsetAsync(memory_.data(), 0, memory_.bytes(), stream_.get()), "cudaMemsetAsync");
  }
  [[nodiscard]] double* data() const { return memory_.as<double>(); }

  /// Both, once everything on the stream is done.
  [[nodiscard]] std::array<double, 2> read() const {
    std::array<double, 2> sums{};
    check(cudaMemcpyAsync(sums.data(), memory_.data(), memory_.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
          "cudaMemcpyAsync");
    stream_.synchronize();
    return sums;
  }

 private:
  DeviceBuffer memory_;
  const Stream& stream_;
};

/// ||difference|| / ||reference||; infinite where either is no number.
double relative(double difference, double reference) {
  const double error = std::sqrt(difference / reference);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

}  // namespace

std::size_t Reference::bytes(const DistributedGemmPlan& plan) {
  const auto of = [](const DistributedMatrix& x) { return static_cast<std::size_t>(x.rows() * padded(x.columns())); };
  return (of(plan.a) + of(plan.b)) * sizeof(__nv_bfloat16) + of(plan.c) * sizeof(float);
}

void Reference::make(PeerDevices& devices, const DistributedGemmPlan& plan, OperandSeeds seeds) {
  const std::int64_t m = plan.c.rows();
  const std::int64_t k = plan.a.columns();
  const std::int64_t n = plan.c.columns();
  const std::tuple shape{m, k, n};
  if (shape == shape_) return;
  shape_ = {};
  product_ = DeviceBuffer();  // before the next is allocated
  const UseDevice use(0);
  const Stream& stream = devices.stream(0, QueueKind::kCompute);
  pitch_ = padded(n);
  product_ = DeviceBuffer(static_cast<std::size_t>(m * pitch_) * sizeof(float));
  const DeviceBuffer a(static_cast<std::size_t>(m * padded(k)) * sizeof(__nv_bfloat16));
  const DeviceBuffer b(static_cast<std::size_t>(k * pitch_) * sizeof(__nv_bfloat16));
  const MatrixView<__nv_bfloat16> a_view{a.as<__nv_bfloat16>(), padded(k), m, k};
  const MatrixView<__nv_bfloat16> b_view{b.as<__nv_bfloat16>(), pitch_, k, n};
  fill_normal(a_view, {seeds.a, 0, 0}, stream.get());
  fill_normal(b_view, {seeds.b, 0, 0}, stream.get());
  devices.gemm(0).multiply({product_.as<float>(), pitch_, m, n}, {a_view.data, a_view.pitch, m, k},
                           {b_view.data, b_view.pitch, k, n}, false, stream.get());
  stream.synchronize();
  shape_ = shape;
}

double Reference::check_result(PeerDevices& devices, const DistributedGemmPlan& plan, const Executor& executor,
                               OperandSeeds seeds) const {
  std::array<double, 2> sampled{};
  for (int device = 0; device < devices.count(); ++device) {
    const MatrixView<const float> out = executor.result(device);
    if (out.data == nullptr) continue;
    const Rect tile = plan.c.tile(plan.c.tile_of(device));
    {
      const UseDevice use(0);  // it reads the other devices' memories
      const Stream& stream = devices.stream(0, QueueKind::kCompute);
      const Sums sums(stream);
      const float* expected = product_.as<float>() + tile.rows.begin * pitch_ + tile.columns.begin;
      add_squared_difference(out, {expected, pitch_, out.rows, out.columns}, sums.data(), stream.get());
      const std::array<double, 2> found = sums.read();
      require_right(relative(found[0], found[1]), kTolerance);
    }
    const UseDevice use(device);
    const Stream& stream = devices.stream(device, QueueKind::kCompute);
    const Sums sums(stream);
    add_sampled_error(out, {seeds.a, seeds.b, plan.a.columns(), tile.rows.begin, tile.columns.begin, kSamples},
                      sums.data(), stream.get());
    const std::array<double, 2> found = sums.read();
    sampled[0] += found[0];
    sampled[1] += found[1];
  }
  const double error = relative(sampled[0], sampled[1]);
  require_right(error, kTolerance);
  return error;
}

}  // namespace kernbench::gpu
