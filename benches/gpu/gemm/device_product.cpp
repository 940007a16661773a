#include "benches/gpu/gemm/device_product.hpp"

#include "benches/gpu/data/fill.hpp"
#include "benches/gpu/gemm/sampled_check.hpp"

namespace kernbench::gpu {

DeviceProduct::DeviceProduct(const Json& point, std::uint64_t seed, const Stream& stream)
    : m_(point.at("m")), k_(point.at("k")), n_(point.at("n")), gemm_(library_, m_, k_, n_, point.at("dtype")) {
  const auto bytes = [](std::int64_t elements, Element element) {
    return static_cast<std::size_t>(elements) * bytes_of(element);
  };
  a_ = DeviceBuffer(bytes(m_ * k_, gemm_.inputs()));
  b_ = DeviceBuffer(bytes(k_ * n_, gemm_.inputs()));
  c_ = DeviceBuffer(bytes(m_ * n_, gemm_.output()));
  fill_normal(a_.data(), static_cast<std::size_t>(m_ * k_), gemm_.inputs(), seed, stream.get());
  fill_normal(b_.data(), static_cast<std::size_t>(k_ * n_), gemm_.inputs(), seed + 1, stream.get());
  poison(c_.data(), c_.bytes(), stream.get());
}

double DeviceProduct::error(std::uint64_t seed, const Stream& stream) const {
  return sampled_error(
      {m_, k_, n_, a_.data(), b_.data(), c_.data(), gemm_.inputs(), gemm_.output(), gemm_.b_column_major()}, seed,
      stream.get());
}

}  // namespace kernbench::gpu
