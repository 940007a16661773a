// The sentences that begin the page of `kernbench whatif`.
#include <algorithm>

#include "benches/cli/whatif_report.hpp"
#include "benches/io/text/numbers.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::string times_as_fast(double faster) { return formatted("%.2f times as fast", faster); }

/// "a, b and c".
std::string listed(const std::vector<std::string>& words) {
  if (words.size() < 2) return joined(words, "");
  return joined({words.begin(), words.end() - 1}, ", ") + " and " + words.back();
}

/// "twice die.hbm.bandwidth and pe.stream_depth, half of pe.control_latency".
std::string changes_text(const Changes& changes, const MachineSpec& machine) {
  std::vector<std::string> parts;
  for (const Factor factor : {kTwice, kHalf}) {
    std::vector<std::string> keys;
    for (const KeyChange& change : changes) {
      if (change.factor == factor) keys.push_back(name_with_others(change.key, machine));
    }
    if (!keys.empty()) parts.push_back((factor == kTwice ? "twice " : "half of ") + listed(keys));
  }
  return joined(parts, ", ");
}

std::string first_stair(const WhatIfReport& report) {
  const WhatIf& answer = report.answer;
  if (!report.stairs_asked) return "";
  if (answer.stairs.empty()) return "No change of hardware that was tried makes it 5 % faster.";
  const Stair& first = answer.stairs.front();
  std::string text = changes_text(first.changes, report.machine);
  text.front() = text.front() == 't' ? 'T' : 'H';
  text += (first.changes.size() > 1 ? " together make it " : " makes it ") + times_as_fast(first.faster);
  if (first.added_cost && *first.added_cost > 0) {
    text += " for " + short_number(*first.added_cost) + " " + report.machine.cost.unit + " more";
  }
  if (answer.stairs.size() > 1) {
    text += "; with " + counted(static_cast<std::int64_t>(answer.stairs.size() - 1), "more stair") + " it is " +
            times_as_fast(times_faster(answer.base, answer.stairs.back().row));
  }
  return text + ".";
}

/// What one key alone gains; "" where it cannot be doubled, or is the first stair.
std::string alone(const WhatIf& answer, const TopologyKey& key) {
  const auto is_it = [&key](const auto& one) { return one.key == key; };
  const auto effect = std::ranges::find_if(answer.effects, is_it);
  if (effect == answer.effects.end() || effect->twice.status != "ok") return "";
  if (!answer.stairs.empty() && answer.stairs.front().changes.size() == 1 &&
      is_it(answer.stairs.front().changes.front())) {
    return "";
  }
  const double gain = times_faster(answer.base, effect->twice) - 1;
  if (gain < -kNoEffect) return " Twice " + std::string(key.path()) + " alone loses " + percent(-gain) + ".";
  return " Twice " + std::string(key.path()) + " alone gains " + (gain < kNoEffect ? "nothing" : percent(gain)) + ".";
}

/// Keys of which the answer is always said: who asks has them in mind.
std::vector<TopologyKey> asked_first(const MachineSpec& machine) {
  if (kind_of(machine) == MachineKind::kPes) return {topology_key("pe.mac.macs_per_cycle")};
  return {topology_key("sm.count"), topology_key("hbm.bandwidth"), topology_key("l2.capacity")};
}

}  // namespace

std::string what_if_headline(const WhatIfReport& report) {
  const WhatIf& answer = report.answer;
  std::string text = first_stair(report);
  if (answer.free) {
    text = "Another mapping, on the machine as it is, makes it " +
           times_as_fast(times_faster(answer.base, answer.free->row)) + ". " + text;
  }
  const KeyChange* const first = answer.stairs.empty() ? nullptr : &answer.stairs.front().changes.front();
  if (first != nullptr && answer.stairs.front().changes.size() > 1 && first->factor == kTwice) {
    text += alone(answer, first->key);
  }
  for (const TopologyKey& key : asked_first(report.machine)) {
    if (first == nullptr || first->key != key) text += alone(answer, key);
  }
  return text.starts_with(' ') ? text.substr(1) : text;
}

}  // namespace kernbench
