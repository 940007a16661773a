# What `kernbench run milestone-1h-gemm` needs, so that a new user sees a figure before the rest is compiled. Nothing lists
# it: it follows from the includes. A source needs the headers that it includes, a header the sources that implement it: that
# of its name, and those of its folder that have none and include it. kernbench_layer makes two libraries of a layer of which a
# part is needed.

# The sources to begin with: the command, the bench, and what registers itself below.
file(GLOB_RECURSE registered ${PROJECT_SOURCE_DIR}/benches/milestone_1h_gemm/*.cpp ${PROJECT_SOURCE_DIR}/sim/hw/*.cpp
     ${PROJECT_SOURCE_DIR}/sim/kernels/gemm_*.cpp)
set(reached ${PROJECT_SOURCE_DIR}/benches/cli/main.cpp ${PROJECT_SOURCE_DIR}/benches/cli/run.cpp ${registered})

# implements_<header>: the sources without a header of their name that include it in its own folder. Of commands, none.
file(GLOB_RECURSE all ${PROJECT_SOURCE_DIR}/sim/*.cpp ${PROJECT_SOURCE_DIR}/benches/*.cpp)
list(FILTER all INCLUDE REGEX "/(sim|benches/(io|results|measured|traces|workloads|experiments))/")
foreach(source ${all})
  string(REGEX REPLACE "cpp$" "hpp" header ${source})
  if(NOT EXISTS ${header})
    cmake_path(GET source PARENT_PATH folder)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    file(STRINGS ${source} includes REGEX "^#include \"${folder}/[^/]+\"")
    foreach(include ${includes})
      string(REGEX REPLACE "^#include \"(.*)\".*" "${PROJECT_SOURCE_DIR}/\\1" header "${include}")
      list(APPEND implements_${header} ${source})
    endforeach()
  endif()
endforeach()

set(KERNBENCH_FIRST_SOURCES "")
set(seen "")
while(reached)
  list(POP_BACK reached file)
  if(seen_${file} OR NOT EXISTS ${file})
    continue()
  endif()
  set(seen_${file} ON)
  list(APPEND seen ${file})
  if(file MATCHES "cpp$")
    list(APPEND KERNBENCH_FIRST_SOURCES ${file})
  else()
    string(REGEX REPLACE "hpp$" "cpp" own ${file})
    list(APPEND reached ${own} ${implements_${file}})
  endif()
  file(STRINGS ${file} includes REGEX "^#include \"")
  list(TRANSFORM includes REPLACE "^#include \"(.*)\".*" "${PROJECT_SOURCE_DIR}/\\1")
  list(APPEND reached ${includes})
endwhile()
# An include that is added may bring more sources.
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${seen})
