#pragma once

#include "actors/kernel/port.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/sql/audit_act.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace credence {
struct change; // of any kind (actors/store.hpp)
}

/// The audit: who did what that matters, in the transaction of what it tells.
namespace credence::persistence {

/// Rows of the audit that one batch writes.
class audit_columns {
public:
  static const statement how;

  void clear();
  /// Adds what the audit tells of a change that takes the global number `seq`; of most it tells nothing.
  void add(const change& change, const write_context* context, global_seq seq);
  bool empty() const noexcept { return size_ == 0; }
  /// Valid until the next change of this object.
  const parameters& finish();

  void add(const audit_act& act, const request_origin* from);

private:
  std::size_t size_ = 0;
  binary_array at_{sql_type::timestamptz};
  binary_array act_{sql_type::text};
  binary_array profile_{sql_type::int4};
  binary_array caller_{sql_type::int4};
  binary_array credential_{sql_type::text};
  binary_array request_{sql_type::text};
  binary_array address_{sql_type::text};
  binary_array subject_{sql_type::text};
  binary_array before_{sql_type::text};
  binary_array after_{sql_type::text};
  parameters with_;
};

} // namespace credence::persistence
