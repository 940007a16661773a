#include "sim/machine/gpu/load_gpu.hpp"

#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/sha256.hpp"
#include "sim/machine/gpu/gpu_reader.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20U;

std::string canonical_gpu(const LoadedGpu& gpu) {
  std::string text = std::string(kGpuSchema) + "\nname=" + gpu.spec.name + "\n";
  for (const GpuKey& key : gpu_keys()) {
    const auto origin = gpu.origins.find(std::string(key.path));
    if (origin != gpu.origins.end()) text += std::string(key.path) + "=" + origin->second.written + "\n";
  }
  return text;
}

}  // namespace

bool is_gpu_file(const std::string& path) {
  try {
    const YAML::Node root = parse_yaml_document(read_file(path, kLargest)).root;
    if (!root.IsMap()) return false;
    if (root["kind"] && root["kind"].IsScalar()) return root["kind"].Scalar() == "gpu";
    return root["schema"] && root["schema"].IsScalar() && root["schema"].Scalar() == kGpuSchema;
  } catch (const std::exception&) {
    return false;  // whoever reads it as a machine says what is wrong
  }
}

LoadedGpu load_gpu(const std::string& path, const std::vector<std::string>& overrides) {
  GpuReader reader(path);
  for (const std::string& assignment : overrides) reader.read_override(assignment);
  reader.read_file();
  LoadedGpu gpu = reader.finish();
  gpu.sha256 = sha256_hex(canonical_gpu(gpu));
  return gpu;
}

LoadedMachine as_machine(LoadedGpu loaded) {
  auto gpu = std::make_shared<const LoadedGpu>(std::move(loaded));
  LoadedMachine machine;
  machine.spec.name = gpu->spec.name;
  machine.sha256 = gpu->sha256;
  machine.bases = gpu->bases;
  for (const auto& [key, origin] : gpu->origins) {
    if (origin.from == NumberSource::kSet) machine.settings[key] = origin.written;
  }
  machine.spec.gpu = std::move(gpu);
  return machine;
}

LoadedMachine load_gpu_machine(const std::string& path, const std::vector<std::string>& overrides) {
  return as_machine(load_gpu(path, overrides));
}

LoadedGpu with_gpu_value(LoadedGpu gpu, const GpuKey& key, const std::string& text) {
  const std::string written = read_gpu_number(key, text, gpu.spec);
  gpu.origins[std::string(key.path)] = {NumberSource::kSet, "--set", written, "--set"};
  for (auto& [path, origin] : gpu.origins) {
    if (origin.from != NumberSource::kSame || origin.note != key.path) continue;
    find_gpu_key(path)->ref(gpu.spec) = key.ref(gpu.spec);
    origin.written = written;
  }
  gpu.sha256 = sha256_hex(canonical_gpu(gpu));
  return gpu;
}

std::string describe_gpu(const LoadedGpu& gpu) {
  std::size_t widest = 0;
  std::size_t value = 0;
  for (const auto& [path, origin] : gpu.origins) {
    widest = std::max(widest, path.size());
    value = std::max(value, origin.written.size());
  }
  std::string text = "GPU " + gpu.spec.name + "\nsha256 " + gpu.sha256 + "\n\n";
  const auto padded = [](const std::string& cell, std::size_t width) {
    return cell + std::string(width - cell.size() + 2, ' ');
  };
  for (const GpuKey& key : gpu_keys()) {
    const auto found = gpu.origins.find(std::string(key.path));
    if (found == gpu.origins.end()) continue;
    const GpuOrigin& origin = found->second;
    std::string source(kNumberSources[origin.from]);
    source.resize(10, ' ');
    text += padded(std::string(key.path), widest) + padded(origin.written, value) + source +
            (origin.note.empty() ? "" : "  " + origin.note) + "\n";
    while (text[text.size() - 2] == ' ') text.erase(text.size() - 2, 1);
  }
  return text;
}

}  // namespace kernbench
