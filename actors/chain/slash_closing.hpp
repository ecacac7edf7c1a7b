#pragma once

#include "actors/chain/chain_state.hpp"

namespace credence::chain {

/// As `close_due_slashes`, but the first eight of them: each may cost a thousand supporters, and what is closed at once
/// is written by one statement, which has a time limit. To be called while any is due.
void close_some_slashes(chain_rows& rows, unix_time at);

} // namespace credence::chain
