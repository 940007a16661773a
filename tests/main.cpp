// The main of every test program. libsystemc's own main is not used: a simulation runs in a forked child.
// Its implementation comes by itself, although the precompiled header has read the rest.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

// What rapidcheck draws is the same in each run, so that a tree has one verdict; scripts/explore asks for other draws.
// With sanitizers a property's first cases reach what they watch.
#ifdef KERNBENCH_SANITIZED
constexpr const char* kDraws = "seed=20261127 max_success=8";
#else
constexpr const char* kDraws = "seed=20261127";
#endif

int main(int argc, char** argv) {
  ::setenv("RC_PARAMS", kDraws, 0);
  return doctest::Context(argc, argv).run();
}

#if __has_include(<systemc>)
// libsystemc.so refers to it, by its C name; nothing calls it.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }
#endif

#ifdef KERNBENCH_SANITIZED
// An exception thrown on a stack of SystemC's own: AddressSanitizer knows the thread's alone, and takes what it writes
// itself, when it asks for the signal stack, for an overflow.
extern "C" const char* __asan_default_suppressions() { return "interceptor_name:sigaltstack"; }  // NOLINT
#endif
