// Kernels of one's own: known by name, told their parameters, run on the PEs asked for.
#include "sim/system/user_kernel.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

std::string run_of(const std::string& kernel, const std::map<std::string, std::int64_t>& arguments,
                   const std::vector<std::int32_t>& pes) {
  return forked([&] {
    const UserKernel& of = find_user_kernel(kernel);
    const MultiPeResult run = run_user_kernel(one_die(), of, of.arguments(arguments), pes, {.verify = true});
    return std::to_string(run.time.value) + " " + std::to_string(run.pes.at(0).sent) + " " +
           std::to_string(run.compared);
  });
}

Process wrong_values(KernelPe pe, KernelArguments /*arguments*/) {
  const MatrixLayout matrix = pe.tcm(2, 2);
  pe.fill(matrix, [](std::int64_t row, std::int64_t column) { return static_cast<float>(row + column); });
  pe.expect(matrix, [](std::int64_t row, std::int64_t /*column*/) { return static_cast<float>(row); });
  co_return;
}

}  // namespace

TEST_SUITE("ADR-0030") {
  TEST_CASE("30.10 a kernel is known by its name and told its parameters; what is wrong is named") {
    const UserKernel& kernel = find_user_kernel("shift_around");
    CHECK(kernel.arguments({}).at("rows") == 64);
    CHECK(kernel.arguments({{"rows", 7}}).at("rows") == 7);
    CHECK(failure_of([] { (void)find_user_kernel("shift_aroun"); }).find("did you mean 'shift_around'?") !=
          std::string::npos);
    CHECK(failure_of([&] { (void)kernel.arguments({{"row", 7}}); }).find("did you mean 'rows'?") != std::string::npos);
    for (const std::int64_t wrong : {0, 1000001}) {
      CHECK(failure_of([&] {
              (void)kernel.arguments({{"rows", wrong}});
            }) == "rows: expected a whole number from 1 to 1000000, got " + std::to_string(wrong));
    }
    CHECK(failure_of([&] { (void)kernel.arguments({}).at("columns"); }) ==
          "arguments.at: unknown parameter 'columns'. There are: rows; a parameter is registered with its kernel");
    CHECK(failure_of([] { (void)find_user_kernel("ring_shift"); }) ==
          "unknown kernel 'ring_shift' of this command: expected it as kernbench sim gemm --over die --variant "
          "ring_shift");
    CHECK(failure_of([] { (void)find_gemm_kernel("ring_shift"); }).find("--over die --variant ring_shift") !=
          std::string::npos);
    CHECK(failure_of([] { (void)find_gemm_kernel("shift_around"); }).find("kernbench sim shift_around") !=
          std::string::npos);
    CHECK_THROWS_AS(RegisterKernel({"shift_around", "again", {}, wrong_values}), std::logic_error);
  }

  TEST_CASE("30.10 30.14 it runs on the PEs asked for, and its values are checked and counted") {
    const std::string ran = run_of("shift_around", {{"rows", 16}}, {3, 1, 7});
    const std::string compared = std::to_string(3 * 3 * 16 * 16);  // three times by three ranks
    CHECK(ran.substr(ran.find(' ') + 1) ==
          std::to_string(3 * 16 * 16 * 2 + 2 * 2) + " " + compared);  // and two rounds of a barrier
    CHECK(run_of("shift_around", {{"rows", 16}}, {5}) == "0 0 0");
    // An example: columns of B go to two more PEs each, blocks of C for those of three are compared.
    const std::string product = run_of("ring_gemm", {{"m", 64}, {"k", 64}, {"n", 32}}, {0, 1, 2});
    CHECK(product.substr(product.find(' ') + 1) ==
          std::to_string(2 * 64 * 32 * 2) + " " + std::to_string(3 * 3 * 64 * 32));
    const std::string wrong = failure_of([] {
      (void)forked([] {
        (void)run_user_kernel(one_die(), {"wrong", "", {}, wrong_values}, {}, {0}, {.verify = true});
        return std::string();
      });
    });
    CHECK(wrong ==
          "wrong, rank 0, at 0 ps: verification failed: 2 of 4 elements are wrong; first: element [0][1] is "
          "1.000000, expected 0.000000");
  }
}
