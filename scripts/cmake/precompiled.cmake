# Precompiled headers: what would otherwise be parsed two hundred times. Only headers of the system and of libraries, never
# our own, so that a change of ours rebuilds only what includes it. A source still includes what it uses, although here and
# in units of several sources nobody notices (docs/development.md, "Builds"). A group also says how hard its sources are optimised: what simulates fully,
# what reads options, writes JSON and draws a little, and tests, whose time goes into compiling them, not at all.

set(kernbench_standard_headers
    <algorithm> <array> <chrono> <cmath> <compare> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <sstream>
    <stdexcept> <string> <string_view> <utility> <vector>)

# kernbench_precompiled_group(NAME [RELEASE -O0|-O1] [USES target...] HEADERS <header>...): without RELEASE the sources are
# optimised as the build type says, with it only so far in a release build and not at all in others.
function(kernbench_precompiled_group name)
  cmake_parse_arguments(ARG "" "RELEASE" "USES;HEADERS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(kernbench_precompiled_${name} OBJECT ${source})
  target_link_libraries(kernbench_precompiled_${name} PRIVATE kernbench_options ${ARG_USES})
  target_compile_options(kernbench_precompiled_${name} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  if(ARG_RELEASE)
    target_compile_options(kernbench_precompiled_${name} PUBLIC $<IF:$<CONFIG:Release>,${ARG_RELEASE},-O0>)
  endif()
  target_precompile_headers(kernbench_precompiled_${name} PRIVATE ${kernbench_standard_headers} ${ARG_HEADERS})
endfunction()

# kernbench_precompile(TARGET [GROUP]): nothing where no group is named.
function(kernbench_precompile target)
  if(ARGC GREATER 1)
    target_precompile_headers(${target} REUSE_FROM kernbench_precompiled_${ARGV1})
    # -fpch-preprocess: a compiler cache needs it.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                           $<TARGET_PROPERTY:kernbench_precompiled_${ARGV1},INTERFACE_COMPILE_OPTIONS>)
  endif()
endfunction()

function(kernbench_precompiled_groups)
  set(rooms kernbench_systemc nlohmann_json::nlohmann_json spdlog::spdlog Threads::Threads)
  kernbench_precompiled_group(standard)
  kernbench_precompiled_group(systemc USES kernbench_systemc HEADERS <coroutine> <deque> <systemc>)
  kernbench_precompiled_group(json RELEASE -O1 USES ${rooms} HEADERS <nlohmann/json.hpp>)
  target_compile_options(kernbench_precompiled_json PUBLIC -pthread) # librsvg's flags bring it to benches/results
  kernbench_precompiled_group(test RELEASE -O0 USES kernbench_systemc nlohmann_json::nlohmann_json
                              HEADERS <nlohmann/json.hpp> <doctest/doctest.h> <rapidcheck.h>)
endfunction()
