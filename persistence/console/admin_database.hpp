#pragma once

#include "actors/console/admin_database.hpp"
#include "config/settings.hpp"
#include "persistence/console/verification.hpp"
#include "persistence/postgres/connection.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace credence::persistence {

/// What the console reads and notes, without a mailbox. Belongs to one thread, which waits for the database under
/// deadlines.
class admin_database {
public:
  explicit admin_database(const settings::store& how) : how_(how), verification_(how) {}

  /// Keeps an act and writes all that are kept. False when there is no room.
  bool note(console::note_act act);
  /// Writes what is kept, if anything; comes now and then.
  void write_kept();

  // These throw `database_error`.
  std::vector<std::string> ended();
  std::vector<console::audit_entry> audit(const console::read_audit& question);
  std::shared_ptr<const console::stored> store();
  /// False when there is no such profile.
  bool set_api_access(const console::set_api_access& order);
  void retry_texts(const console::retry_texts& order);
  /// How many events have failed; nothing where no chain is stored.
  std::optional<std::int64_t> reprocess_failed(const console::reprocess_failed& order);

  verification_desk& verification() noexcept { return verification_; }

private:
  static constexpr std::size_t kept_max = 1000;
  connection& on();
  void write(const console::note_act& act);

  const settings::store how_;
  std::optional<connection> on_;
  steady_time connects_again_{};
  std::deque<console::note_act> kept_;
  std::shared_ptr<const console::stored> store_;
  steady_time store_read_{};
  verification_desk verification_;
};

} // namespace credence::persistence
