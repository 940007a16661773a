#include "sim/machine/memory_places.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {

namespace {

constexpr std::array<std::string_view, 4> kEdges{"north", "south", "east", "west"};

bool is_edge(std::string_view text) { return std::ranges::find(kEdges, text) != kEdges.end(); }

std::optional<std::int64_t> coordinate(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

struct MeshPlace {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

std::optional<MeshPlace> place_of(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto row = coordinate(text.substr(0, comma));
  const auto column = coordinate(text.substr(comma + 1));
  if (!row || !column) return std::nullopt;
  return MeshPlace{*row, *column};
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& word : split(text, " ")) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

bool is_on(const MeshPlace& place, const GridSpec& routers) {
  return place.row < routers.rows && place.column < routers.columns;
}

void add_edge(std::string_view edge, const DieSpec& die, std::vector<ControllerPlace>& all) {
  const GridSpec& routers = die.routers;
  const bool along_row = edge == "north" || edge == "south";
  const bool perpendicular = die.hbm.routing == MemoryRouting::kPerpendicular;
  for (std::int64_t i = 0; i < (along_row ? routers.columns : routers.rows); ++i) {
    const std::int64_t row = along_row ? (edge == "north" ? 0 : routers.rows - 1) : i;
    const std::int64_t column = along_row ? i : (edge == "west" ? 0 : routers.columns - 1);
    all.push_back({static_cast<std::int32_t>(row * routers.columns + column), perpendicular && along_row,
                   perpendicular && !along_row});
  }
}

}  // namespace

std::string checked_controllers(std::string_view text) {
  const auto refuse = [text](const std::string& why) {
    throw ConfigError(
        "expected 'private', or edges (north, south, east, west) and places as ROW,COLUMN with blanks "
        "between, got " +
        in_quotes(text) + why);
  };
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) refuse("");
  std::vector<std::string> kept;
  for (const std::string& word : words) {
    const std::optional<MeshPlace> place = place_of(word);
    const bool alone = word == kPrivateHbm && words.size() == 1;
    if (!alone && !is_edge(word) && !place) refuse("");
    kept.push_back(place ? std::to_string(place->row) + ',' + std::to_string(place->column) : word);
    if (std::ranges::find(kept.begin(), kept.end() - 1, kept.back()) != kept.end() - 1) {
      refuse(": " + kept.back() + " is named twice");
    }
  }
  return joined(kept, " ");
}

std::vector<ControllerPlace> controller_places(const DieSpec& die) {
  std::vector<ControllerPlace> all;
  if (!die.hbm.shared()) {
    for (std::int64_t router = 0; router < die.routers.count(); ++router)
      all.push_back({static_cast<std::int32_t>(router)});
    return all;
  }
  for (const std::string& word : words_of(die.hbm.controllers)) {
    if (const std::optional<MeshPlace> place = place_of(word)) {
      all.push_back({static_cast<std::int32_t>(place->row * die.routers.columns + place->column)});
    } else {
      add_edge(word, die, all);
    }
  }
  return all;
}

std::vector<std::int32_t> controller_routers(const DieSpec& die) {
  std::vector<std::int32_t> routers;
  for (const ControllerPlace& place : controller_places(die)) routers.push_back(place.router);
  return routers;
}

bool names_an_edge(const DieSpec& die) { return std::ranges::any_of(words_of(die.hbm.controllers), is_edge); }

std::int64_t controllers_of_die(const DieSpec& die) {
  return die.hbm.shared() ? static_cast<std::int64_t>(controller_places(die).size()) : die.routers.count();
}

std::string place_off_the_mesh(const DieSpec& die) {
  for (const std::string& word : words_of(die.hbm.controllers)) {
    const std::optional<MeshPlace> place = place_of(word);
    if (place && !is_on(*place, die.routers)) return word;
  }
  return "";
}

void require_partitions(const MachineSpec& machine, std::string_view what) {
  if (!machine.die.hbm.shared()) return;
  throw ConfigError("machine " + machine.name + ": " + std::string(what) +
                    " needs a partition of HBM for each PE, and die.hbm.controllers (" + machine.die.hbm.controllers +
                    ") makes it one memory of all PEs of a die; take a machine with 'controllers: private'");
}

}  // namespace kernbench
