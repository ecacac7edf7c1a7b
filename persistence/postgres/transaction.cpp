#include "persistence/postgres/connection.hpp"

namespace credence::persistence {

transaction::transaction(connection& on, steady_time deadline, const char* begin) : on_(on) {
  on_.exec(begin, deadline);
}

transaction::~transaction() {
  if (!open_ || !on_.open())
    return;
  try {
    on_.exec("ROLLBACK", deadline_in(milliseconds{1000}));
  } catch (const database_error&) {
    on_.close(); // the server rolls back when it notices
  }
}

void transaction::commit(steady_time deadline) {
  open_ = false;
  on_.commit(deadline);
}

} // namespace credence::persistence
