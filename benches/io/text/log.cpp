// One logger, one form of line: "warning: ...". Information has no prefix.
#include "benches/io/text/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>

#include "benches/io/text/terminal.hpp"

namespace kernbench {
namespace {

/// Nothing for information, "warning: " in colour and the like for the rest.
class LevelPrefix : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/, spdlog::memory_buf_t& out) override {
    if (message.level == spdlog::level::info) return;
    message.color_range_start = out.size();
    const auto name = spdlog::level::to_string_view(message.level);
    out.append(name.begin(), name.end());
    out.push_back(':');
    message.color_range_end = out.size();
    out.push_back(' ');
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<LevelPrefix>();
  }
};

}  // namespace

void set_up_log(Verbosity verbosity) {
  const auto mode = colours_on(STDERR_FILENO) ? spdlog::color_mode::always : spdlog::color_mode::never;
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_st>(mode);
  auto logger = std::make_shared<spdlog::logger>("kernbench", std::move(sink));
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<LevelPrefix>('*').set_pattern("%*%v");
  logger->set_formatter(std::move(formatter));
  switch (verbosity) {
    case Verbosity::kQuiet:
      logger->set_level(spdlog::level::warn);
      break;
    case Verbosity::kNormal:
      logger->set_level(spdlog::level::info);
      break;
    case Verbosity::kVerbose:
      logger->set_level(spdlog::level::debug);
      break;
    case Verbosity::kDebug:
      logger->set_level(spdlog::level::trace);
      break;
  }
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace kernbench
