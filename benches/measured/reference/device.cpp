// Reading and writing `kernbench.device/1`.
#include "benches/measured/reference/device.hpp"

#include <cctype>

#include "benches/results/rows/checked_json.hpp"

namespace kernbench {
namespace {

double positive(const CheckedJson& json) {
  const double value = json.number();
  if (!(value > 0)) json.expected("a number above 0");
  return value;
}

std::string filled(const CheckedJson& json) {
  std::string text = json.string();
  if (text.empty()) json.expected("a text that is not empty");
  return text;
}

/// A peak that not every device has: absent or null.
std::optional<double> positive_or_none(const CheckedJson& peaks, const std::string& name) {
  if (!peaks.has(name) || peaks.object().at(name).is_null()) return std::nullopt;
  return positive(peaks.at(name));
}

}  // namespace

std::string device_slug(const std::string& name) {
  std::string slug;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) != 0) {
      slug += static_cast<char>(std::tolower(byte));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  if (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

Device parse_device(const std::string& text, const std::string& file) {
  const Json json = parse_json(text, file);
  const CheckedJson root(json, file);
  const CheckedJson schema = root.at("schema");
  if (schema.string() != kDeviceSchema) schema.expected("\"" + std::string(kDeviceSchema) + "\"");

  Device device;
  device.name = filled(root.at("name"));
  const CheckedJson slug = root.at("slug");
  device.slug = slug.string();
  if (device.slug.empty() || device.slug != device_slug(device.name)) {
    slug.expected("\"" + device_slug(device.name) + "\", which the name gives");
  }
  if (root.has("facts")) device.facts = root.at("facts").flat_object();

  const CheckedJson peaks = root.at("peaks");
  const CheckedJson tflops = peaks.at("tflops");
  for (const auto& [dtype, value] : tflops.object().items()) device.peak_tflops[dtype] = positive(tflops.at(dtype));
  if (device.peak_tflops.empty()) tflops.expected("the peak of one dtype at least");
  device.memory_gbs = positive(peaks.at("memory_gbs"));
  device.link_gbs = positive_or_none(peaks, "link_gbs");
  device.power_w = positive_or_none(peaks, "power_w");

  const CheckedJson basis = root.at("basis");
  device.basis = basis.string();
  if (device.basis != "datasheet" && device.basis != "computed") basis.expected("\"datasheet\" or \"computed\"");
  device.source = filled(root.at("source"));
  return device;
}

std::string format_device(const Device& device) {
  Json tflops = Json::object();
  for (const auto& [dtype, value] : device.peak_tflops) tflops[dtype] = value;
  Json peaks{{"tflops", tflops}, {"memory_gbs", device.memory_gbs}};
  if (device.link_gbs) peaks["link_gbs"] = *device.link_gbs;
  if (device.power_w) peaks["power_w"] = *device.power_w;
  const Json json{{"schema", kDeviceSchema}, {"name", device.name},   {"slug", device.slug},    {"facts", device.facts},
                  {"peaks", peaks},          {"basis", device.basis}, {"source", device.source}};
  return json.dump(2) + "\n";
}

}  // namespace kernbench
