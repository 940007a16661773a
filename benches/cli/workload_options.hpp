// The options of a workload, by its axes, and the point that they make.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "benches/io/program/command.hpp"
#include "benches/workloads/workload.hpp"

namespace kernbench {

class WorkloadOptions {
 public:
  explicit WorkloadOptions(const Workload& workload);
  /// This object must live as long as the command's action.
  void add_to(CommandSpec& command);

  /// What is asked of a machine of this kind: values of each axis that it has. Throws ConfigError that begins with the
  /// option, also for one that such machines do not have.
  [[nodiscard]] PointValues values(MachineKind kind) const;
  /// The same where each has one value.
  [[nodiscard]] PointValues one_value(MachineKind kind) const;
  /// Fields of a point whose values are named together: the workload may leave some of them out.
  [[nodiscard]] std::vector<std::string> chosen_for_us() const;
  /// Of a command that has it: what it alone gives an effect needs it.
  void need_verify(const Option& verify);
  /// "--op", "gelu", ...: what was given.
  [[nodiscard]] std::vector<std::string> given() const;

 private:
  struct One {
    const WorkloadAxis& axis;
    std::shared_ptr<std::string> text;  ///< of all axes with this option
    [[nodiscard]] std::vector<AxisValue> values() const;
    Option* option = nullptr;  ///< null where nobody chooses
  };

  /// Kinds of machine may have axes of their own for an option.
  [[nodiscard]] const One& first_with(const std::string& option) const;
  [[nodiscard]] bool has_option(MachineKind kind, const std::string& option) const;

  std::vector<One> ones_;
};

}  // namespace kernbench
