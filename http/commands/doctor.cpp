#include "actors/domain/service_clock.hpp"
#include "http/call/json_writer.hpp"
#include "http/commands/command.hpp"
#include "http/commands/wallet_keys.hpp"
#include "persistence/migrations/migrate.hpp"
#include "persistence/writer/takeover.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace credence::commands {

namespace {

using namespace std::chrono_literals;
using persistence::connection;

/// What one look came to.
struct finding {
  const char* of;    // what was looked at
  bool good = false; // else `text` says what to do
  std::string text;
};

/// Looks at one thing after the other; nothing is changed.
class examination {
public:
  explicit examination(const command_line& line) : loaded_(load_settings(line)), with_(loaded_.values) {}

  std::vector<finding> all() {
    look_at_settings();
    look_at_data();
    look_at_ports();
    look_at_database();
    return std::move(found_);
  }

private:
  void note(const char* of, bool good, std::string text) { found_.push_back({of, good, std::move(text)}); }

  void look_at_settings() {
    for (const auto& mistake : loaded_.mistakes)
      note("settings", false, mistake);
    if (loaded_.mistakes.empty())
      note("settings", true, std::to_string(loaded_.list.size()) + " settings are good");
  }

  void look_at_data() {
    struct stat at {};
    if (::stat(with_.data_dir.c_str(), &at) != 0)
      return note("data directory", false, with_.data_dir + " is not there: create it for the user of the server alone, or name it by data_dir");
    if ((at.st_mode & 077) != 0)
      return note("data directory", false, "others may look into " + with_.data_dir + ": chmod 700 " + with_.data_dir);
    if (::access(with_.data_dir.c_str(), R_OK | W_OK | X_OK) != 0)
      return note("data directory", false, with_.data_dir + " cannot be used by this user: run this as the user of the server");
    const auto* owner = ::getpwuid(at.st_uid);
    note("data directory", true, with_.data_dir + ", of " + (owner ? owner->pw_name : "uid " + std::to_string(at.st_uid)));
    look_at_keys();
  }

  void look_at_keys() {
    if (with_.auth.token_secret.empty() && ::access((with_.data_dir + "/token.key").c_str(), F_OK) != 0) {
      note("signing keys", true, "the first start makes " + with_.data_dir + "/token.key");
    } else {
      try {
        const auto rules = token_rules(with_);
        note("signing keys", true, rules.key.id() + " signs, " + std::to_string(rules.older.size()) + " older ones are believed");
      } catch (const std::runtime_error& why) {
        note("signing keys", false, why.what());
      }
    }
    try {
      note("master key", true, open_wallet_keys(with_) ? "managed wallets can be used" : "none: there are no managed wallets");
    } catch (const ending& why) {
      note("master key", false, why.why);
    }
  }

  void look_at_ports() {
    look_at_port("public port", with_.http.address, with_.http.port);
    look_at_port("operator port", with_.http.operator_address, with_.http.operator_port);
    if (with_.console.listener)
      look_at_port("admin port", with_.console.address, with_.console.port);
  }

  void look_at_port(const char* of, const std::string& address, std::uint16_t port) {
    const auto text = address + ":" + std::to_string(port);
    switch (const int why = taking(address, port); why) {
      case 0: return note(of, true, text + " is free");
      case EADDRINUSE: return note(of, true, text + " is taken, which is right while the server runs");
      default: return note(of, false, text + ": " + std::strerror(why));
    }
  }

  /// Why this address cannot be taken; 0 where it can.
  static int taking(const std::string& address, std::uint16_t port) {
    union {
      sockaddr any;
      sockaddr_in four;
      sockaddr_in6 six;
    } at{};
    socklen_t size = 0;
    if (::inet_pton(AF_INET, address.c_str(), &at.four.sin_addr) == 1) {
      at.four.sin_family = AF_INET;
      at.four.sin_port = htons(port);
      size = sizeof at.four;
    } else if (::inet_pton(AF_INET6, address.c_str(), &at.six.sin6_addr) == 1) {
      at.six.sin6_family = AF_INET6;
      at.six.sin6_port = htons(port);
      size = sizeof at.six;
    } else {
      return EADDRNOTAVAIL;
    }
    const int probe = ::socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int reuse = 1;
    ::setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    const int why = probe >= 0 && ::bind(probe, &at.any, size) == 0 ? 0 : errno;
    if (probe >= 0)
      ::close(probe);
    return why;
  }

  void look_at_database() {
    const auto until = persistence::deadline_in(30s);
    try {
      auto on = connect(with_, "doctor");
      note("database", true, "connected");
      const auto unfit = persistence::unfit(on, until);
      note("durability", !unfit, unfit.value_or("what is committed survives a crash"));
      look_at_role(on, until);
      const auto* stale = persistence::what_to_do(persistence::check_schema(on, until));
      note("schema", !stale, stale ? stale : "it is the one of this build");
      look_at_clock(on, until);
    } catch (const ending& why) {
      note("database", false, why.why);
    } catch (const persistence::database_error& why) {
      note("database", false, why.what());
    }
  }

  /// The server's role reads and writes rows and can do no more.
  void look_at_role(connection& on, steady_time until) {
    const auto row = on.exec_params("SELECT current_user::text AS name, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser,"
                                    " EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                                    "  WHERE n.nspname = 'public' AND pg_has_role(current_user, c.relowner, 'USAGE')) AS is_owner,"
                                    " (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public'"
                                    "  AND c.relkind = 'r' AND NOT has_table_privilege(c.oid, 'SELECT')) AS hidden",
                                    until);
    const auto name = row.first<std::string>("name");
    if (row.first<bool>("is_superuser") || row.first<bool>("is_owner"))
      return note("role", false,
                  name
                    + " may change tables: the server needs a role that only reads and writes rows, as ops/roles.sql makes; give that one in"
                      " store.database_url");
    if (const auto hidden = row.first<std::int64_t>("hidden"); hidden > 0)
      return note("role", false,
                  name + " may not read " + std::to_string(hidden)
                    + " tables: run `credence migrate up` as the role that ops/roles.sql grants its rights for, credence_owner");
    note("role", true, name + " reads and writes rows alone");
  }

  void look_at_clock(connection& on, steady_time until) {
    const auto before = system_now();
    const auto theirs = on.exec_params("SELECT clock_timestamp()", until).value<timestamp>();
    const auto after = system_now();
    using std::chrono::milliseconds;
    const auto apart = theirs < before ? before - theirs : theirs > after ? theirs - after : timestamp::duration{0};
    const auto text = std::to_string(std::chrono::duration_cast<milliseconds>(apart).count()) + " ms from PostgreSQL's";
    note("clock", apart < clock_difference_max, apart < clock_difference_max ? text : text + ": set both by NTP");
  }

  settings::loaded loaded_;
  const settings::all& with_;
  std::vector<finding> found_;
};

} // namespace

int doctor(const command_line& line) {
  const auto found = examination{line}.all();
  bool good = true;
  std::string text;
  http::json_writer json{text};
  json.begin_array();
  for (const auto& each : found) {
    good = good && each.good;
    if (!line.json) {
      std::cout << (each.good ? "ok     " : "WRONG  ") << each.of << ": " << each.text << "\n";
      continue;
    }
    json.begin_object();
    json.field("of", each.of);
    json.field("ok", each.good);
    json.field("text", each.text);
    json.end_object();
  }
  json.end_array();
  if (line.json)
    std::cout << text << "\n";
  return good ? ok : failed;
}

} // namespace credence::commands
