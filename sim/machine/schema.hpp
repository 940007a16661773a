// The schema of a machine file: ONE table, a key an entry, from which reading, checking, error messages, the canonical
// form, the summary and the reference documentation all follow. A new key is one entry in schema_table.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "sim/base/quantity.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// How a file writes a value that is not known.
inline constexpr std::string_view kNone = "none";

inline constexpr std::string_view kMachineSchema = "kernbench.machine/1";

/// For a `ref` below, which only names a member: so it may be asked of a constant machine too.
inline MachineSpec& unlocked(const MachineSpec& spec) {
  return const_cast<MachineSpec&>(spec);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// A number with a dimension, kept in a std::int64_t of the MachineSpec in base units; limits as a file writes them.
struct QuantityField {
  Dimension dimension = Dimension::kCount;
  std::string_view least;
  std::string_view most;
  std::int64_t& (*ref)(MachineSpec&) = nullptr;
  bool may_be_unknown = false;  ///< written `none`, kept as kNotGiven (36.1)
  [[nodiscard]] std::int64_t get(const MachineSpec& spec) const { return ref(unlocked(spec)); }
};

/// A name that ends up in results and file names: letters, digits, '-', '_' and '.', beginning with a letter or digit.
struct NameField {
  std::string& (*ref)(MachineSpec&) = nullptr;
  std::string_view kind = {};                         ///< what messages call a name that is one of `known`
  std::span<const std::string> (*known)() = nullptr;  ///< the names that there are; any where null, or where none are
  [[nodiscard]] const std::string& get(const MachineSpec& spec) const { return ref(unlocked(spec)); }
};

/// A text with a grammar of its own.
struct TextField {
  std::string& (*ref)(MachineSpec&) = nullptr;
  std::string_view expected;                           ///< of messages: "places of ..."
  std::string_view pattern;                            ///< of the JSON schema
  std::string (*checked)(std::string_view) = nullptr;  ///< as it is kept; throws ConfigError "expected ..., got ..."
  [[nodiscard]] const std::string& get(const MachineSpec& spec) const { return ref(unlocked(spec)); }
};

/// One of a few words, kept as its index.
struct ChoiceField {
  std::span<const std::string_view> words;
  void (*set)(MachineSpec&, std::size_t) = nullptr;
  std::size_t (*get)(const MachineSpec&) = nullptr;
};

/// Whether the canonical form, and so the hash, has a line for a key that has its default value. A key added to the
/// schema is in it only where it differs, so that no machine's hash moves because the program learnt a key (3.10).
enum class InHash { kAlways, kUnlessDefault };

/// Where a key has to be given although it has a default: the default is for machines to which it means nothing.
enum class NeededWhere { kNowhere, kSeveralPackages, kSeveralDies, kArrayWithoutShape };

/// Whether a key that a file leaves out is named among what stands at defaults (3.5): not one whose default is to have
/// nothing of the kind.
enum class AtDefault { kTold, kNotTold };

struct MachineKey {
  std::string_view path;  ///< "die.hbm.burst"
  std::variant<QuantityField, NameField, TextField, ChoiceField> field;
  std::string_view default_value;  ///< as a file would write it; empty: the key is required
  std::string_view meaning;        ///< one line for the reference
  InHash in_hash = InHash::kAlways;
  NeededWhere needed = NeededWhere::kNowhere;
  AtDefault at_default = AtDefault::kTold;
};

/// "several packages": what makes this machine need the key although it has a default; "" where nothing does.
std::string_view needed_for(const MachineKey& key, const MachineSpec& spec);

/// Every key, in the order of the reference and of the canonical form.
std::span<const MachineKey> machine_keys();

/// The key at `path`, or nullptr.
const MachineKey* find_machine_key(std::string_view path);

/// The key at `path`, which our own code names: there is one.
const MachineKey& machine_key(std::string_view path);

/// "a frequency such as 1 GHz": how messages ask for the key's value.
std::string expected_value(const MachineKey& key);

/// Reads `text` into `spec`. Throws ConfigError ("expected ..., got ...", without a place) for a value that is
/// malformed or out of the key's range; `spec` is then unchanged.
void read_value(const MachineKey& key, std::string_view text, MachineSpec& spec);

/// The value in `spec` as a machine file may write it, e.g. "256 GB/s"; read_value reads the same value back.
std::string written_value(const MachineKey& key, const MachineSpec& spec);

/// The machine as text that does not depend on how its file was written: a line a key, integers in base units.
std::string canonical_form(const MachineSpec& spec, std::span<const MachineKey> keys = machine_keys());
/// The hash of a machine (3.10): SHA-256 of its canonical form.
[[nodiscard]] std::string machine_sha256(const MachineSpec& spec);

/// The reference of every key as a Markdown table: docs/machine-file.md contains exactly this.
std::string machine_file_reference();

}  // namespace kernbench
