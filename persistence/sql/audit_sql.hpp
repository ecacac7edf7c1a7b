#pragma once

#include "actors/kernel/port.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/sql/audit_act.hpp"
#include "persistence/writer/fact_columns.hpp"

/// The audit: who did what that matters, in the transaction of what it tells.
namespace credence {

struct change; // of any kind (actors/store.hpp)

namespace persistence {
/// An act, and whose request it was.
struct audit_row {
  audit_act what;
  std::string credential;
  request_origin from;
};
} // namespace persistence

template <>
struct part<persistence::audit_row> {
  using act = persistence::audit_act;
  static constexpr auto fields =
    CREDENCE_FIELDS(persistence::audit_row, (at, what, &act::at), (act, what, &act::name),
                    (profile, what, &act::profile), (caller, from, &request_origin::caller), credential,
                    (request, from, &request_origin::request_id), (address, from, &request_origin::address),
                    (subject, what, &act::subject), (before, what, &act::before), (after, what, &act::after));
};

namespace persistence {

/// Rows of the audit that one batch writes.
class audit_columns : public fact_columns<audit_row> {
public:
  static const statement how;

  /// Adds what the audit tells of a change that takes the global number `seq`; of most it tells nothing.
  void add(const change& change, const write_context* context, global_seq seq);
  void add(const audit_act& act, const request_origin* from);
};

/// Adds a row to the audit, in the transaction under way.
void note_in_audit(connection& on, const audit_act& act, const request_origin* from, steady_time until);

} // namespace persistence

} // namespace credence
