// load_load: A and B are loaded into TCM first.
#include "sim/system/kernel.hpp"

namespace kernbench {

namespace {

Process run(KernelPe pe, GemmCall gemm) {
  if (gemm.has_bias()) {
    gemm.bias = co_await pe.load(gemm.matrices.bias);
    co_await pe.wait(gemm.bias);
  }
  const Operand a = co_await pe.load(gemm.matrices.a);
  const Operand b = co_await pe.load(gemm.matrices.b);
  co_await pe.wait(a);
  co_await pe.wait(b);
  co_await pe.wait(co_await pe.composite(gemm, a, b));
}

const RegisterGemmKernel kRegistered({"load_load", "A and B are loaded into TCM first", {.a = true, .b = true}, run});

}  // namespace

}  // namespace kernbench
