// kernbench-bench: Google Benchmark's main, in a program linked with SystemC.
#include <benchmark/benchmark.h>

// libsystemc.so refers to it; nothing calls it.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }

BENCHMARK_MAIN();
