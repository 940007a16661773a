// Kernels of one's own: a program for several PEs, registered by name in one file (docs/kernels.md, adr/0030).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/system/multi_pe_report.hpp"
#include "sim/system/run.hpp"

namespace kernbench {

/// A whole number that a kernel is told: `kernbench sim NAME --rows 256`.
struct KernelParameter {
  std::string name;
  std::string summary;
  std::int64_t value = 0;  ///< where nothing else is said
  std::int64_t least = 0;
  std::int64_t most = 1'000'000;
};

/// Every parameter of a kernel with its value.
class KernelArguments {
 public:
  /// Throws SimulationError, which names those that there are, for a name that the kernel has not registered.
  [[nodiscard]] std::int64_t at(const std::string& name) const;
  void set(const std::string& name, std::int64_t value) { values_[name] = value; }
  [[nodiscard]] const std::map<std::string, std::int64_t>& all() const { return values_; }

 private:
  std::map<std::string, std::int64_t> values_;
};

struct UserKernel {
  std::string name;
  std::string summary;
  std::vector<KernelParameter> parameters;
  Process (*run)(KernelPe pe, KernelArguments arguments) = nullptr;

  /// All parameters, those given with these values. Throws ConfigError for what is no parameter or no value of it.
  [[nodiscard]] KernelArguments arguments(const std::map<std::string, std::int64_t>& given = {}) const;
};

[[nodiscard]] const std::vector<UserKernel>& user_kernels();
/// Throws ConfigError that names the nearest kernel, and all of them.
[[nodiscard]] const UserKernel& find_user_kernel(const std::string& name);
/// `const RegisterKernel kRegistered({"name", "summary", {{"rows", "of a matrix", 256, 1}}, run});` in the kernel's own
/// file.
class RegisterKernel {
 public:
  explicit RegisterKernel(UserKernel kernel, SourcePlace place = SourcePlace::here());
};

/// On PEs `pes` of the machine; rank r is PE pes[r]. Throws ConfigError for wrong input, SimulationError for a
/// deadlock, an exceeded limit, a race or what the kernel finds wrong.
[[nodiscard]] MultiPeResult run_user_kernel(const MachineSpec& machine, const UserKernel& kernel,
                                            const KernelArguments& arguments, const std::vector<std::int32_t>& pes,
                                            const RunSettings& settings = {});

}  // namespace kernbench
