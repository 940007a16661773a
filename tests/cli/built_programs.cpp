// Where the build put the programs: the one source of these tests that depends on the place of the checkout.
#include "tests/cli/program.hpp"

std::string built_program() { return KERNBENCH_PROGRAM; }
std::string built_toy() { return KERNBENCH_TOY_PROGRAM; }
