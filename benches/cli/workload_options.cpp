#include "benches/cli/workload_options.hpp"

#include "benches/harness/program/option_values.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

std::string meaning_of(const WorkloadAxis& axis) {
  if (!axis.only_on) return axis.words.meaning;
  return axis.words.meaning + (*axis.only_on == MachineKind::kGpu ? " (GPUs)" : " (machines of PEs)");
}

}  // namespace

WorkloadOptions::WorkloadOptions(const Workload& workload) {
  ones_.reserve(workload.axes.size());
  for (const WorkloadAxis& axis : workload.axes) ones_.push_back({axis, axis.required ? "" : axis.usual.label});
}

void WorkloadOptions::add_to(CommandSpec& command) {
  for (One& one : ones_) {
    if (!one.axis.open) continue;
    Option& option = command.add_option(one.axis.words.option, one.text, meaning_of(one.axis));
    option.type_name(one.axis.type_name);
    if (one.axis.least) option.rule(whole_number(*one.axis.least, *one.axis.most));
    if (one.axis.required) {
      option.required();
    } else {
      option.show_default();
    }
    one.option = &option;
  }
}

Point WorkloadOptions::point(MachineKind kind) const {
  Point point = Json::object();
  for (const One& one : ones_) {
    const AxisWords& words = one.axis.words;
    if (!one.axis.applies_to(kind)) {
      if (one.option == nullptr || !one.option->given()) continue;
      throw ConfigError(words.option + ": expected " +
                        (kind == MachineKind::kGpu ? "a machine of PEs; the machine file is a GPU"
                                                   : "a machine file of `kind: gpu`"));
    }
    if (one.option == nullptr) {
      point[words.name] = one.axis.usual.fields;
      continue;
    }
    try {
      point[words.name] = one.axis.open->read(one.text).fields;
    } catch (const ConfigError& error) {
      throw ConfigError(words.option + ": " + error.what());
    }
  }
  return point;
}

std::vector<std::string> WorkloadOptions::given() const {
  std::vector<std::string> words;
  for (const One& one : ones_) {
    if (one.option != nullptr && one.option->given()) {
      words.insert(words.end(), {one.axis.words.option, one.text});
    }
  }
  return words;
}

}  // namespace kernbench
