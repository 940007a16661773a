// `kernbench-gpu device`: what the GPU is and can do at best, as device.json.
#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/options.hpp"
#include "benches/io/files/own_file.hpp"
#include "benches/io/program/program.hpp"
#include "benches/measured/cases/device_peaks.hpp"

namespace kernbench::gpu {
namespace {

std::function<int()> set_up(CommandSpec& command) {
  auto options = Options::add_to(command, "out/gpu/device.json");
  return [options] {
    if (options->list) return 0;
    write_own_file(options->out, format_device(describe_gpu(read_facts(0))));
    return 0;
  };
}

const bool registered = register_command({10, "device", "What the GPU is, and its peaks", set_up});

}  // namespace
}  // namespace kernbench::gpu
