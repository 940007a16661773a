// The options by which every command that needs a machine takes one: --topology and --set.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "benches/io/program/command.hpp"
#include "benches/workloads/bench.hpp"
#include "sim/machine/load_machine.hpp"

namespace kernbench {

class MachineOptions {
 public:
  /// Whether the machine file may also be given without --topology, for commands that have no other such argument.
  enum class File { kOption, kArgumentToo };

  /// Adds the options; the returned object lives as long as the command's action holds it.
  static std::shared_ptr<MachineOptions> add_to(CommandSpec& command, File file = File::kOption);

  /// --packet, for what packets cross the network of.
  void add_packet(CommandSpec& command);

  /// "--topology", FILE, "--set", KEY=VALUE, ... as they were given.
  [[nodiscard]] std::vector<std::string> given() const;

  /// As --set gave them.
  [[nodiscard]] const std::vector<std::string>& overrides() const { return overrides_; }
  /// The file that is read, and of what kind its machine is.
  [[nodiscard]] std::string file() const;
  [[nodiscard]] MachineKind kind() const;

  /// Reads the machine file and applies the overrides; of `defaults` ("key.path=value" as well) those whose key --set
  /// does not name. Throws ConfigError with all that is wrong.
  [[nodiscard]] LoadedMachine load(const std::vector<std::string>& defaults = {}) const;
  /// The bench as it is on the kind of machine that --topology names; itself where there is no such side, which load()
  /// refuses.
  [[nodiscard]] const Bench& side_of(const Bench& bench) const;
  /// On which a bench runs: its own machine file where none was given, with its defaults.
  [[nodiscard]] LoadedMachine load(const Bench& bench) const;

 private:
  [[nodiscard]] std::vector<std::string> with_defaults(const std::vector<std::string>& defaults) const;
  std::string topology_;
  std::vector<std::string> overrides_;
  std::string packet_;
};

/// Throws ConfigError that begins with the option where the machine is a GPU.
void require_pes(const LoadedMachine& machine, const std::string& option);

/// Throws ConfigError for a bench that is held against measured rows of one machine; `asked`: what takes none,
/// "search".
void require_any_machine(const Bench& bench, const std::string& asked);

/// A machine file for a bench, which takes GPUs or PEs. Throws ConfigError for the other kind.
[[nodiscard]] LoadedMachine load_bench_machine(const Bench& bench, const std::string& file,
                                               const std::vector<std::string>& overrides);

/// On which a bench runs where the user names none.
[[nodiscard]] std::string usual_machine_file(const Bench& bench);

/// Says on standard error what of a machine stands at its defaults because the file leaves it out: collectives and
/// probes take times from it. Nothing where the file is whole.
void note_defaults(const LoadedMachine& machine);

/// Says on standard error which buffers of the machine's network are too small for its packets (ADR-0020, 20.14).
void warn_of_buffers(const MachineSpec& machine);
/// Of a GPU, on stderr: of the keys that these set those that move no time, and those that mean little without others
/// which these do not set (35.13).
void note_keys_without_time(const std::vector<std::string>& overrides);
void note_keys_that_stay(const std::vector<std::string>& overrides, const MachineSpec& gpu);

/// On stderr, each a line.
void print_notes(const std::vector<std::string>& notes);

}  // namespace kernbench
