# `lower`: what kernbench-gpu takes of the other layers, source by source, as the rooms of benches/ bring the simulator with
# them. Without CUDA nobody links it: tests/project/gpu_sources_test.cpp sees to it that nothing is missing.
file(GLOB_RECURSE lower CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/benches/io/files/*.cpp
     ${PROJECT_SOURCE_DIR}/benches/measured/cases/*.cpp
     ${PROJECT_SOURCE_DIR}/benches/measured/probes/*.cpp
     ${PROJECT_SOURCE_DIR}/benches/io/program/*.cpp
     ${PROJECT_SOURCE_DIR}/sim/machine/gpu/*.cpp
     ${PROJECT_SOURCE_DIR}/sim/plan/distributed_gemm/*.cpp)
# What only the simulator and the trace analysis need of those.
list(FILTER lower EXCLUDE REGEX "files/gzip|cases/fitted_products|distributed_gemm/distributed_program")
list(APPEND lower
     ${PROJECT_SOURCE_DIR}/benches/measured/reference/device.cpp
     ${PROJECT_SOURCE_DIR}/benches/results/rows/checked_json.cpp
     ${PROJECT_SOURCE_DIR}/benches/results/rows/results_json.cpp
     ${PROJECT_SOURCE_DIR}/benches/io/text/progress.cpp
     ${PROJECT_SOURCE_DIR}/benches/io/text/json.cpp
     ${PROJECT_SOURCE_DIR}/benches/io/text/numbers.cpp
     ${PROJECT_SOURCE_DIR}/benches/io/text/read_number.cpp
     ${PROJECT_SOURCE_DIR}/benches/io/text/table.cpp
     ${PROJECT_SOURCE_DIR}/benches/io/text/terminal.cpp
     ${PROJECT_SOURCE_DIR}/benches/io/text/utc_time.cpp
     ${PROJECT_SOURCE_DIR}/benches/io/text/wrap.cpp
     ${PROJECT_SOURCE_DIR}/sim/base/names.cpp
     ${PROJECT_SOURCE_DIR}/sim/base/nearest.cpp
     ${PROJECT_SOURCE_DIR}/sim/base/quantity.cpp
     ${PROJECT_SOURCE_DIR}/sim/base/read_file.cpp
     ${PROJECT_SOURCE_DIR}/sim/base/registry.cpp
     ${PROJECT_SOURCE_DIR}/sim/base/sha256.cpp
     ${PROJECT_SOURCE_DIR}/sim/base/shown_text.cpp
     ${PROJECT_SOURCE_DIR}/sim/base/text.cpp
     ${PROJECT_SOURCE_DIR}/sim/base/unknown_name.cpp
     ${PROJECT_SOURCE_DIR}/sim/machine/diagnostics.cpp
     ${PROJECT_SOURCE_DIR}/sim/machine/missed_key.cpp
     ${PROJECT_SOURCE_DIR}/sim/machine/yaml_document.cpp
     ${PROJECT_SOURCE_DIR}/sim/plan/dimension.cpp)
