#include "http/call/userkey.hpp"
#include "http/commands/command.hpp"
#include "persistence/migrations/migrate.hpp"
#include "persistence/moving/importing.hpp"
#include "persistence/postgres/url.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace credence::commands {

namespace {

using namespace std::chrono_literals;
using persistence::connection;

constexpr struct {
  const char* name;
  const char* text;
} roles_file[] = {
#include "roles.inc"
};

/// What ops/roles.sql makes, taken apart: it is written for psql, and names the database in `\connect`.
struct roles {
  std::vector<std::string> of_the_cluster; // each makes one role or the database
  std::string database;
  std::vector<std::string> of_the_database;
};

/// `CREATE ROLE credence LOGIN` -> `ROLE credence`.
std::string made_by(const std::string& statement) {
  const auto begin = statement.find(' ') + 1;
  return statement.substr(begin, statement.find(' ', statement.find(' ', begin) + 1) - begin);
}

roles read_roles() {
  roles out;
  std::string statement;
  std::istringstream lines{roles_file[0].text};
  for (std::string line; std::getline(lines, line);) {
    const std::string connect = "\\connect ";
    if (line.starts_with("--") || line.empty())
      continue;
    if (line.starts_with(connect)) {
      out.database = line.substr(connect.size());
      continue;
    }
    statement += statement.empty() ? line : " " + line;
    if (!statement.ends_with(";"))
      continue;
    statement.pop_back();
    (out.database.empty() ? out.of_the_cluster : out.of_the_database).push_back(std::exchange(statement, {}));
  }
  return out;
}

/// A user of this machine.
struct machine_user {
  uid_t uid;
  gid_t gid;
  std::string name;
};

/// Another user of this machine while it lives, for what asks who is asking: PostgreSQL's peer authentication and new
/// files.
class acting_as {
public:
  explicit acting_as(const machine_user* who) : before_{::geteuid(), ::getegid()} {
    if (who && before_.user == 0 && (::setegid(who->gid) != 0 || ::seteuid(who->uid) != 0))
      throw ending{failed, "cannot act as " + who->name + ": " + std::strerror(errno)};
  }
  acting_as(const acting_as&) = delete;
  acting_as& operator=(const acting_as&) = delete;
  ~acting_as() {
    if (::seteuid(before_.user) != 0 || ::setegid(before_.group) != 0)
      std::abort(); // the process must not go on as another user
  }

private:
  struct {
    uid_t user;
    gid_t group;
  } before_;
};

/// Nothing where this machine has no user of that name.
std::optional<machine_user> user_named(const std::string& name) {
  const auto* found = ::getpwnam(name.c_str());
  return found ? std::optional{machine_user{found->pw_uid, found->pw_gid, found->pw_name}} : std::nullopt;
}

/// One thing that an installation needs.
struct step {
  std::string what;
  bool due = false;
  std::function<void()> make;
};

/// Whether every host of a URL is this machine, by its socket or its loopback address.
bool on_this_machine(std::map<std::string, std::string> parts) {
  const auto hosts = persistence::take_hosts(parts);
  return std::all_of(hosts.begin(), hosts.end(), [](const persistence::host_of_url& each) {
    return std::all_of(each.where.begin(), each.where.end(), [](const auto& part) {
      const auto& [keyword, value] = part;
      return (keyword != "host" && keyword != "hostaddr") || value.empty() || value.front() == '/'
             || value == "localhost" || value == "127.0.0.1" || value == "::1";
    });
  });
}

/// A file of settings with that line in its section `[auth]`: in place of the example's, behind the section's head, or
/// with the section in the end.
std::string with_line_of_auth(const std::string& before, const std::string& line) {
  std::vector<std::string> lines;
  std::istringstream in{before};
  for (std::string each; std::getline(in, each);)
    lines.push_back(each);
  const auto head = std::find(lines.begin(), lines.end(), "[auth]");
  if (head == lines.end()) {
    lines.insert(lines.end(), {"", "[auth]", line});
  } else {
    const auto end = std::find_if(head + 1, lines.end(), [](const std::string& each) { return each.starts_with("["); });
    const auto example =
      std::find_if(head, end, [](const std::string& each) { return each.starts_with("# admins = "); });
    if (example != end)
      *example = line;
    else
      lines.insert(head + 1, line);
  }
  std::string out;
  for (const auto& each : lines)
    out += each + "\n";
  return out;
}

class setting_up {
public:
  setting_up(const command_line& line, const settings::all& with)
    : line_(line), with_(with), superuser_(line.superuser_url) {
    const auto parts = persistence::parts_of(with.store.database_url);
    const auto part = [&](const char* name) {
      const auto found = parts.find(name);
      return found == parts.end() ? std::string{} : found->second;
    };
    server_role_ = part("user");
    const bool is_made = std::any_of(made_.of_the_cluster.begin(), made_.of_the_cluster.end(),
                                     [&](const std::string& each) { return made_by(each) == "ROLE " + server_role_; });
    if (part("dbname") != made_.database || !is_made || server_role_ == owner())
      throw ending{usage,
                   "store.database_url names the database '" + part("dbname") + "' and the role '" + server_role_
                     + "': setup makes the database " + made_.database
                     + " with the roles of ops/roles.sql, as in 'host=/run/postgresql user=credence dbname=credence'"};
    if (line.superuser_url == command_line{}.superuser_url && !on_this_machine(parts))
      throw ending{usage, "store.database_url names another machine: --superuser-url names a superuser of its"
                          " PostgreSQL; install.md has the commands by hand"};
    if (line.first_admin.empty()) {
      if (line.only_if_empty)
        throw ending{usage, "--only-if-empty says when --first-admin makes one: give that as well"};
      return;
    }
    if (const auto key = http::parse_address_key(line.first_admin); !key)
      throw ending{usage, "--first-admin: " + key.why().detail};
    if (!with.chain.endpoints.empty())
      throw ending{usage, "--first-admin: chain.endpoints names a chain, whose events say who is there; put the admin's"
                          " profile of that chain into auth.admins"};
    first_admin_ = parse_address(line.first_admin);
  }

  /// What is to be had, in its order. Looks, and changes nothing.
  std::vector<step> steps() {
    std::vector<step> out;
    auto cluster = superuser("postgres");
    bool fresh = false;
    for (const auto& statement : made_.of_the_cluster) {
      const auto name = made_by(statement);
      const auto word = name.substr(name.find(' ') + 1);
      const auto is_role = name.starts_with("ROLE ");
      const auto sql = is_role ? "SELECT 1 FROM pg_roles WHERE rolname = $1::text"
                               : "SELECT 1 FROM pg_database WHERE datname = $1::text";
      const bool due = cluster.exec_params(sql, persistence::parameters{}.text(word), soon()).empty();
      fresh = fresh || (due && !is_role);
      out.push_back({(is_role ? "the role " : "the database ") + word, due,
                     [this, statement] { superuser("postgres").exec(statement, later()); }});
    }
    std::int64_t granted = 0;
    std::size_t pending = persistence::migrations_of_this_build().size();
    if (!fresh) {
      auto database = superuser(made_.database);
      granted =
        database
          .exec_params(
            "SELECT count(*) + coalesce(bool_or(pg_has_role(a.grantee, 'pg_read_all_stats', 'USAGE')), false)::int"
            " FROM pg_default_acl d, aclexplode(d.defaclacl) a"
            " WHERE d.defaclrole = to_regrole($1::text)::oid AND a.grantee = to_regrole($2::text)::oid",
            persistence::parameters{}.text(owner()).text(server_role_), soon())
          .value<std::int64_t>();
      pending = 0;
      for (const auto& each : persistence::migration_list(database, soon()))
        if (each.state == persistence::migration_state::pending)
          ++pending;
      look_at_people(database);
    }
    out.push_back({"the rights of the server's role: to read and write rows and see statistics, and no more",
                   granted < rights, [this] { grant(); }});
    out.push_back({"the tables: " + std::to_string(pending) + " migrations", pending > 0, [this] { migrate(); }});
    out.push_back(
      {"the directory " + with_.data_dir + ", of " + user_name() + " alone", !has_data(), [this] { make_data(); }});
    out.push_back({"the key that signs tokens, " + key_file(),
                   with_.auth.token_secret.empty() && ::access(key_file().c_str(), F_OK) != 0, [this] { make_key(); }});
    if (first_admin_ && !leaves_people_alone())
      add_first_admin(out);
    return out;
  }

  /// Why there is no step for a first admin, where that is worth a word. To be asked behind `steps`.
  std::optional<std::string> left_out() const {
    if (leaves_people_alone())
      return "the first admin: there are profiles, and --only-if-empty leaves them alone";
    if (!anybody_ && !first_admin_ && with_.chain.endpoints.empty())
      return "the first admin: --first-admin ADDRESS makes the profile of a wallet, and it an admin";
    return std::nullopt;
  }

private:
  /// That ops/roles.sql grants: four on tables, two on sequences, and to see statistics.
  static constexpr std::int64_t rights = 7;

  static steady_time soon() { return persistence::deadline_in(30s); }
  static steady_time later() { return persistence::deadline_in(timeout); }

  connection superuser(const std::string& database, const std::string& as = {}) {
    persistence::session how;
    how.application_name = "credence-setup";
    how.statement_timeout = 0ms;
    how.lock_timeout = 0ms;
    how.idle_in_transaction_timeout = 0ms;
    if (!as.empty())
      how.options = " -c role=" + as;
    const auto postgres = user_named("postgres");
    const acting_as peer{postgres ? &*postgres : nullptr};
    try {
      return {persistence::url_with(superuser_, "dbname", database), how, 5s};
    } catch (const persistence::database_error& why) {
      throw ending{no_database, std::string{why.what()} + "; --superuser-url names a superuser of PostgreSQL"};
    }
  }

  void grant() {
    auto on = superuser(made_.database);
    for (const auto& statement : made_.of_the_database)
      on.exec(statement, later());
  }

  void migrate() {
    auto on = superuser(made_.database, owner());
    auto told = progress_of(line_, "migrate");
    persistence::migrate_up(on, later(), persistence::migrations_of_this_build(), told);
  }

  /// The role that owns the database: the word behind OWNER in the statement that makes it.
  std::string owner() const {
    for (const auto& statement : made_.of_the_cluster)
      if (const auto at = statement.find(" OWNER "); at != std::string::npos)
        return statement.substr(at + 7);
    throw ending{failed, "ops/roles.sql names no owner"};
  }

  /// Whose the server's files are; nothing where this user is all that it can be.
  std::optional<machine_user> user() const {
    if (::geteuid() != 0)
      return std::nullopt;
    const auto& name = line_.files_of.empty() ? server_role_ : line_.files_of;
    const auto found = user_named(name);
    if (!found)
      throw ending{failed, "there is no user " + name + " on this machine: make it, or name another with --user"};
    return found;
  }
  std::string user_name() const {
    const auto found = user();
    return found ? found->name : "this user";
  }

  /// Also false after a run that was cut off while it made the directory.
  bool has_data() const {
    struct stat at {};
    const auto whose = user();
    return ::stat(with_.data_dir.c_str(), &at) == 0 && (at.st_mode & 0777) == 0700
           && (!whose || at.st_uid == whose->uid);
  }
  void make_data() {
    std::error_code why;
    std::filesystem::create_directories(with_.data_dir, why);
    const auto whose = user();
    if (why || ::chmod(with_.data_dir.c_str(), 0700) != 0
        || (whose && ::chown(with_.data_dir.c_str(), whose->uid, whose->gid) != 0))
      throw ending{failed, "cannot make " + with_.data_dir + ": " + (why ? why.message() : std::strerror(errno))};
  }

  void make_key() {
    const auto whose = user();
    const acting_as owner_of_files{whose ? &*whose : nullptr};
    token_rules(with_);
  }

  std::string key_file() const { return with_.data_dir + "/token.key"; }

  // -- the first admin -------------------------------------------------------------------

  static constexpr std::int32_t first_profile = 1;

  static bool anybody(connection& on, steady_time until) {
    return on.exec_params("SELECT EXISTS (SELECT FROM profiles)", until).value<bool>();
  }

  bool leaves_people_alone() const { return anybody_ && line_.only_if_empty; }

  /// In a database without tables there is nobody.
  void look_at_people(connection& on) {
    if (on.exec_params("SELECT to_regclass('public.profiles') IS NULL", soon()).value<bool>())
      return;
    anybody_ = anybody(on, soon());
    if (!first_admin_)
      return;
    const auto found = on.exec_params(
      "SELECT p.id FROM addresses a JOIN profiles p ON p.user_id = a.user_id WHERE a.address = $1::bytea",
      persistence::parameters{}.bytes(first_admin_->bytes), soon());
    if (!found.empty())
      admin_ = found.first<std::int32_t>("id");
  }

  void add_first_admin(std::vector<step>& to) {
    const bool made = admin_ != 0;
    const auto whose = lower_text(*first_admin_);
    if (!made && anybody_)
      throw ending{usage, "--first-admin: there are profiles, and none of " + whose
                            + "; an admin makes others, and auth.admins names who is one"};
    const auto id = std::to_string(made ? admin_ : first_profile);
    const auto& admins = with_.auth.admins;
    const auto file = settings_file(line_);
    const bool named =
      std::any_of(admins.begin(), admins.end(), [&](const auto each) { return std::to_string(each) == id; });
    if (!named && !admins.empty())
      throw ending{usage, "--first-admin: auth.admins names other profiles than " + id + ", that of " + whose + ": put "
                            + id + " among them"};
    if (!named && file.empty())
      throw ending{usage, "--first-admin: auth.admins is to be in a file of settings: name one by --config;"
                          " credence config example prints one"};
    to.push_back({"the profile of the first admin: " + id + ", of " + whose, !made, [this] { make_first_admin(); }});
    to.push_back(
      {"auth.admins = [" + id + "] in " + (named ? "the settings" : file), !named, [this] { name_admin(); }});
  }

  /// By the rules that requests are decided by, and while no server runs, which would not know of it. Looks again
  /// whether there is nobody, now that nobody else can come: while this one asked, another may have made somebody.
  void make_first_admin() {
    auto on = superuser(made_.database, owner());
    persistence::import_run run{on, later()};
    const auto give_up = [](const std::string& why) { throw ending{failed, "the first admin cannot be made: " + why}; };
    if (const auto why = run.hindrance())
      give_up(*why);
    if (anybody(on, run.deadline()))
      give_up("somebody has a profile by now");
    const auto now = system_now();
    reputation::create_profile question;
    question.account = *first_admin_;
    question.by_admin = true;
    const auto decided = persistence::decide_all<reputation::create_profile>(run, with_.people, {{now, question}});
    if (!decided.front())
      give_up(decided.front().why().detail);
    const auto made = decided.front()->answer;
    if (made.value != first_profile)
      give_up("its profile would be " + std::to_string(made.value));
    audit_by_operator(on, {now, "profile_created", made, "profile " + std::to_string(made.value), std::nullopt,
                           "address " + lower_text(*first_admin_)});
    run.commit();
    admin_ = made.value;
  }

  /// Puts a file of the same owner and mode in the place of that of the settings, once it reads as it should.
  void name_admin() {
    const auto file = std::filesystem::canonical(settings_file(line_)).string();
    const auto fresh = file + ".new";
    const auto line = "admins = [" + std::to_string(admin_) + "]";
    std::ostringstream before;
    before << std::ifstream{file}.rdbuf();
    const auto is_in_place = [&] {
      write_private_file(fresh, with_line_of_auth(before.str(), line));
      auto as_it_will_be = line_;
      as_it_will_be.config_file = fresh;
      const auto read = load_settings(as_it_will_be);
      const auto& admins = read.values.auth.admins;
      struct stat at {};
      return read.mistakes.empty() && std::find(admins.begin(), admins.end(), admin_) != admins.end()
             && ::stat(file.c_str(), &at) == 0 && ::chown(fresh.c_str(), at.st_uid, at.st_gid) == 0
             && ::chmod(fresh.c_str(), at.st_mode & 0777) == 0 && std::rename(fresh.c_str(), file.c_str()) == 0;
    };
    std::string why;
    try {
      if (is_in_place())
        return;
    } catch (const ending& end) {
      why = " (" + end.why + ")";
    }
    ::unlink(fresh.c_str());
    throw ending{failed, file + " could not be changed" + why + ": put " + line + " into its section [auth]"};
  }

  const command_line& line_;
  const settings::all& with_;
  const secret superuser_;
  const roles made_ = read_roles();
  std::string server_role_;
  std::optional<address> first_admin_;
  bool anybody_ = false;   // has a profile
  std::int32_t admin_ = 0; // the profile of the first admin, once it has one
};

bool agreed() {
  if (::isatty(STDIN_FILENO) == 0)
    throw ending{usage, "nothing has been made: say --yes to have it made"};
  std::cout << "Go on? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

} // namespace

int setup(const command_line& line) {
  const auto with = good_settings(line);
  if (with.store.database_url.empty())
    throw ending{usage, "no database is named: give --database-url, CREDENCE_STORE_DATABASE_URL or store.database_url"};
  setting_up all{line, with};
  const auto steps = all.steps();
  bool due = false;
  for (const auto& each : steps) {
    std::cout << (each.due ? "to be made  " : "is there    ") << each.what << "\n";
    due = due || each.due;
  }
  if (const auto what = all.left_out())
    std::cout << "left out    " << *what << "\n";
  if (line.only_told)
    return ok;
  if (due && !line.agreed && !agreed())
    return failed;
  for (const auto& each : steps) {
    if (!each.due)
      continue;
    each.make();
    std::cout << "made        " << each.what << "\n";
  }
  std::cout << "Next: credence doctor looks at the rest, credence serve serves, credence console-link signs the first "
               "admin in.\n";
  return ok;
}

} // namespace credence::commands
