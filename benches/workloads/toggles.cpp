#include "benches/workloads/toggles.hpp"

#include <set>

#include "benches/workloads/selection.hpp"

namespace kernbench {

Json toggles_json(const std::string& bench, const std::vector<Axis>& toggles, const std::string& show) {
  const std::vector<std::set<std::string>> named = named_labels("--show", bench, toggles, show);
  Json json = Json::array();
  for (std::size_t i = 0; i < toggles.size(); ++i) {
    const Axis& axis = toggles[i];
    Json values = Json::array();
    for (const AxisValue& value : axis.values) {
      const bool shown = named[i].empty() || named[i].contains(value.label);
      values.push_back({{"label", value.label},
                        {"value", value.fields.is_object() ? value.fields.at(axis.name) : value.fields},
                        {"shown", shown}});
    }
    json.push_back({{"name", axis.name}, {"values", std::move(values)}});
  }
  return json;
}

}  // namespace kernbench
