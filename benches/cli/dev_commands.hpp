// The commands `kernbench dev ...`: each adds its options and returns what runs once they are parsed.
#pragma once

#include <functional>

#include "benches/io/program/command.hpp"

namespace kernbench {

namespace dev_adr_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace dev_cache_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace dev_task_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace dev_trace_grow_command {
std::function<int()> set_up(CommandSpec& command);
}

}  // namespace kernbench
