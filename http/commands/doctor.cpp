#include "http/commands/command.hpp"
#include "http/commands/database_looks.hpp"
#include "http/commands/wallet_keys.hpp"

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
#include <stdexcept>
#include <string>
#include <utility>

namespace credence::commands {

namespace {

using namespace std::chrono_literals;

/// Looks at one thing after the other; nothing is changed.
class examination {
public:
  explicit examination(const command_line& line) : loaded_(load_settings(line)), with_(loaded_.values) {}

  findings all() {
    look_at_settings();
    look_at_data();
    look_at_ports();
    look_at_database();
    return std::move(found_);
  }

private:
  void note(const char* of, bool good, std::string text) { found_.note(of, good, std::move(text)); }

  void look_at_settings() {
    for (const auto& mistake : loaded_.mistakes)
      note("settings", false, mistake);
    if (loaded_.mistakes.empty())
      note("settings", true, std::to_string(loaded_.list.size()) + " settings are good");
  }

  void look_at_data() {
    struct stat at {};
    if (::stat(with_.data_dir.c_str(), &at) != 0)
      return note("data directory", false,
                  with_.data_dir + " is not there: create it for the user of the server alone, or name it by data_dir");
    if ((at.st_mode & 077) != 0)
      return note("data directory", false, "others may look into " + with_.data_dir + ": chmod 700 " + with_.data_dir);
    if (::access(with_.data_dir.c_str(), R_OK | W_OK | X_OK) != 0)
      return note("data directory", false,
                  with_.data_dir + " cannot be used by this user: run this as the user of the server");
    const auto* owner = ::getpwuid(at.st_uid);
    note("data directory", true,
         with_.data_dir + ", of " + (owner ? owner->pw_name : "uid " + std::to_string(at.st_uid)));
    look_at_keys();
  }

  void look_at_keys() {
    if (with_.auth.token_secret.empty() && ::access((with_.data_dir + "/token.key").c_str(), F_OK) != 0) {
      note("signing keys", true, "the first start makes " + with_.data_dir + "/token.key");
    } else {
      try {
        const auto rules = token_rules(with_);
        note("signing keys", true,
             rules.key.id() + " signs, " + std::to_string(rules.older.size()) + " older ones are believed");
      } catch (const std::runtime_error& why) {
        note("signing keys", false, why.what());
      }
    }
    try {
      note("master key", true,
           open_wallet_keys(with_) ? "managed wallets can be used" : "none: there are no managed wallets");
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
      look_at_durability(found_, on, until);
      look_at_replication(found_, on, until);
      look_at_role(found_, on, until);
      look_at_schema(found_, on, until);
      look_at_clock(found_, on, until);
    } catch (const ending& why) {
      note("database", false, why.why);
    } catch (const persistence::database_error& why) {
      note("database", false, why.what());
    }
  }

  settings::loaded loaded_;
  const settings::all& with_;
  findings found_;
};

} // namespace

int doctor(const command_line& line) { return examination{line}.all().tell(line.json); }

} // namespace credence::commands
