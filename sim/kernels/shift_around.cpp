// shift_around: every PE sends a matrix to the next of a ring, until each has its own again. An example to start from.
#include "sim/system/user_kernel.hpp"

namespace kernbench {

namespace {

Process run(KernelPe pe, KernelArguments arguments) {
  const std::int64_t rows = arguments.at("rows");
  const std::int32_t next = (pe.rank() + 1) % pe.size();
  const std::int32_t previous = (pe.rank() + pe.size() - 1) % pe.size();
  MatrixLayout here = pe.tcm(rows, rows);
  MatrixLayout coming = pe.tcm(rows, rows);
  const auto value_of = [](std::int32_t rank) {
    return [rank](std::int64_t row, std::int64_t column) { return static_cast<float>((rank + row + column) % 16); };
  };
  pe.fill(here, value_of(pe.rank()));
  for (std::int32_t step = 1; step <= pe.size() && pe.size() > 1; ++step) {
    const Pending sent = co_await pe.send(here, next);
    co_await pe.recv(coming, previous);
    co_await pe.wait(sent);
    std::swap(here, coming);
    pe.expect(here, value_of((pe.rank() + pe.size() - step) % pe.size()));
  }
  co_await pe.barrier();
}

const RegisterKernel kRegistered({"shift_around",
                                  "every PE sends a matrix to the next of a ring, until each has its own again",
                                  {{"rows", "rows and columns of the matrix", 64, 1}},
                                  run});

}  // namespace

}  // namespace kernbench
