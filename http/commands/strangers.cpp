#include "http/commands/strangers.hpp"

#include "config/setting_checks.hpp"
#include "http/commands/command.hpp"
#include "ops/log.hpp"
#include "persistence/demo/demo.hpp"
#include "persistence/postgres/connection.hpp"

#include <ctime>

namespace credence::commands {

namespace {

using namespace std::chrono_literals;

constexpr timespec between_attempts{1, 0};

bool holds_demo_wallets(const settings::all& with) {
  persistence::session how;
  how.application_name = "credence-check";
  persistence::connection on{with.store.database_url, how, with.store.connect_timeout};
  return persistence::holds_demo_wallets(on, persistence::deadline_in(with.store.load_timeout));
}

} // namespace

bool may_serve_strangers(const settings::all& with, const sigset_t& signals) {
  if (with.http.public_demo || settings::is_loopback(with.http.address))
    return true;
  for (bool told = false;;) {
    try {
      if (!holds_demo_wallets(with))
        return true;
      break;
    } catch (const persistence::database_error& error) {
      if (error.why() == persistence::trouble::usage)
        throw ending{usage, error.what()};
      if (error.sqlstate() == "42P01") // there are no tables yet; that is told later
        return true;
      refuse_wrong_database(error);
      if (!std::exchange(told, true))
        ops::log(ops::level::warn, "database_away", {{"error", error.what()}});
    }
    if (::sigtimedwait(&signals, nullptr, &between_attempts) > 0)
      return false;
  }
  throw ending{usage, "http.address is " + with.http.address
                        + ", which others than this machine can reach, and the database holds the demo's"
                          " wallets: everybody knows their keys and could sign in as the people who own them. Serve on "
                          "127.0.0.1, use a database"
                          " without demo data, or set http.public_demo = true if that is meant"};
}

} // namespace credence::commands
