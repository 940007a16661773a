#include "benches/harness/text/utc_time.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <regex>

namespace kernbench {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

bool is_utc_time(const std::string& text) {
  static const std::regex form(R"((\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z)");
  std::smatch part;
  if (!std::regex_match(text, part, form)) return false;
  const auto number = [&part](std::size_t i) { return static_cast<unsigned>(std::stoi(part[i])); };
  const std::chrono::year_month_day day{std::chrono::year(std::stoi(part[1])), std::chrono::month(number(2)),
                                        std::chrono::day(number(3))};
  return day.ok() && number(4) < 24 && number(5) < 60 && number(6) < 61;
}

}  // namespace kernbench
