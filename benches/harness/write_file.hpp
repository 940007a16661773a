// What everybody outside benches/harness/files writes and reads files with.
#pragma once

#include "benches/harness/files/write_file.hpp"
