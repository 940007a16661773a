#include "sim/plan/training_injection.hpp"

#include <algorithm>
#include <map>

#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/plan/network/package_clock.hpp"

namespace kernbench {

namespace {

constexpr std::int64_t kLowestClock = kOwnClock / 100;
constexpr std::int64_t kHighestClock = 100 * kOwnClock;

class InjectionText {
 public:
  InjectionText(std::string_view text, const InjectionLimits& limits, std::string_view place)
      : place_(std::string(place) + " " + in_quotes(text)), limits_(limits) {
    const std::vector<std::string> known{"rank", "steps", "clock", "delay", "gemm", "extra"};
    for (const std::string& part : split(text, ",")) {
      const std::size_t equals = part.find('=');
      const std::string name(trimmed(part.substr(0, equals)));
      if (equals == std::string::npos) refuse("expected FIELD=VALUE with commas between, got " + in_quotes(part));
      if (std::ranges::count(known, name) == 0) refuse_name("field", name, known, place_);
      if (!fields_.emplace(name, trimmed(std::string_view(part).substr(equals + 1))).second) {
        refuse(name + ": expected once, got it twice");
      }
    }
  }

  [[nodiscard]] TrainingInjection read() const {
    TrainingInjection injection;
    injection.rank = static_cast<std::int32_t>(whole("rank", required("rank"), limits_.ranks - 1));
    injection.last_step = limits_.steps - 1;
    if (const std::string* steps = find("steps")) read_steps(*steps, injection);
    const auto kinds = fields_.count("clock") + fields_.count("delay") + fields_.count("extra");
    if (kinds != 1) refuse("expected one of clock, delay, extra, got " + std::to_string(kinds) + " of them");
    if (const std::string* clock = find("clock")) {
      injection.clock = quantity("clock", *clock, Dimension::kRatio);
      if (*injection.clock < kLowestClock || *injection.clock > kHighestClock) {
        refuse("clock: expected 0.01 to 100, a share of the machine's, got " + *clock);
      }
    }
    if (const std::string* delay = find("delay")) {
      injection.delay = Picoseconds{quantity("delay", *delay, Dimension::kTime)};
    }
    if (const std::string* extra = find("extra")) {
      injection.extra = Picoseconds{quantity("extra", *extra, Dimension::kTime)};
      injection.gemm = gemm(required("gemm"));
    } else if (find("gemm") != nullptr) {
      refuse("gemm: expected extra=TIME beside it");
    }
    return injection;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw ConfigError(place_ + ": " + why); }

  [[nodiscard]] const std::string* find(const std::string& name) const {
    const auto found = fields_.find(name);
    return found == fields_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const std::string& required(const std::string& name) const {
    const std::string* value = find(name);
    if (value == nullptr) refuse("expected " + name + "=VALUE, got none");
    return *value;
  }
  [[nodiscard]] std::int64_t quantity(const std::string& field, const std::string& text, Dimension dimension) const {
    try {
      return parse_quantity(text, dimension);
    } catch (const ConfigError& error) {
      refuse(field + ": " + error.what());
    }
  }
  [[nodiscard]] std::int64_t whole(const std::string& field, const std::string& text, std::int64_t most) const {
    const std::int64_t value = quantity(field, text, Dimension::kCount);
    if (value > most) refuse(field + ": expected 0 to " + std::to_string(most) + ", got " + text);
    return value;
  }
  void read_steps(const std::string& text, TrainingInjection& injection) const {
    const std::vector<std::string> ends = split(text, "..");
    if (ends.size() > 2) refuse("steps: expected STEP or FIRST..LAST, got " + text);
    injection.first_step = whole("steps", ends.front(), limits_.steps - 1);
    injection.last_step = whole("steps", ends.back(), limits_.steps - 1);
    if (injection.first_step > injection.last_step) refuse("steps: expected FIRST..LAST in order, got " + text);
  }
  [[nodiscard]] std::size_t gemm(const std::string& text) const {
    std::vector<std::string> names;
    for (const TrainingGemm& of : limits_.step->gemms) names.push_back(of.name);
    const auto found = std::ranges::find(names, text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) refuse_name("gemm", text, names, place_);
    return static_cast<std::size_t>(whole("gemm", text, static_cast<std::int64_t>(names.size()) - 1));
  }

  std::string place_;
  const InjectionLimits& limits_;
  std::map<std::string, std::string> fields_;
};

}  // namespace

TrainingInjection parse_injection(std::string_view text, const InjectionLimits& limits, std::string_view place) {
  return InjectionText(text, limits, place).read();
}

std::vector<TrainingInjection> parse_injections(std::string_view text, const InjectionLimits& limits,
                                                std::string_view place) {
  std::vector<TrainingInjection> injections;
  for (const std::string& part : split(text, ";")) {
    const TrainingInjection& added = injections.emplace_back(parse_injection(trimmed(part), limits, place));
    for (std::size_t i = 0; i + 1 < injections.size() && added.clock; ++i) {
      const TrainingInjection& other = injections[i];
      const bool meet = other.first_step <= added.last_step && added.first_step <= other.last_step;
      if (!other.clock || other.rank != added.rank || !meet) continue;
      throw ConfigError(std::string(place) + " " + in_quotes(text) + ": the clock of rank " +
                        std::to_string(added.rank) + " is set twice in step " +
                        std::to_string(std::max(added.first_step, other.first_step)) + "; expected once");
    }
  }
  return injections;
}

std::int64_t injected_clock(const std::vector<TrainingInjection>& injections, std::int32_t rank, std::int64_t step) {
  for (const TrainingInjection& injection : injections) {
    if (injection.rank == rank && injection.in(step) && injection.clock) return *injection.clock;
  }
  return kOwnClock;
}

Picoseconds injected_delay(const std::vector<TrainingInjection>& injections, std::int32_t rank, std::int64_t step) {
  Picoseconds delay{};
  for (const TrainingInjection& injection : injections) {
    if (injection.rank == rank && injection.in(step) && injection.delay) delay += *injection.delay;
  }
  return delay;
}

Picoseconds injected_extra(const std::vector<TrainingInjection>& injections, std::int32_t rank, std::int64_t step,
                           std::size_t gemm) {
  Picoseconds extra{};
  for (const TrainingInjection& injection : injections) {
    if (injection.rank == rank && injection.in(step) && injection.extra && injection.gemm == gemm) {
      extra += *injection.extra;
    }
  }
  return extra;
}

}  // namespace kernbench
