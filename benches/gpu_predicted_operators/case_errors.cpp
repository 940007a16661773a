#include "benches/gpu_predicted_operators/case_errors.hpp"

#include "benches/io/text/plain_text.hpp"
#include "benches/measured/cases/prediction_errors.hpp"

namespace kernbench {
namespace {

std::vector<PredictionGroup> case_groups() {
  const auto is = [](const Row& row, const char* field, const std::string& value) {
    return row.point.value(field, "") == value;
  };
  std::vector<PredictionGroup> groups;
  for (const std::string operation : {"layernorm", "gelu", "swish", "mse", "cross_entropy"}) {
    groups.push_back({operation, [is, operation](const Row& row) { return is(row, "operation", operation); }});
    const auto add_part = [&](const char* field, const std::string& value) {
      groups.push_back({operation + ", " + value, [is, operation, field, value](const Row& row) {
                          return is(row, "operation", operation) && is(row, field, value);
                        }});
    };
    for (const char* dtype : {"bf16", "fp32"}) add_part("dtype", dtype);
    for (const char* l2 : {"warm", "flushed"}) add_part("l2", l2);
  }
  groups.push_back({"operators but cross_entropy", [is](const Row& row) {
                      return row.point.contains("operation") && !is(row, "operation", "cross_entropy");
                    }});
  for (const std::string copy :
       {"device_to_device", "device_to_host", "host_to_device", "peer", "peer_bidirectional"}) {
    groups.push_back({copy, [is, copy](const Row& row) { return is(row, "copy", copy); }});
  }
  return groups;
}

}  // namespace

std::string case_words(const Row& row) {
  std::string words;
  for (const auto& [name, value] : row.point.items()) {
    words += (words.empty() ? "" : " ") + plain_text(value);
  }
  return words;
}

std::vector<Row> case_error_rows(const Results& predicted) {
  return error_rows(predicted, {.groups = case_groups(),
                                .others = {predicted_by("roofline")},
                                .words = case_words,
                                .fitted = "copies that the machine was fitted to"});
}

}  // namespace kernbench
