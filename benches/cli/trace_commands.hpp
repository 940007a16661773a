// The commands `kernbench trace ...`: each adds its options and returns what runs once they are parsed.
#pragma once

#include <functional>

#include "benches/io/program/command.hpp"

namespace kernbench {

namespace trace_timeline_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace trace_gemms_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace trace_top_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace trace_collectives_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace trace_causes_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace trace_report_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace trace_compare_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace trace_merge_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace trace_check_command {
std::function<int()> set_up(CommandSpec& command);
}

}  // namespace kernbench
