#include "actors/reputation/notice_state.hpp"

namespace credence::reputation {

void add_keys(const mark_notices_read&, record_keys&) {}

outcome<decided<timestamp, notices_read>> decide(const record_rows&, const mark_notices_read& command,
                                                 const settings::people&, timestamp now) {
  return decided<timestamp, notices_read>{now, notices_read{command.whose, now}};
}

} // namespace credence::reputation
