// The program's entry.
#include "benches/gpu/program.hpp"

int main(int argc, char** argv) { return kernbench::gpu::run_program(argc, argv); }
