// The main of every test program. libsystemc's own main is not used: a simulation runs in a forked child.
// Both: doctest derives one from the other where it is first read, and that is in the precompiled header.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#if __has_include(<systemc>)
// libsystemc.so refers to it, by its C name; nothing calls it.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }
#endif

#ifdef KERNBENCH_SANITIZED
// An exception thrown on a stack of SystemC's own: AddressSanitizer knows the thread's alone, and takes what it writes
// itself, when it asks for the signal stack, for an overflow.
extern "C" const char* __asan_default_suppressions() { return "interceptor_name:sigaltstack"; }  // NOLINT
#endif
