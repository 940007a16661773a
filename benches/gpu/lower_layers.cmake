# `lower`: what kernbench-gpu takes of the other layers, source by source, as the harness as a whole brings the simulator
# with it. Without CUDA nobody links it: tests/project/gpu_sources_test.cpp sees to it that nothing is missing.
file(GLOB_RECURSE lower CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/benches/harness/files/*.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/measured/*.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/probes/*.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/program/*.cpp
     ${PROJECT_SOURCE_DIR}/sim/machine/gpu/*.cpp
     ${PROJECT_SOURCE_DIR}/sim/plan/distributed_gemm/*.cpp)
# What only the simulator and the trace analysis need of those.
list(FILTER lower EXCLUDE REGEX "files/gzip|measured/fitted_products|distributed_gemm/distributed_program")
list(APPEND lower
     ${PROJECT_SOURCE_DIR}/benches/harness/reference/device.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/results/checked_json.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/results/results_json.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/run/progress.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/text/json.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/text/numbers.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/text/read_number.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/text/table.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/text/terminal.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/text/utc_time.cpp
     ${PROJECT_SOURCE_DIR}/benches/harness/text/wrap.cpp
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
