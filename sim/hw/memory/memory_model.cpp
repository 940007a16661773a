#include "sim/hw/memory/memory_model.hpp"

#include <utility>

#include "sim/base/registry.hpp"
#include "sim/machine/memory_model_names.hpp"

namespace kernbench {
namespace {

Registry<MemoryModel>& model_registry() {
  static Registry<MemoryModel> models("memory model");
  return models;
}

}  // namespace

RegisterMemoryModel::RegisterMemoryModel(MemoryModel model, SourcePlace place) {
  const std::string name = model.name;
  model_registry().add(std::move(model), place);
  add_memory_model_name(name);
}

const std::vector<MemoryModel>& memory_models() { return model_registry().all(); }

std::unique_ptr<HbmPartition> make_hbm_partition(const std::string& name, Calendar& calendar, const HbmSpec& spec) {
  return model_registry().find(spec.model, "die.hbm.model").make(name, calendar, spec);
}

}  // namespace kernbench
