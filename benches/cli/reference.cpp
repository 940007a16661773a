// `kernbench reference`: measured and published numbers that simulated ones are held against.
#include "benches/cli/reference_commands.hpp"
#include "benches/io/program/command_group.hpp"

namespace kernbench::reference_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench reference list
  kernbench reference show nvidia-h200 gpu-gemm --only dtype=bf16,l2=warm
  kernbench reference import out/gpu/*.json
  kernbench reference predict error benches/reference/nvidia-h200/gemm.json

`kernbench reference show --help` and likewise for the others say more; docs/reference.md has it all.)";

std::function<int()> set_up(CommandSpec& command) {
  command.footer(kExamples);
  add_commands(command,
               {{1, "list", "What there is: devices, files, rows, versions", reference_list_command::set_up},
                {2, "show", "A device's card and its rows", reference_show_command::set_up},
                {3, "import", "Check files and take them in", reference_import_command::set_up},
                {4, "predict", "GEMM throughput learned from rows: error, tflops", reference_predict_command::set_up}});
  return {};  // one of them is run
}

const bool registered =
    register_command({50, "reference", "Measured and published numbers: list, show, import, predict", set_up});

}  // namespace
}  // namespace kernbench::reference_command
