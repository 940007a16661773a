// A GPU's file with numbers that are easy to calculate with, and helpers to change and read it.
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernbench {

inline constexpr std::string_view kExampleGpu = R"(schema: kernbench.gpu/1
kind: gpu
name: example
sm:
  count: {is: 10, from: data_sheet}
  clustered: {is: 8, from: assumed, note: clusters of four}
  cluster: {is: 8, from: data_sheet}
  clock: {is: 2 GHz, from: data_sheet}
  shared_memory: {is: 227 KiB, from: data_sheet}
  registers: {is: 65536, from: data_sheet}
  threads: {is: 2048, from: data_sheet}
  cta_slots: {is: 32, from: data_sheet}
  accumulators: {is: 40960, from: assumed, note: a round number}
  receive: {is: 2, from: assumed, note: a round number}
  store: {is: 16, from: assumed, note: a round number}
  later_store: {is: 0.5, from: assumed, note: a round number}
tensor:
  least: {is: 10, from: assumed, note: a round number}
  bf16:
    macs: {is: 1024, from: data_sheet}
    share: {is: 0.5, from: assumed, note: a round number}
    slice: {is: 0, from: assumed, note: a round number}
    launch: {is: 0 ns, from: assumed, note: a round number}
    energy: {is: 2 pJ, from: assumed, note: a round number}
  fp8:
    macs: {is: 2048, from: data_sheet}
    share: {from: same, note: tensor.bf16.share}
    slice: {is: 30, from: assumed, note: a round number}
    launch: {is: 50 ns, from: assumed, note: a round number}
    energy: {is: 1 pJ, from: assumed, note: a round number}
l2:
  capacity: {is: 4 MiB, from: data_sheet}
  resident: {is: 1 MiB, from: assumed, note: a round number}
  spill: {is: 1 MiB, from: assumed, note: a round number}
  request: {is: 1 ns, from: assumed, note: a round number}
  energy: {is: 10 pJ/B, from: assumed, note: a round number}
hbm:
  bandwidth: {is: 1 TB/s, from: data_sheet}
  capacity: {is: 1 GiB, from: data_sheet}
  energy: {is: 100 pJ/B, from: assumed, note: a round number}
launch:
  kernel: {is: 1 us, from: assumed, note: a round number}
  cta: {is: 10 ns, from: assumed, note: a round number}
  drain: {is: 300 ns, from: assumed, note: a round number}
  from_hbm: {is: 200 ns, from: assumed, note: a round number}
  stream: {is: 1 us, from: assumed, note: a round number}
  host: {is: 10 us, from: assumed, note: a round number}
split:
  launch: {is: 400 ns, from: assumed, note: a round number}
  bandwidth: {is: 500 GB/s, from: assumed, note: a round number}
power:
  idle: {is: 10 W, from: assumed, note: a round number}
  limit: {is: 50 W, from: data_sheet}
  peak: {is: 60 W, from: assumed, note: a round number}
  clock: {is: 2 GHz, from: assumed, note: a round number}
  exponent: {is: 2, from: assumed, note: a round number}
  period: {is: 1000 us, from: assumed, note: a round number}
  step: {is: 0.75, from: assumed, note: a round number}
overlap:
  slice: {is: 4, from: assumed, note: a round number}
  body: {is: 2, from: assumed, note: a round number}
library:
  request: {is: 0.5 ns, from: assumed, note: a round number}
  receive: {is: 1, from: assumed, note: a round number}
)";

/// The example with one text in the place of another, which is in it.
inline std::string changed_gpu(const std::string& from, const std::string& to) {
  std::string text(kExampleGpu);
  return text.replace(text.find(from), from.size(), to);
}

inline LoadedGpu gpu_of(std::string_view text, const std::vector<std::string>& overrides = {}) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "g.yaml").string();
  std::ofstream(path) << text;
  return load_gpu(path, overrides);
}

/// What is refused of it, without the folder that it lies in.
inline std::string gpu_errors(std::string_view text, const std::vector<std::string>& overrides = {}) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "g.yaml").string();
  std::ofstream(path) << text;
  try {
    static_cast<void>(load_gpu(path, overrides));
    return "";
  } catch (const ConfigError& error) {
    std::string message = error.what();
    for (std::size_t at = 0; (at = message.find(path, at)) != std::string::npos;)
      message.replace(at, path.size(), "g.yaml");
    return message;
  }
}

}  // namespace kernbench
