#pragma once

#include "actors/kernel/write_context.hpp"
#include "actors/market/terms.hpp"
#include "auth/access_token.hpp"
#include "config/load.hpp"
#include "http/outside/identity_provider.hpp"
#include "ops/progress.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/sql/audit_act.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace credence::auth {
class wallet_keys_local;
}
namespace credence::http::admin {
struct terms;
}

/// The subcommands of the executable, and what they share.
namespace credence::commands {

// -- what the command line takes, as `--help` tells it: what pages and completion are made from ----

/// An option, a flag, or a word that stands at its place.
struct option_words {
  std::vector<std::string> names; // `--http-port` and `--port`; none for a word at its place
  std::string place;              // what such a word is, `profile`; empty for others
  std::string value;              // what follows, `TEXT`; empty for a flag
  std::string bounds;             // of a number, `[1 - 100]`; may be empty
  std::vector<std::string> choices;
  std::string help;
  bool required = false;
  bool repeats = false;

  bool operator==(const option_words&) const = default;
};

/// One command, such as `credence migrate up`.
struct command_words {
  std::string path; // `migrate up`; empty for the executable itself
  std::string name; // `up`
  std::string help;
  std::string example; // lines behind its options; may be empty
  std::vector<option_words> options;
  std::optional<std::size_t> settings; // which of the lists of settings it takes
  std::vector<std::string> subcommands;
};

struct command_table {
  std::vector<command_words> commands;             // the executable first, each command before its subcommands
  std::vector<std::vector<option_words>> settings; // commands that take the same ones share a list
  std::vector<std::pair<int, std::string>> exit_codes;
  std::vector<std::string> examples;
};

/// Scripts that complete words of the command line.
std::string bash_completion(const command_table& of);
std::string zsh_completion(const command_table& of);
std::string fish_completion(const command_table& of);
/// A page of section 1 in roff, with the macros of man(7).
std::string man_page(const command_table& of);

/// Exit codes; docs/settings.md lists them.
enum exit_code : int {
  ok = 0,
  failed = 1,
  usage = 2,
  no_database = 3,
  unfit_schema = 4,
  port_taken = 5,
  superseded = 6,
  differs = 7,
  part_died = 8
};

/// A reason to end with a code other than 0; its text goes to standard error.
struct ending {
  exit_code code;
  std::string why;
};

/// `ndjson`: an object a line. `csv`: RFC 4180, with a header; null is an empty field, an empty text one in quotes.
enum class export_format : std::uint8_t { ndjson, csv };
/// Their names, which files end in.
inline constexpr std::array<std::string_view, 2> export_format_names{"ndjson", "csv"};

/// What was said of an export or an import.
struct moving_words {
  std::vector<std::string> entities; // export; none: all
  std::string directory;             // export; empty: standard output
  std::string format;
  std::string since;
  std::string until;
  bool resume = false;
  bool describe = false;            // export: only tell what there is
  std::vector<std::string> sources; // import: files and directories
  bool dry_run = false;
  bool skip_refused = false;
};

/// What the command line said.
struct command_line {
  std::vector<std::string> words; // as they were given, behind the name of the executable
  settings::given_flags flags;
  std::map<std::string, std::vector<std::string>> lists; // settings that take several values, by name
  std::string config_file;
  bool json = false;
  bool quiet = false;       // long work does not tell how far it is
  std::string server;       // verify: to compare with, as http://host:port
  std::string metrics_file; // verify
  bool stored = false;      // rings: keep what was found
  std::int32_t token_profile = 0;
  bool token_admin = false;
  std::int64_t token_lifetime = 0; // seconds; 0: as long as is usual for its kind
  std::string revoked;             // revoke: an access token, or its id
  std::string signing_key;         // signing-keys retire
  std::int32_t access_profile = 0;
  bool access_off = false;
  bool check_only = false;                                          // score recompute, chain replay
  std::string shell;                                                // completion
  std::function<command_table()> table;                             // what this command line could have said
  std::string console_role = "admin";                               // console-link
  std::string superuser_url = "host=/run/postgresql user=postgres"; // setup
  std::string files_of;                                             // setup
  std::string first_admin;                                          // setup: an address
  bool only_if_empty = false;                                       // setup: no first admin where people are
  bool agreed = false;                                              // setup: do not ask
  bool only_told = false;                                           // setup: make nothing
  bool standby = false;                                             // serve: only once the owner's lease has ended
  moving_words moved;
};

// -- the subcommands: each returns an exit code or throws an ending ----------------

int serve(const command_line& line);
int migrate_status(const command_line& line);
int migrate_up(const command_line& line);
int config_check(const command_line& line);
int config_show(const command_line& line);
int config_example(const command_line& line);
int doctor(const command_line& line);
int health(const command_line& line);
int check_database(const command_line& line);
int setup(const command_line& line);
int version(const command_line& line);
int token(const command_line& line);
int revoke(const command_line& line);
int console_link(const command_line& line);
int signing_keys_list(const command_line& line);
int signing_keys_rotate(const command_line& line);
int signing_keys_retire(const command_line& line);
int access(const command_line& line);
int verify(const command_line& line);
int rings(const command_line& line);
int score_recompute(const command_line& line);
int export_all(const command_line& line);
int import_all(const command_line& line);
int chain_status(const command_line& line);
int chain_failed(const command_line& line);
int chain_replay(const command_line& line);
int chain_texts(const command_line& line);
int chain_retry_texts(const command_line& line);
int chain_reprocess(const command_line& line);
int completion(const command_line& line);
int man(const command_line& line);
int wallets_list(const command_line& line);
int wallets_rotate(const command_line& line);

// -- what they share ----------------------------------------------------------------

/// Who runs the command, for the audit.
request_origin operator_here();
/// Adds a row to the audit, in the transaction under way: an operator has done this by hand.
void audit_by_operator(persistence::connection& on, const persistence::audit_act& act);

/// How long a command that works on the whole database may take.
constexpr auto timeout = std::chrono::minutes{30};

/// The settings with their origins, and every mistake in them.
settings::loaded load_settings(const command_line& line);
/// The settings, or an ending that lists every mistake.
settings::all good_settings(const command_line& line);
/// The file that the settings come from; empty where there is none.
std::string settings_file(const command_line& line);
/// A connection without a statement timeout, named after its purpose.
persistence::connection connect(const settings::all& with, const char* what_for);
/// Throws an ending where the database is there and says no: there is no such database or role, the password is wrong,
/// a right is missing, or sessions are not as they have to be. That does not pass by itself.
void refuse_wrong_database(const persistence::database_error& why);
/// The identity provider of the settings, without its keys; nothing when there is none.
std::optional<http::identity_provider> identity_provider(const settings::all& with);
auth::token_rules token_rules(const settings::all& with);
/// What markets can be had, and what trading on them costs.
market::terms trading_terms(const settings::all& with);
/// Tells on standard error how far work of this name is, unless it is asked to be quiet.
ops::progress progress_of(const command_line& line, const char* work);
/// The keys of managed wallets under the master keys of the settings; null where there is no master key, and so no
/// managed wallets. Throws an `ending` that says what is wrong with the master keys.
std::shared_ptr<auth::wallet_keys_local> open_wallet_keys(const settings::all& with);

/// Throws an `ending` where the master keys do not open the wallets that the database holds: whoever went on would seal
/// new ones under a key that is lost later. A database that is away is left to those who serve; each key is checked
/// when it is used.
void check_stored_wallets(const settings::all& with, const auth::wallet_keys_local& keys);
/// What the admin listener goes by.
http::admin::terms console_terms(const command_line& line, const settings::all& with, const auth::token_rules& tokens);
/// Readable by this user alone.
void write_private_file(const std::string& path, const std::string& content);
std::chrono::sys_seconds now_seconds();

} // namespace credence::commands
