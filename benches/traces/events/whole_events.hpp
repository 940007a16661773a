// Parses events of every phase with all their arguments: for merging and checking, which leave nothing out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benches/traces/events/event_batches.hpp"
#include "benches/traces/events/event_parser.hpp"

namespace kernbench::traces {

struct EventArgument {
  enum class Kind : std::uint8_t { kText, kScalar, kComposite };

  std::string_view name;
  Kind kind = Kind::kScalar;
  std::string_view value;  ///< of a text its characters, escapes resolved; else JSON as the file has it
};

/// It lives as long as its batch.
struct WholeEvent {
  char phase = 0;
  std::string_view name;      ///< UTF-8, escapes resolved
  std::string_view category;  //
  std::string_view pid;       ///< as the file has them, quoted where they are texts
  std::string_view tid;       //
  std::string_view id;        //
  std::string_view ts;        ///< digits, empty: not there
  std::string_view duration;  ///< digits, empty: 0
  std::vector<EventArgument> arguments;

  /// Its value; "" where it has none of that name.
  [[nodiscard]] std::string_view argument(std::string_view wanted) const;
};

class WholeEventSink {
 public:
  virtual ~WholeEventSink() = default;
  /// Each event once. Returns what is wrong with it, "" where nothing is; then it is not kept.
  [[nodiscard]] virtual std::string take(const WholeEvent& event) = 0;
};

class WholeEventParser {
 public:
  explicit WholeEventParser(WholeEventSink& sink);
  ~WholeEventParser();
  WholeEventParser(const WholeEventParser&) = delete;
  WholeEventParser& operator=(const WholeEventParser&) = delete;

  /// As EventParser::parse.
  [[nodiscard]] bool parse(const EventBatch& batch, BadEvent& bad);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace kernbench::traces
