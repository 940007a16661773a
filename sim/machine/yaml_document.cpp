// yaml-cpp's Load ignores what follows the first document, and its LoadAll (0.7) never ends on a '%' at the beginning
// of a line within a document. So the document is loaded alone and the event parser is asked whether another one
// follows.
#include "sim/machine/yaml_document.hpp"

#include <yaml-cpp/eventhandler.h>

#include <sstream>

namespace kernbench {
namespace {

/// Keeps the beginning of the latest document and ignores everything else.
class DocumentStart : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { mark_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}

  [[nodiscard]] YAML::Mark mark() const { return mark_; }

 private:
  YAML::Mark mark_;
};

}  // namespace

YamlDocument parse_yaml_document(const std::string& text) {
  YamlDocument document{YAML::Load(text), std::nullopt};
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart start;
  if (parser.HandleNextDocument(start) && parser.HandleNextDocument(start)) document.following = start.mark();
  return document;
}

}  // namespace kernbench
