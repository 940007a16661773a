// Points in time as results files write them: UTC, "2026-01-31T12:00:00Z".
#pragma once

#include <string>

namespace kernbench {

[[nodiscard]] std::string utc_now();

/// Whether `text` has that form, and is a day and time that exist.
[[nodiscard]] bool is_utc_time(const std::string& text);

}  // namespace kernbench
