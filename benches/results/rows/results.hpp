// The result schema `kernbench.results/1` (docs/results.md): one form for simulated, theoretical, measured and
// published numbers. A file is an envelope (who produced it) and rows (one a point).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benches/io/text/json.hpp"
#include "benches/results/rows/metrics.hpp"

namespace kernbench {

struct StageRow {
  std::string stage;
  std::string engine;
  double wall_ns = 0;  ///< union of the stage's busy intervals
  double busy_ns = 0;  ///< their sum (occupancy)
  std::int64_t records = 0;
  std::int64_t bytes = 0;
  std::int64_t macs = 0;
  std::optional<double> energy_pj{};  ///< dynamic; nothing where it is not known, or not that of one stage (36.10)
};

/// The link in one direction between two neighbouring routers of a package. Places are columns (x) and rows (y) of the
/// package's mesh of routers.
struct LinkRow {
  std::string name;
  std::int64_t from_x = 0;
  std::int64_t from_y = 0;
  std::int64_t to_x = 0;
  std::int64_t to_y = 0;
  std::int64_t wires = 0;  ///< connections that it is made of
  double utilisation = 0;  ///< time in which it carries bytes / time of the run
};

struct Row {
  Json point = Json::object();  ///< axis name -> value, e.g. {"m":512,"k":512,"n":512,"variant":"load_ref"}
  std::string status = "ok";    ///< "ok", "failed" or "skipped" (left out on purpose: no run was tried)
  std::string reason;           ///< why it failed or was skipped; empty when ok
  Metrics metrics;
  std::vector<StageRow> stages;
  Json windows = Json::object();   ///< e.g. {"pe_ns":..., "composite_ns":...}
  std::vector<std::string> flags;  ///< e.g. "under_tile"
  std::vector<LinkRow> links;      ///< where a bench wants a map of them; else empty, and not written
  Json timeline = Json::object();  ///< times that files beside the results are made of; where empty, not written
};

struct Source {
  std::string kind;            ///< sim, theory, gpu:<device>, published:<where>
  std::string machine;         ///< machine name
  std::string machine_sha256;  ///< of the machine's canonical form, --set applied
  std::string model;           ///< version of the simulator's model (adr/), raised when a number changes
  std::string bench;           ///< version of the bench definition
  /// Keys of the machine that --set gave, with their values; the machine's file has the others.
  std::map<std::string, std::string> settings{};
};

struct Results {
  std::string bench;
  Source source;
  Json provenance = Json::object();  ///< host, created_at, wall_s: what varies; comparisons leave it out
  std::vector<Row> rows;
};

}  // namespace kernbench
