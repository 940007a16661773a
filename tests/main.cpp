// The main of every test program. libsystemc's own main is not used: a simulation runs in a forked child.
// Both: doctest derives one from the other where it is first read, and that is in the precompiled header.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#if __has_include(<systemc>)
// libsystemc.so refers to it, by its C name; nothing calls it.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }
#endif
