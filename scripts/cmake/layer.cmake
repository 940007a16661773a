# How targets are made. A layer is one folder: every .cpp below it, one library, the layers it may use.
# The target `tests` is all test programs and what they run, `tests_of_layers` those that do not run the program.

include(scripts/cmake/precompiled.cmake)
include(scripts/cmake/first_command.cmake)

# A compiler cache that serves every clone of a machine: paths are relative to the project, and units the same in each.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 # what follows: precompiled headers
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
add_custom_target(tests)
add_custom_target(tests_of_layers)

find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)

add_library(kernbench_options INTERFACE)
target_compile_options(kernbench_options INTERFACE -Wall -Wextra -Wpedantic -Werror)
# GCC 12 sees overlapping copies in "literal" + std::string where there are none (GCC bug 105329).
# clang-tidy is given the same flags and does not know this one.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(kernbench_options INTERFACE -Wno-restrict -Wno-unknown-warning-option)
endif()
target_include_directories(kernbench_options INTERFACE ${PROJECT_SOURCE_DIR})
if(KERNBENCH_SANITIZE)
  # GCC warns falsely about sanitized code (its manual says so), in std::regex for one. clang 14 cannot place what
  # -fsanitize=function writes before a coroutine ("difference across sections").
  target_compile_options(kernbench_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                     -fno-omit-frame-pointer
                                                     $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
                                                     $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  target_link_options(kernbench_options INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(kernbench_options INTERFACE KERNBENCH_SANITIZED)
endif()

# SystemC's headers are not ours to warn about; Debian builds the library as C++17 (DESIGN: -DSC_CPLUSPLUS).
add_library(kernbench_systemc INTERFACE)
target_link_libraries(kernbench_systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(kernbench_systemc INTERFACE SC_CPLUSPLUS=201703L SC_DISABLE_API_VERSION_CHECK)

# kernbench_unity(TARGET [BATCH n]): with KERNBENCH_UNITY the sources of a folder are one translation unit, or n each. A first
# build takes less than half of the time, since most of a source is its headers. So no two sources of a folder have the same
# name in their anonymous namespaces. Sources with options of their own stay alone. Not CMake's UNITY_BUILD, which names
# sources by absolute paths, so that no other clone could take the unit from a compiler cache.
function(kernbench_unity target)
  cmake_parse_arguments(ARG "" "BATCH" "" ${ARGN})
  if(NOT KERNBENCH_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(count 0)
  set(groups "")
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(NOT source MATCHES "\\.cpp$" OR options OR definitions OR alone)
      continue()
    endif()
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    if(ARG_BATCH)
      math(EXPR group "${count} / ${ARG_BATCH}")
      math(EXPR count "${count} + 1")
    else()
      cmake_path(GET name PARENT_PATH group)
      string(REPLACE / _ group ${group})
    endif()
    list(APPEND groups ${group})
    list(APPEND sources_${group} ${source})
    string(APPEND includes_${group} "#include \"${name}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group ${groups})
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/unity/${target}/${group}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${includes_${group}}" @ONLY)
    set_source_files_properties(${sources_${group}} PROPERTIES HEADER_FILE_ONLY ON)
    target_sources(${target} PRIVATE ${unit})
  endforeach()
  # To GCC an included source is a header, where a type of an anonymous namespace would be another one in each source.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# kernbench_layer(NAME [FOLDER folder] [OBJECT] [SEPARATE] [READS] [BATCH n] [PRECOMPILED group] [USES target...]): the library
# kernbench_NAME from the sources of this folder, or of one in it, but main.cpp, compiled with that group of
# precompiled.cmake. OBJECT is for folders whose files register themselves: a static library would drop them. SEPARATE is for
# those whose files name their parts alike (run, build), and so are never one translation unit; BATCH as of kernbench_unity;
# READS for what reads files and options, which a fuzzer of the sanitised build follows. What the first command needs of it
# (first_command.cmake) is a library of its own, kernbench_NAME_first, that kernbench_NAME brings with it.
function(kernbench_layer name)
  cmake_parse_arguments(ARG "OBJECT;SEPARATE;READS" "BATCH;PRECOMPILED;FOLDER" "USES" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  if(ARG_FOLDER)
    cmake_path(APPEND folder ${ARG_FOLDER})
  endif()
  file(GLOB_RECURSE rest CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER rest EXCLUDE REGEX "/main\\.cpp$")
  set(first ${rest})
  list(REMOVE_ITEM rest ${KERNBENCH_FIRST_SOURCES})
  if(rest)
    list(REMOVE_ITEM first ${rest})
  endif()
  set(uses_of_first "")
  foreach(use ${ARG_USES})
    get_property(is_layer GLOBAL PROPERTY kernbench_layer_${use})
    if(TARGET ${use}_first)
      list(APPEND uses_of_first ${use}_first)
    elseif(NOT is_layer) # a layer of which the first command needs nothing
      list(APPEND uses_of_first ${use})
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY kernbench_layer_kernbench_${name} ON)
  if(first)
    kernbench_layer_part(kernbench_${name}_first "${first}" "${uses_of_first}")
  endif()
  if(rest)
    kernbench_layer_part(kernbench_${name} "${rest}" "${ARG_USES}")
  else()
    add_library(kernbench_${name} INTERFACE)
    target_link_libraries(kernbench_${name} INTERFACE ${ARG_USES})
  endif()
  if(first)
    set(scope PUBLIC)
    if(NOT rest)
      set(scope INTERFACE)
    endif()
    target_link_libraries(kernbench_${name} ${scope} kernbench_${name}_first)
    if(ARG_OBJECT) # objects reach who links them, not who links that
      target_link_libraries(kernbench_${name} INTERFACE $<TARGET_OBJECTS:kernbench_${name}_first>)
    endif()
  endif()
endfunction()

# One library of kernbench_layer, whose arguments it sees.
function(kernbench_layer_part target sources uses)
  if(ARG_OBJECT)
    add_library(${target} OBJECT ${sources})
  else()
    add_library(${target} STATIC ${sources})
  endif()
  target_link_libraries(${target} PUBLIC kernbench_options ${uses})
  kernbench_precompile(${target} ${ARG_PRECOMPILED})
  if(ARG_READS AND KERNBENCH_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON) # which others share, without the option
  endif()
  if(ARG_BATCH)
    kernbench_unity(${target} BATCH ${ARG_BATCH})
  elseif(NOT ARG_SEPARATE)
    kernbench_unity(${target})
  endif()
endfunction()

# kernbench_time_limit(TEST): ctest ends one that hangs. None takes a tenth of its limit where nothing else runs; slow ones, and those
# with sanitizers, have more.
function(kernbench_time_limit test)
  get_test_property(${test} LABELS labels)
  set_tests_properties(${test} PROPERTIES TIMEOUT $<IF:$<OR:$<BOOL:${KERNBENCH_SANITIZE}>,$<STREQUAL:${labels},slow>>,1800,600>)
endfunction()

# kernbench_test(NAME [SEPARATE] [RUNS_PROGRAM] [USES target...] [SLOW_SANITIZED stem...]): one doctest program from this
# folder's *_test.cpp; every file is one CTest entry. A file named slow_*_test.cpp carries the label `slow`; with sanitizers those
# named do, too.
function(kernbench_test name)
  cmake_parse_arguments(ARG "SEPARATE;RUNS_PROGRAM" "" "USES;SLOW_SANITIZED" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources} ${PROJECT_SOURCE_DIR}/tests/main.cpp)
  target_link_libraries(test_${name} PRIVATE kernbench_options ${ARG_USES} rapidcheck)
  kernbench_precompile(test_${name} test)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/main.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # What tests calculate with is worth optimising, unlike the tests themselves (precompiled.cmake).
  list(FILTER sources EXCLUDE REGEX "_test.cpp$")
  set(is_optimised $<OR:$<CONFIG:Release>,$<BOOL:${KERNBENCH_SANITIZE}>>)
  set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS $<${is_optimised}:-O1>)
  if(NOT ARG_SEPARATE)
    kernbench_unity(test_${name} BATCH 8)
  endif()
  # The definitions of SystemC too, also where it is not used: GCC takes a precompiled header only with its own macros.
  target_compile_definitions(test_${name} PRIVATE $<TARGET_PROPERTY:kernbench_systemc,INTERFACE_COMPILE_DEFINITIONS>)
  add_dependencies(tests test_${name})
  if(NOT ARG_RUNS_PROGRAM)
    add_dependencies(tests_of_layers test_${name})
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    add_test(NAME ${name}/${stem} COMMAND test_${name} --source-file=*/${name}/${stem}.cpp --no-intro)
    # A file without test cases would pass.
    set_tests_properties(${name}/${stem} PROPERTIES FAIL_REGULAR_EXPRESSION "test cases: +0 \\|")
    if(stem MATCHES "^slow_" OR (KERNBENCH_SANITIZE AND stem IN_LIST ARG_SLOW_SANITIZED))
      set_tests_properties(${name}/${stem} PROPERTIES LABELS slow)
    endif()
    kernbench_time_limit(${name}/${stem})
  endforeach()
endfunction()
