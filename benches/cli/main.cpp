// The program's entry.
#include "benches/cli/program.hpp"

int main(int argc, char** argv) { return kernbench::run_program(argc, argv); }

// libsystemc.so refers to it; nothing calls it, because simulations are elaborated in forked children.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }
