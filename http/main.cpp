// The executable: reads the command line and runs one subcommand.
#include "http/commands/command.hpp"
#include "ops/log.hpp"
#include "persistence/moving/exported.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

namespace credence::commands {
namespace {

/// `short_names` false: only the long flags, where a subcommand has a use for the short ones.
void add_settings(CLI::App& to, command_line& line, bool short_names) {
  to.add_option("--config", line.config_file, "TOML file with settings (or CREDENCE_CONFIG)");
  for (const auto& each : settings::descriptions()) {
    auto spelled = settings::flag_of(each.name);
    if (!each.alias.empty() && each.alias != spelled && (short_names || !each.is_list))
      spelled += "," + each.alias;
    const auto help = each.help + (each.initial.empty() || each.is_secret ? "" : " [" + each.initial + "]");
    if (each.is_list) {
      to.add_option(spelled, line.lists[each.name], help)->group("Settings");
      continue;
    }
    auto* option = to.add_option_function<std::string>(
      spelled, [&line, name = each.name](const std::string& v) { line.flags[name] = v; }, help);
    option->group("Settings");
    if (!each.choices.empty()) // which are checked with all other mistakes
      option->type_name(CLI::detail::generate_set(each.choices));
  }
}

/// A subcommand takes every setting, some 200, and an option that is added is compared with all before it: so only
/// those subcommands are given them that the command line may mean, or all where a page of all of them is asked for.
bool may_run(const std::string& name, const command_line& line) {
  return std::any_of(line.words.begin(), line.words.end(),
                     [&](const auto& word) { return word == name || word == "completion" || word == "man"; });
}

/// Names the first word that is not known and the nearest one that is, or nothing.
std::string unknown_word(const CLI::App& app, int argc, char** argv) {
  const auto* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto subcommands = at->get_subcommands([](const CLI::App*) { return true; });
    const auto next = std::find_if(subcommands.begin(), subcommands.end(),
                                   [&](const CLI::App* each) { return each->get_name() == word; });
    if (next != subcommands.end()) {
      at = *next;
      continue;
    }
    std::vector<std::string> known;
    if (word.starts_with("-")) {
      const auto flag = word.substr(0, word.find('='));
      if (at->get_option_no_throw(flag))
        continue;
      for (const auto* option : at->get_options())
        for (const auto& name : option->get_lnames())
          known.push_back("--" + name);
      return flag + " is not an option here; did you mean " + settings::nearest(flag, known) + "?";
    }
    if (subcommands.empty())
      continue; // a value
    for (const auto* each : subcommands)
      known.push_back(each->get_name());
    return "'" + word + "' is not a subcommand; did you mean " + settings::nearest(word, known) + "?";
  }
  return {};
}

// -- the commands ---------------------------------------------------------------------

using runner = int (*)(const command_line&);
using more_options = void (*)(CLI::App&, command_line&);

// What a command takes.
constexpr unsigned settings_too = 1, json_too = 2, quiet_too = 4;

/// One command, such as `credence migrate up`.
struct command_entry {
  std::string path;
  std::string help;
  std::string example = {};
  runner run = nullptr; // null: it is a group of commands, which follow
  unsigned takes = settings_too;
  more_options options = nullptr;
};

void profile_word(CLI::App& to, std::int32_t& profile) {
  to.add_option("profile", profile, "profile id")->required()->check(CLI::Range(1, 2147483647));
}

void options_of_setup(CLI::App& to, command_line& line) {
  to.add_option("--superuser-url", line.superuser_url, "a superuser of PostgreSQL [" + line.superuser_url + "]");
  to.add_option("--user", line.files_of, "whose the server's files are, where root runs this [as the server's role]");
  to.add_option("--first-admin", line.first_admin,
                "the address of a wallet: makes its profile where nobody has one yet, and names it in auth.admins");
  to.add_flag("--only-if-empty", line.only_if_empty,
              "leave --first-admin out where anybody has a profile, for scripts that run again and again");
  to.add_flag("--yes", line.agreed, "do not ask");
  to.add_flag("--dry-run", line.only_told, "say what would be made, and make nothing");
}

void options_of_token(CLI::App& to, command_line& line) {
  profile_word(to, line.token_profile);
  to.add_flag("--admin", line.token_admin, "the token of an admin");
  to.add_option("--lifetime", line.token_lifetime, "seconds [86400; of an admin's 28800, and 86400 at most]")
    ->check(CLI::Range(1, 31536000));
}

void options_of_export(CLI::App& to, command_line& line) {
  std::vector<std::string> names;
  for (const auto& each : persistence::exported_entities())
    names.emplace_back(each.name);
  auto& moved = line.moved;
  to.add_option("entity", moved.entities, "what to export [all]")->check(CLI::IsMember(names));
  to.add_option(
    "--to", moved.directory,
    "a directory, which gets a file for each and a manifest; without it one entity goes to standard output");
  to.add_option("--format", moved.format, "how rows are written [ndjson]")
    ->check(CLI::IsMember(std::vector<std::string>{export_format_names.begin(), export_format_names.end()}));
  to.add_option("--since", moved.since, "only facts from this moment on, such as 2026-03-01T00:00:00Z");
  to.add_option("--until", moved.until, "only facts before this moment [all]");
  to.add_flag("--resume", moved.resume, "go on with the export in that directory where it stopped");
  to.add_flag("--describe", moved.describe,
              "only print what there is to export, with all members, as tables of Markdown");
}

void options_of_import(CLI::App& to, command_line& line) {
  auto& moved = line.moved;
  to.add_option("source", moved.sources, "files of NDJSON that are named as those of an export, or a directory of such")
    ->required();
  to.add_flag("--dry-run", moved.dry_run, "say what would happen, and change nothing");
  to.add_flag("--skip-refused", moved.skip_refused,
              "import the rest where lines are refused; without it nothing is imported then");
}

CLI::Option* check_flag(CLI::App& to, command_line& line) {
  return to.add_flag("--check", line.check_only, "change nothing, tell what differs; 7 when something does");
}

/// Every command, in the order of the help. Those of a group stand behind it.
const std::vector<command_entry>& all_commands() {
  static const std::vector<command_entry> all{
    {"serve", "serve the API until SIGTERM or SIGINT", "credence serve --database-url postgresql:///credence", serve,
     settings_too,
     [](CLI::App& to, command_line& line) {
       to.add_flag("--standby", line.standby,
                   "wait until the server that owns the database ends, or has shown no sign of life for 8 s");
     }},
    {"migrate", "the database's schema"},
    {"migrate status", "list migrations; 4 unless all are applied", "credence migrate status --json", migrate_status,
     settings_too | json_too},
    {"migrate up", "apply what is pending", "credence migrate up --database-url postgresql:///credence", migrate_up,
     settings_too | json_too | quiet_too},
    {"config", "settings"},
    {"config check", "list every mistake", "credence config check --config credence.toml", config_check},
    {"config show", "every value and where it comes from", "credence config show --json", config_show,
     settings_too | json_too},
    {"config example", "print a file of the settings that most installations look at",
     "credence config example > credence.toml", config_example, 0},
    {"setup", "make roles, database, tables, data directory, signing key and first admin; says first what it will make",
     "credence setup --config /etc/credence/credence.toml --data-dir /var/lib/credence"
     " --first-admin 0x1111111111111111111111111111111111111111",
     setup, settings_too | quiet_too, options_of_setup},
    {"doctor", "look whether settings, database, keys, clock and ports are fit to serve; 1 when something is not",
     "credence doctor --config /etc/credence/credence.toml", doctor, settings_too | json_too},
    {"health", "ask the running server whether it is ready; 1 when it is not", "credence health --port 8080", health},
    {"check-database",
     "test what the server needs of its database: each host, quorum, commits, sessions; 1 when something is not right",
     "credence check-database --config /etc/credence/credence.toml", check_database, settings_too | json_too},
    {"token", "mint an access token for a profile", "credence token 7 --lifetime 3600", token, settings_too | json_too,
     options_of_token},
    {"revoke", "take back an access token that `credence token` made", "credence revoke 7 eyJhbGci…", revoke,
     settings_too,
     [](CLI::App& to, command_line& line) {
       profile_word(to, line.token_profile);
       to.add_option("token", line.revoked, "the token, or its id")->required();
     }},
    {"console-link", "print a link that signs in at the operator console once, within ten minutes",
     "credence console-link --role viewer", console_link, settings_too | json_too,
     [](CLI::App& to, command_line& line) {
       to.add_option("--role", line.console_role, "what whoever comes by it may do [admin]")
         ->check(CLI::IsMember({"wall", "viewer", "operator", "admin"}));
     }},
    {"signing-keys", "the keys that sign tokens"},
    {"signing-keys list", "list their ids", "credence signing-keys list --data-dir var", signing_keys_list},
    {"signing-keys rotate", "make a new one that signs; older ones are still believed",
     "credence signing-keys rotate --data-dir var", signing_keys_rotate},
    {"signing-keys retire", "believe an older one no longer",
     "credence signing-keys retire 1f2e3d4c5b6a7988 --data-dir var", signing_keys_retire, settings_too,
     [](CLI::App& to, command_line& line) { to.add_option("key", line.signing_key, "its id")->required(); }},
    {"access", "let a profile have API keys, or not", "credence access 7", access, settings_too | json_too,
     [](CLI::App& to, command_line& line) {
       profile_word(to, line.access_profile);
       to.add_flag("--off", line.access_off, "its keys are refused from the next minute on");
     }},
    {"verify", "work everything out anew from the votes and compare; 7 when something differs",
     "credence verify --server http://127.0.0.1:8080 --metrics /var/lib/node_exporter/credence.prom", verify,
     settings_too | json_too | quiet_too,
     [](CLI::App& to, command_line& line) {
       to.add_option("--server", line.server, "compare with what this server tells, too: http://host:port");
       to.add_option("--metrics", line.metrics_file,
                     "write the result to this file for a textfile collector of Prometheus");
     }},
    {"rings", "look for groups of profiles that look as if one hand led them, in the votes and ties of 90 days",
     "credence rings --store", rings, settings_too | json_too | quiet_too,
     [](CLI::App& to, command_line& line) {
       to.add_flag("--store", line.stored, "keep what was found, compared with the run before, for the console");
     }},
    {"score", "the scores of users"},
    {"score recompute", "work the sums and scores of everybody out anew from the records",
     "credence score recompute --check", score_recompute, settings_too | json_too | quiet_too,
     [](CLI::App& to, command_line& line) { check_flag(to, line); }},
    {"export", "write votes, records, people and more as NDJSON or CSV",
     "credence export --to /var/backups/community\n"
     "  credence export votes --since 2026-01-01T00:00:00Z > votes.ndjson",
     export_all, settings_too | quiet_too, options_of_export},
    {"import", "take people, projects, votes and records in, by the rules of the API, while no server runs",
     "credence import /srv/export/2026-11 --dry-run", import_all, settings_too | quiet_too, options_of_import},
    {"chain", "the chain that is followed"},
    {"chain status", "how far its events are stored", "credence chain status --json", chain_status,
     settings_too | json_too},
    {"chain failed", "the events that could not be read, by reason", "credence chain failed --json", chain_failed,
     settings_too | json_too},
    {"chain texts", "the texts that are read from contracts, by state and reason", "credence chain texts --json",
     chain_texts, settings_too | json_too},
    {"chain retry-texts", "have the texts tried again that could not be read", "credence chain retry-texts",
     chain_retry_texts, settings_too | json_too},
    {"chain reprocess", "have the events tried again that have failed", "credence chain reprocess", chain_reprocess,
     settings_too | json_too},
    {"chain replay", "folds the stored events anew and compares records with what comes of it",
     "credence chain replay --check", chain_replay, settings_too | json_too | quiet_too,
     [](CLI::App& to, command_line& line) { check_flag(to, line)->required(); }},
    {"wallets", "accounts of a chain that the service signs for"},
    {"wallets list", "their addresses and owners", "credence wallets list --json", wallets_list,
     settings_too | json_too},
    {"wallets rotate", "seal their keys anew under wallets.master_key; may be repeated", "credence wallets rotate",
     wallets_rotate, settings_too | json_too},
    {"version", "print the version", "", version, json_too},
    {"completion", "print a script that completes words of this command line in a shell",
     "credence completion bash > /etc/bash_completion.d/credence", completion, 0,
     [](CLI::App& to, command_line& line) {
       to.add_option("shell", line.shell, "the shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
     }},
    {"man", "print this help as a manual page", "credence man > /usr/local/share/man/man1/credence.1", man, 0}};
  return all;
}

/// An empty value is that of a variable which is not set: taken for none, `--since ""` would export everything, and
/// `--server ""` compare with no server. Settings are checked by themselves.
void refuse_empty_values(CLI::App& of) {
  for (auto* option : of.get_options())
    if (option->get_group() != "Settings" && option->get_items_expected_max() > 0)
      option->check([](const std::string& text) { return std::string{text.empty() ? "must not be empty" : ""}; });
}

/// Adds it to the command line, and a group before those that belong to it.
void add_command(CLI::App& app, const command_entry& entry, command_line& line, runner& chosen) {
  const auto blank = entry.path.find(' ');
  auto& of = blank == std::string::npos ? app : *app.get_subcommand(entry.path.substr(0, blank));
  const auto name = entry.path.substr(blank == std::string::npos ? 0 : blank + 1);
  auto& made = *of.add_subcommand(name, entry.help);
  if (!entry.run) {
    made.require_subcommand(1);
    return;
  }
  if (!entry.example.empty())
    made.footer("Example:\n  " + entry.example);
  if ((entry.takes & settings_too) != 0 && may_run(name, line))
    add_settings(made, line, name != "token");
  if ((entry.takes & json_too) != 0)
    made.add_flag("--json", line.json, "print JSON");
  if (entry.options)
    entry.options(made, line);
  if ((entry.takes & quiet_too) != 0)
    made.add_flag("--quiet", line.quiet, "do not tell on standard error how far it is");
  refuse_empty_values(made);
  made.callback([&chosen, &entry] { chosen = entry.run; });
}

// -- what the command line takes, for pages and completion --------------------------

/// `TEXT:{bash,fish}` is a value with choices, `INT:INT in [1 - 9]` one with bounds.
option_words words_of(const CLI::Option& option) {
  option_words out;
  for (const auto& name : option.get_snames())
    out.names.push_back("-" + name);
  for (const auto& name : option.get_lnames())
    out.names.push_back("--" + name);
  if (!option.nonpositional())
    out.place = option.get_name(true);
  out.help = option.get_description();
  out.required = option.get_required();
  if (option.get_items_expected_max() == 0)
    return out;
  out.repeats = option.get_expected_max() > 1;
  const auto type = option.get_type_name();
  const auto list = type.find('{');
  const auto bounds = type.find('[');
  out.value = list == 0 ? "VALUE" : type.substr(0, type.find(':'));
  if (list != std::string::npos)
    out.choices = CLI::detail::split(type.substr(list + 1, type.find('}') - list - 1), ',');
  else if (bounds != std::string::npos)
    out.bounds = type.substr(bounds);
  return out;
}

/// Adds a command and all below it.
void add_words(command_table& to, const CLI::App& app, const std::string& path) {
  command_words out{path, app.get_name(), app.get_description(), path.empty() ? "" : app.get_footer(), {}, std::nullopt,
                    {}};
  std::vector<option_words> taken;
  for (const auto* option : app.get_options())
    (option->get_group() == "Settings" ? taken : out.options).push_back(words_of(*option));
  const auto below = app.get_subcommands([](const CLI::App*) { return true; });
  for (const auto* each : below)
    out.subcommands.push_back(each->get_name());
  if (!taken.empty()) {
    const auto same = std::find(to.settings.begin(), to.settings.end(), taken);
    out.settings = static_cast<std::size_t>(same - to.settings.begin());
    if (same == to.settings.end())
      to.settings.push_back(std::move(taken));
  }
  to.commands.push_back(std::move(out));
  for (const auto* each : below)
    add_words(to, *each, path + (path.empty() ? "" : " ") + each->get_name());
}

const std::vector<std::pair<int, std::string>> exit_codes{
  {ok, "done"},
  {failed, "failed"},
  {usage, "usage or settings"},
  {no_database, "no database"},
  {unfit_schema, "schema or database unfit"},
  {port_taken, "port taken"},
  {superseded, "another process has taken the database over"},
  {differs, "verify, score recompute --check or chain replay --check found differences"},
  {part_died, "a part of the server has died"}};
const std::vector<std::string> examples{"credence migrate up --database-url postgresql:///credence",
                                        "credence serve --database-url postgresql:///credence --port 8080 --admin 1"};

command_table table_of(const CLI::App& app) {
  command_table out;
  add_words(out, app, "");
  out.exit_codes = exit_codes;
  out.examples = examples;
  return out;
}

std::string footer() {
  std::string out = "Exit codes:\n";
  for (const auto& [code, meaning] : exit_codes)
    out += "  " + std::to_string(code) + "  " + meaning + "\n";
  out += "Examples:";
  for (const auto& example : examples)
    out += "\n  " + example;
  return out;
}

/// Runs the subcommand, and says why it has failed.
int run_safely(runner chosen, const command_line& line) {
  try {
    return chosen(line);
  } catch (const ending& end) {
    std::cerr << "credence: " << end.why << "\n";
    return end.code;
  } catch (const persistence::database_error& error) {
    std::cerr << "credence: " << error.what() << "\n";
    return failed;
  } catch (const std::exception& error) {
    std::cerr << "credence: " << error.what() << "\n";
    return failed;
  }
}

int run(int argc, char** argv) {
  command_line line;
  line.words.assign(argv + std::min(argc, 1), argv + argc);
  runner chosen = nullptr;
  CLI::App app{"Credence: a reputation network service"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "credence " CREDENCE_VERSION);
  for (const auto& each : all_commands())
    add_command(app, each, line, chosen);
  app.footer(footer()); // behind the subcommands, which would inherit it
  line.table = [&app] { return table_of(app); };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const auto unknown = error.get_exit_code() == 0 ? std::string{} : unknown_word(app, argc, argv);
    if (unknown.empty())
      return app.exit(error) == 0 ? ok : usage;
    std::cerr << "credence: " << unknown << "\n";
    return usage;
  }
  const int code = run_safely(chosen, line);
  ops::log_all_repeats();
  return code;
}

} // namespace
} // namespace credence::commands

int main(int argc, char** argv) { return credence::commands::run(argc, argv); }
