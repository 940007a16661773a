#include "benches/traces/events/trace_fields.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "benches/io/text/json.hpp"
#include "benches/io/text/plain_text.hpp"

namespace kernbench::traces {
namespace {

/// Of a number, or a text of one, as some launchers write ranks.
std::optional<std::int64_t> whole_number_of(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

void read_distributed(const std::string& text, const std::string& file, RankTrace& trace) {
  const Json info = parse_json(text, file + ": distributedInfo");
  if (!info.is_object()) return;
  const auto number = [](const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() ? std::nullopt : whole_number_of(*found);
  };
  trace.distributed.rank = number(info, "rank");
  trace.distributed.world_size = number(info, "world_size").value_or(0);
  const auto groups = info.find("pg_config");
  if (groups == info.end() || !groups->is_array()) return;
  for (const Json& entry : *groups) {
    if (!entry.is_object() || !entry.contains("pg_name") || !entry.contains("ranks")) continue;
    DistributedInfo::Group group;
    const Json& name = entry["pg_name"];
    group.name = plain_text(name);
    if (!entry["ranks"].is_array()) continue;
    for (const Json& rank : entry["ranks"]) {
      if (const auto number = whole_number_of(rank)) group.ranks.push_back(*number);
    }
    trace.distributed.groups.push_back(std::move(group));
  }
}

}  // namespace

void read_trace_fields(const EventBatches& batches, const std::string& file, RankTrace& trace) {
  for (const auto& [name, text] : batches.fields()) {
    if (name == EventBatches::kDistributedInfo) {
      read_distributed(text, file, trace);
      continue;
    }
    if (name == EventBatches::kMerge) {
      trace.warnings.emplace_back(
          "several ranks merged into one file: they are taken as one; read the files they came from");
      continue;
    }
    const Json value = parse_json(text, file + ": " + name);
    if (name == EventBatches::kBaseTime && value.is_number_integer()) {
      trace.base_time_ns = value.get<std::int64_t>();
      trace.has_base_time = true;
    }
    if (name != EventBatches::kDevices || !value.is_array()) continue;
    for (const Json& device : value) {
      const bool has_name = device.is_object() && device.contains("name") && device["name"].is_string();
      if (has_name) trace.devices.push_back(device["name"].get<std::string>());
    }
  }
}

}  // namespace kernbench::traces
