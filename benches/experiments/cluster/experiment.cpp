#include "benches/experiments/cluster/experiment.hpp"

#include <set>

#include "benches/io/files/program_identity.hpp"
#include "benches/results/rows/checked_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/schema.hpp"
#include "sim/system/model_version.hpp"

namespace kernbench {
namespace {

Json machine_to_json(const MachineSpec& machine) {
  Json keys = Json::object();
  for (const MachineKey& key : machine_keys()) keys[std::string(key.path)] = written_value(key, machine);
  return keys;
}

MachineSpec machine_from_json(const CheckedJson& keys) {
  MachineSpec machine;
  for (const MachineKey& key : machine_keys()) {
    read_value(key, keys.at(std::string(key.path)).string(), machine);
  }
  return machine;
}

/// The fields of both objects in which they differ.
std::vector<std::string> differing(const Json& one, const Json& other) {
  std::set<std::string> names;
  for (const Json* json : {&one, &other}) {
    for (const auto& [name, value] : json->items()) names.insert(name);
  }
  std::vector<std::string> different;
  for (const std::string& name : names) {
    if (one.value(name, Json()) != other.value(name, Json())) different.push_back(name);
  }
  return different;
}

}  // namespace

Json experiment_to_json(const Experiment& experiment) {
  return {{"schema", kExperimentSchema},
          {"bench", experiment.bench},
          {"bench version", experiment.bench_version},
          {"sweep", experiment.swept},
          {"machine", machine_to_json(experiment.machine)},
          {"machine hash", machine_sha256(experiment.machine)},
          {"verify", experiment.settings.verify},
          {"model", kModelVersion},
          {"program", program_identity()},
          {"limits", {{"jobs", experiment.jobs}, {"timeout_s", experiment.timeout_s}, {"memory", experiment.memory}}}};
}

std::vector<std::string> experiment_differences(const Json& one, const Json& other) {
  std::vector<std::string> phrases;
  for (const std::string& name : differing(one, other)) {
    if (name == "limits" || name == "machine hash") continue;
    if (name != "machine") {
      phrases.push_back("another " + name);
      continue;
    }
    for (const std::string& key : differing(one.at(name), other.at(name))) phrases.push_back("another " + key);
  }
  return phrases;
}

Experiment read_experiment(const std::filesystem::path& file) {
  const Json json = parse_json(read_file(file), file.string());
  const CheckedJson checked(json, file.string());
  if (checked.at("schema").string() != kExperimentSchema) checked.at("schema").expected(kExperimentSchema);
  Experiment experiment;
  experiment.bench = checked.at("bench").string();
  experiment.bench_version = find_bench(experiment.bench).version;
  experiment.swept = json.value("sweep", false);
  experiment.machine = machine_from_json(checked.at("machine"));
  experiment.settings.verify = json.value("verify", false);
  const CheckedJson limits = checked.at("limits");
  experiment.jobs = static_cast<int>(limits.at("jobs").integer());
  experiment.timeout_s = limits.at("timeout_s").number();
  experiment.memory = limits.at("memory").integer();
  const std::vector<std::string> differences = experiment_differences(json, experiment_to_json(experiment));
  if (!differences.empty() || checked.at("machine hash").string() != machine_sha256(experiment.machine)) {
    throw ConfigError(file.string() + " is of an experiment that this program cannot do: " +
                      (differences.empty() ? std::string("another machine hash") : joined_in_words(differences)) +
                      ": expected the very build of kernbench that submitted it");
  }
  return experiment;
}

}  // namespace kernbench
