#include "sim/machine/energy.hpp"

#include <algorithm>

#include "sim/base/checked.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {

namespace {

constexpr std::string_view kSection = "energy.";
constexpr std::string_view kInFemtojoules = "fJ (9223 J)";

/// A part as its counts come in; a count without an energy leaves it open, and names the key.
class Part {
 public:
  Part(RunEnergy& run, std::string_view name) : run_(run), name_(name) {}

  void add(std::string_view key, std::int64_t count, std::int64_t each) {
    if (count == 0) return;
    counted_ = true;
    if (each == kNotGiven) {
      known_ = false;
      if (run_.missing.empty()) run_.missing = std::string(kSection).append(key);
      return;
    }
    const std::string what = "energy of " + std::string(name_);
    sum_ = checked_add(sum_, checked_multiply(count, each, what, kInFemtojoules), what, kInFemtojoules);
  }

  void finish() const {
    if (counted_) run_.parts.push_back({name_, known_ ? std::optional(sum_) : std::nullopt});
  }

 private:
  RunEnergy& run_;
  std::string_view name_;
  bool counted_ = false;
  bool known_ = true;
  std::int64_t sum_ = 0;
};

}  // namespace

Activity& Activity::operator+=(const Activity& other) {
  const auto add = [](std::int64_t& sum, std::int64_t more) { sum = checked_add(sum, more, "activity of a run", ""); };
  for (std::size_t i = 0; i < macs.size(); ++i) add(macs[i], other.macs[i]);
  for (const auto member :
       {&Activity::vector_operations, &Activity::registers, &Activity::tcm, &Activity::sram, &Activity::hbm,
        &Activity::router, &Activity::die_to_die, &Activity::package_link, &Activity::pes}) {
    add(this->*member, other.*member);
  }
  return *this;
}

bool has_energy(const EnergySpec& energy) {
  MachineSpec machine;
  machine.energy = energy;
  return std::ranges::any_of(machine_keys(), [&](const MachineKey& key) {
    return key.path.starts_with(kSection) && std::get<QuantityField>(key.field).get(machine) != kNotGiven;
  });
}

RunEnergy energy_of(const EnergySpec& energy, const Activity& activity, Picoseconds time) {
  RunEnergy run;
  Part mac(run, "mac");
  for (const Dtype dtype : kOperandDtypes.values()) {
    mac.add("mac." + std::string(name_of(dtype)), activity.macs.at(static_cast<std::size_t>(dtype)),
            energy.mac.of(dtype));
  }
  mac.finish();
  const auto part = [&run](std::string_view name, std::int64_t count, std::int64_t each) {
    Part one(run, name);
    one.add(name, count, each);
    one.finish();
  };
  part("vector", activity.vector_operations, energy.vector);
  part("registers", activity.registers, energy.registers);
  part("tcm", activity.tcm, energy.tcm);
  part("sram", activity.sram, energy.sram);
  part("hbm", activity.hbm, energy.hbm);
  part("router", activity.router, energy.router);
  part("die_to_die", activity.die_to_die, energy.die_to_die);
  part("package_link", activity.package_link, energy.package_link);
  part("static", checked_multiply(activity.pes, time.value, "time of all PEs", kInPicoseconds), energy.static_power);
  if (!run.missing.empty() || run.parts.empty()) return run;
  std::int64_t total = 0;
  for (const EnergyPart& one : run.parts) {
    total = checked_add(total, *one.femtojoules, "energy of the run", kInFemtojoules);
  }
  run.total = total;
  return run;
}

}  // namespace kernbench
