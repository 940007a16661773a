#include "benches/gemm/on_gpu.hpp"

#include "benches/harness/open_axis.hpp"
#include "benches/harness/results/row_from_gpu.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {
namespace {

GpuGemm product_of(const Point& point) {
  return {.m = point.at("m"),
          .k = point.at("k"),
          .n = point.at("n"),
          .dtype = parse_dtype(point.at("dtype").get<std::string>(), "dtype")};
}

GpuAsked asked_of(const Point& point) {
  return {.map = point.at("variant"),
          .l2 = kL2States.parse(point.at("l2").get<std::string>(), "l2"),
          .state = kGpuStates.parse(point.at("state").get<std::string>(), "state")};
}

Row simulate_on_gpu(const MachineSpec& machine, const Point& point, const PointSettings& /*settings*/) {
  Row row = gpu_row(product_of(point), machine.gpu->spec, asked_of(point), "variant");
  row.point = Json::object();
  return row;
}

Row theory_on_gpu(const MachineSpec& machine, const Point& point) {
  const GpuGemm gemm = product_of(point);
  check_gemm(gemm, machine.gpu->spec);
  return roofline_from_gpu(gemm, machine.gpu->spec, asked_of(point).l2);
}

/// That the GPU has the dtype, and an SM room for the kernel; whether HBM holds the matrices its row will say.
void check_on_gpu(const MachineSpec& machine, const Point& point) {
  const GpuGemm gemm = product_of(point);
  try {
    check_gemm(gemm, machine.gpu->spec);
    static_cast<void>(gpu_kernel_of(point.at("variant"), gemm, machine.gpu->spec, "variant"));
  } catch (const CapacityError&) {
    return;
  }
}

void check_kernel_text(const std::string& text) {
  if (!is_librarys_choice(text)) static_cast<void>(parse_gpu_kernel(text, "a kernel, or auto"));
}

}  // namespace

std::shared_ptr<const Bench> gemm_on_gpu() {
  const auto state_axis = [](const char* name, const char* usual, const auto& words) {
    return text_axis(name, usual, [&words](const std::string& text) { static_cast<void>(words.parse(text)); });
  };
  Bench bench;
  bench.machine = MachineKind::kGpu;
  bench.machine_file = "topology/h200.yaml";
  bench.axes = {dimension_axis("m"),
                dimension_axis("k"),
                dimension_axis("n"),
                text_axis("dtype", "bf16",
                          [](const std::string& text) { static_cast<void>(parse_dtype(text, "a dtype of operands")); }),
                state_axis("l2", "warm", kL2States),
                state_axis("state", "burst", kGpuStates),
                text_axis("variant", kLibrarysChoice, check_kernel_text)};
  bench.report = {{"time_ns", "time (ns)"},
                  {"tflops", "TFLOP/s"},
                  {"sm_clock_mhz", "clock (MHz)"},
                  {"power_w", "power (W)"},
                  {"kernel", "kernel"}};
  bench.simulate = simulate_on_gpu;
  bench.theory = theory_on_gpu;
  bench.check = check_on_gpu;
  return std::make_shared<const Bench>(std::move(bench));
}

}  // namespace kernbench
