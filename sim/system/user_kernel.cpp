#include "sim/system/user_kernel.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/base/registry.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/system/kernel_names.hpp"

namespace kernbench {

namespace {

Registry<UserKernel>& user_registry() {
  static Registry<UserKernel> kernels("kernel");
  return kernels;
}

}  // namespace

std::int64_t KernelArguments::at(const std::string& name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, value] : values_) names.push_back(known);
  throw SimulationError("arguments.at: " + unknown_name("parameter", name, names) +
                        "; a parameter is registered with its kernel");
}

KernelArguments UserKernel::arguments(const std::map<std::string, std::int64_t>& given) const {
  KernelArguments values;
  for (const KernelParameter& parameter : parameters) values.set(parameter.name, parameter.value);
  for (const auto& [key, value] : given) {
    const auto parameter = std::ranges::find(parameters, key, &KernelParameter::name);
    if (parameter == parameters.end()) {
      std::vector<std::string_view> names;
      for (const KernelParameter& known : parameters) names.push_back(known.name);
      refuse_name("parameter of kernel " + name, key, names);
    }
    if (value < parameter->least || value > parameter->most) {
      throw ConfigError(key + ": expected a whole number from " + std::to_string(parameter->least) + " to " +
                        std::to_string(parameter->most) + ", got " + std::to_string(value));
    }
    values.set(key, value);
  }
  return values;
}

const std::vector<UserKernel>& user_kernels() { return user_registry().all(); }
const UserKernel& find_user_kernel(const std::string& name) {
  refuse_other_kinds(KernelKind::kUser, name);
  return user_registry().find(name);
}

RegisterKernel::RegisterKernel(UserKernel kernel, SourcePlace place) { user_registry().add(std::move(kernel), place); }

MultiPeResult run_user_kernel(const MachineSpec& machine, const UserKernel& kernel, const KernelArguments& arguments,
                              const std::vector<std::int32_t>& pes, const RunSettings& settings) {
  System system(machine, {.sink = settings.sink, .values = settings.verify, .ledger = true});
  KernelLaunch launch(
      kernel.name, [&](KernelPe pe) { return kernel.run(pe, arguments); }, pes);
  run_launches(system, {&launch}, settings.limit);
  return report_of(system, launch);
}

}  // namespace kernbench
