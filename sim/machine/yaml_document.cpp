// yaml-cpp's Load ignores what follows the first document, and its LoadAll (0.7) never ends on a '%' at the beginning
// of a line within a document. So the document is loaded alone, and the event parser is asked before that whether
// another one follows and what stands in the text that a loaded document no longer shows.
#include "sim/machine/yaml_document.hpp"

#include <yaml-cpp/eventhandler.h>

#include <sstream>

namespace kernbench {
namespace {

constexpr std::size_t kMostRefusals = 100;

/// Keeps the beginning of the latest document and what is refused.
class DocumentScan : public YAML::EventHandler {
 public:
  explicit DocumentScan(YamlDocument& document) : document_(document) {}

  void OnDocumentStart(const YAML::Mark& mark) override { mark_ = mark; }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    refuse(mark, "the anchor '&" + name + "'");
  }
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { refuse(mark, "an alias"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {
    refuse_tag(mark, tag);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    go_down(mark, tag);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    go_down(mark, tag);
  }
  void OnMapEnd() override { --depth_; }

  [[nodiscard]] YAML::Mark mark() const { return mark_; }

 private:
  void go_down(const YAML::Mark& mark, const std::string& tag) {
    refuse_tag(mark, tag);
    if (++depth_ > kDeepestYaml) {
      throw YAML::ParserException(
          mark, "expected at most " + std::to_string(kDeepestYaml) + " levels inside each other, got more");
    }
  }
  /// The parser says "?" and "!" for values without a tag, plain and quoted.
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") refuse(mark, "the tag '" + tag + "'");
  }
  void refuse(const YAML::Mark& mark, std::string what) {
    if (document_.refused.size() < kMostRefusals) document_.refused.push_back({mark, std::move(what)});
  }

  YamlDocument& document_;
  YAML::Mark mark_;
  std::size_t depth_ = 0;
};

}  // namespace

YamlDocument parse_yaml_document(const std::string& text) {
  YamlDocument document;
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentScan scan(document);
  if (parser.HandleNextDocument(scan) && document.refused.empty()) {
    document.root = YAML::Load(text);
    if (parser.HandleNextDocument(scan)) document.following = scan.mark();
  }
  return document;
}

}  // namespace kernbench
