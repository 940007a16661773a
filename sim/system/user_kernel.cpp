#include "sim/system/user_kernel.hpp"

#include <algorithm>
#include <charconv>
#include <set>
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

KernelArguments UserKernel::arguments(const std::vector<std::string>& texts) const {
  KernelArguments values;
  for (const KernelParameter& parameter : parameters) values.set(parameter.name, parameter.value);
  std::set<std::string> given;
  for (const std::string& text : texts) {
    const std::size_t at = text.find('=');
    const std::string key = text.substr(0, at);
    const auto parameter = std::ranges::find(parameters, key, &KernelParameter::name);
    if (parameter == parameters.end()) {
      std::vector<std::string_view> names;
      for (const KernelParameter& known : parameters) names.push_back(known.name);
      refuse_name("--arg of kernel " + name, key, names);
    }
    std::int64_t value = 0;
    const char* begin = at == std::string::npos ? text.data() + text.size() : text.data() + at + 1;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || stop != end || value < parameter->least || value > parameter->most) {
      throw ConfigError("--arg " + in_quotes(text) + ": expected " + key + "=WHOLE NUMBER from " +
                        std::to_string(parameter->least) + " to " + std::to_string(parameter->most));
    }
    if (!given.insert(key).second) throw ConfigError("--arg " + key + ": expected once");
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

OverResult run_user_kernel(const MachineSpec& machine, const UserKernel& kernel, const KernelArguments& arguments,
                           const std::vector<std::int32_t>& pes, const RunSettings& settings) {
  System system(machine, {.sink = settings.sink, .values = settings.verify, .ledger = true});
  KernelLaunch launch(
      kernel.name, [&](KernelPe pe) { return kernel.run(pe, arguments); }, pes);
  run_launches(system, {&launch}, settings.limit);
  return report_of(system, launch);
}

}  // namespace kernbench
