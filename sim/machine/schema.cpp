// What follows from one entry of the schema: reading, writing, naming what was expected.
#include "sim/machine/schema.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/nearest.hpp"
#include "sim/base/sha256.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kLongestName = 64;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string got(std::string_view text) { return text.empty() ? ", got nothing" : ", got " + in_quotes(text); }

bool is_name(std::string_view text) {
  const auto alphanumeric = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return !text.empty() && text.size() <= kLongestName && alphanumeric(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

void read_quantity(const QuantityField& field, std::string_view text, MachineSpec& spec) {
  if (field.may_be_unknown && text == kNone) {
    field.ref(spec) = kNotGiven;
    return;
  }
  const auto value = parse_quantity(text, field.dimension);
  if (value < parse_quantity(field.least, field.dimension) || value > parse_quantity(field.most, field.dimension)) {
    throw ConfigError("out of range: expected " + std::string(field.least) + " to " + std::string(field.most) +
                      got(text));
  }
  field.ref(spec) = value;
}

void read_name(const NameField& field, const std::string& expected, std::string_view text, MachineSpec& spec) {
  if (!is_name(text)) throw ConfigError("expected " + expected + got(text));
  if (field.known != nullptr) {
    const auto known = field.known();
    if (!known.empty() && std::ranges::find(known, text) == known.end()) refuse_name(field.kind, text, known);
  }
  field.ref(spec) = text;
}

void read_choice(const ChoiceField& field, const std::string& expected, std::string_view text, MachineSpec& spec) {
  const auto word = std::find(field.words.begin(), field.words.end(), text);
  if (word == field.words.end()) {
    const auto nearest = nearest_name(text, std::vector<std::string>(field.words.begin(), field.words.end()));
    throw ConfigError("expected " + expected + got(text) +
                      (nearest.empty() ? "" : "; did you mean " + in_quotes(nearest) + "?"));
  }
  field.set(spec, static_cast<std::size_t>(word - field.words.begin()));
}

}  // namespace

std::string_view needed_for(const MachineKey& key, const MachineSpec& spec) {
  switch (key.needed) {
    case NeededWhere::kSeveralPackages:
      return spec.system.packages.count() > 1 ? "several packages" : "";
    case NeededWhere::kSeveralDies:
      if (spec.package.dies.count() > 1) return "several dies";
      return spec.system.packages.count() > 1
                 ? "several packages, and a die reaches the switch of its package by die-to-die ports"
                 : "";
    case NeededWhere::kArrayWithoutShape:
      return spec.pe.mac.has_shape() ? "" : "no pe.mac.rows and pe.mac.columns";
    case NeededWhere::kNowhere:
      break;
  }
  return "";
}

const MachineKey* find_machine_key(std::string_view path) {
  const auto keys = machine_keys();
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const MachineKey& k) { return k.path == path; });
  return key == keys.end() ? nullptr : &*key;
}

const MachineKey& machine_key(std::string_view path) {
  const MachineKey* key = find_machine_key(path);
  KB_CHECK(key != nullptr, "there is no key '" + std::string(path) + "' in a machine file");
  return *key;
}

std::string expected_value(const MachineKey& key) {
  return std::visit(
      Overloaded{[](const QuantityField& field) { return std::string(example_of(field.dimension)); },
                 [](const NameField&) { return std::string("a name of up to 64 letters, digits, '-', '_' and '.'"); },
                 [](const TextField& field) { return std::string(field.expected); },
                 [](const ChoiceField& field) {
                   std::string words;
                   for (const auto word : field.words) words += (words.empty() ? "" : ", ") + in_quotes(word);
                   return (field.words.size() > 1 ? "one of " : "") + words;
                 }},
      key.field);
}

void read_value(const MachineKey& key, std::string_view text, MachineSpec& spec) {
  std::visit(Overloaded{[&](const QuantityField& field) { read_quantity(field, text, spec); },
                        [&](const NameField& field) { read_name(field, expected_value(key), text, spec); },
                        [&](const TextField& field) { field.ref(spec) = field.checked(text); },
                        [&](const ChoiceField& field) { read_choice(field, expected_value(key), text, spec); }},
             key.field);
}

std::string written_value(const MachineKey& key, const MachineSpec& spec) {
  return std::visit(Overloaded{[&](const QuantityField& field) {
                                 const std::int64_t value = field.get(spec);
                                 return field.may_be_unknown && value == kNotGiven
                                            ? std::string(kNone)
                                            : format_quantity(value, field.dimension);
                               },
                               [&](const NameField& field) { return field.get(spec); },
                               [&](const TextField& field) { return field.get(spec); },
                               [&](const ChoiceField& field) { return std::string(field.words[field.get(spec)]); }},
                    key.field);
}

std::string canonical_form(const MachineSpec& spec, std::span<const MachineKey> keys) {
  std::string text;
  MachineSpec defaults = spec;
  for (const auto& key : keys) {
    const auto line = [&key](const MachineSpec& machine) {
      const auto* quantity = std::get_if<QuantityField>(&key.field);
      return std::string(key.path) + '=' +
             (quantity != nullptr ? std::to_string(quantity->get(machine)) : written_value(key, machine)) + '\n';
    };
    const std::string own = line(spec);
    if (key.in_hash == InHash::kUnlessDefault) {
      read_value(key, key.default_value, defaults);
      if (own == line(defaults)) continue;
    }
    text += own;
  }
  return text;
}

std::string machine_sha256(const MachineSpec& spec) {
  return spec.gpu != nullptr ? spec.gpu->sha256 : sha256_hex(canonical_form(spec));
}

}  // namespace kernbench
