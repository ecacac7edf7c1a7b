// The executable: reads the command line and runs one subcommand.
#include "http/commands/command.hpp"
#include "http/commands/exported_file.hpp"
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

CLI::App* subcommand(CLI::App& of, const std::string& name, const std::string& help, const std::string& example,
                     command_line& line, bool json) {
  auto* made = of.add_subcommand(name, help);
  made->footer("Example:\n  " + example);
  if (may_run(name, line))
    add_settings(*made, line, name != "token");
  if (json)
    made->add_flag("--json", line.json, "print JSON");
  return made;
}

/// Of commands that may take long.
void add_quiet(CLI::App& to, command_line& line) {
  to.add_flag("--quiet", line.quiet, "do not tell on standard error how far it is");
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

/// What a subcommand runs.
using command = int (*)(const command_line&);

void add_service(CLI::App& app, command_line& line, command& chosen) {
  auto* serve_app = subcommand(app, "serve", "serve the API until SIGTERM or SIGINT",
                               "credence serve --database-url postgresql:///credence", line, false);
  serve_app->add_flag("--standby", line.standby,
                      "wait until the server that owns the database ends, or has shown no sign of life for 8 s");
  serve_app->callback([&chosen] { chosen = serve; });
  auto* migrate = app.add_subcommand("migrate", "the database's schema")->require_subcommand(1);
  subcommand(*migrate, "status", "list migrations; 4 unless all are applied", "credence migrate status --json", line,
             true)
    ->callback([&chosen] { chosen = migrate_status; });
  auto* up = subcommand(*migrate, "up", "apply what is pending",
                        "credence migrate up --database-url postgresql:///credence", line, true);
  add_quiet(*up, line);
  up->callback([&chosen] { chosen = migrate_up; });
  auto* config = app.add_subcommand("config", "settings")->require_subcommand(1);
  subcommand(*config, "check", "list every mistake", "credence config check --config credence.toml", line, false)
    ->callback([&chosen] { chosen = config_check; });
  subcommand(*config, "show", "every value and where it comes from", "credence config show --json", line, true)
    ->callback([&chosen] { chosen = config_show; });
  auto* example_app = config->add_subcommand("example", "print a file of the settings that most installations look at");
  example_app->footer("Example:\n  credence config example > credence.toml");
  example_app->callback([&chosen] { chosen = config_example; });
  auto* setup_app = subcommand(
    app, "setup", "make roles, database, tables, data directory and signing key; says first what it will make",
    "credence setup --config /etc/credence/credence.toml --data-dir /var/lib/credence", line, false);
  setup_app->add_option("--superuser-url", line.superuser_url,
                        "a superuser of PostgreSQL [" + line.superuser_url + "]");
  setup_app->add_option("--user", line.files_of,
                        "whose the server's files are, where root runs this [as the server's role]");
  setup_app->add_flag("--yes", line.agreed, "do not ask");
  add_quiet(*setup_app, line);
  setup_app->callback([&chosen] { chosen = setup; });
  subcommand(app, "doctor",
             "look whether settings, database, keys, clock and ports are fit to serve; 1 when something is not",
             "credence doctor --config /etc/credence/credence.toml", line, true)
    ->callback([&chosen] { chosen = doctor; });
  subcommand(app, "health", "ask the running server whether it is ready; 1 when it is not",
             "credence health --port 8080", line, false)
    ->callback([&chosen] { chosen = health; });
  subcommand(
    app, "check-database",
    "test what the server needs of its database: each host, quorum, commits, sessions; 1 when something is not right",
    "credence check-database --config /etc/credence/credence.toml", line, true)
    ->callback([&chosen] { chosen = check_database; });
}

void add_demo(CLI::App& app, command_line& line, command& chosen) {
  auto* demo_app =
    subcommand(app, "demo", "fill an empty database with demo data",
               "credence demo --profiles 10000 --projects 100 --votes 1000000 --tokens tokens.tsv", line, false);
  demo_app->add_option("--profiles", line.demo.profiles, "number of profiles [500]")->check(CLI::Range(1, 100000000));
  demo_app->add_option("--projects", line.demo.projects, "number of projects [40]")->check(CLI::Range(1, 1000000));
  demo_app->add_option("--votes", line.demo.votes, "number of votes [24000]");
  demo_app->add_option("--markets", line.demo.markets, "number of markets, 0 to 16 [16]")->check(CLI::Range(0, 16));
  demo_app
    ->add_option("--writers", line.demo.writers,
                 "people who write reviews, vouches and replies, at most, 0 to 10000 [200]")
    ->check(CLI::Range(0, 10000));
  demo_app->add_option("--tokens", line.tokens_file, "write `profileId<TAB>token` lines to this file");
  demo_app->add_option("--keys", line.keys_file,
                       "make an API key for every live profile and write `profileId<TAB>key` lines to this file");
  add_quiet(*demo_app, line);
  demo_app->callback([&chosen] { chosen = demo; });
}

void add_credentials(CLI::App& app, command_line& line, command& chosen) {
  auto* token_app =
    subcommand(app, "token", "mint an access token for a profile", "credence token 7 --lifetime 3600", line, true);
  token_app->add_option("profile", line.token_profile, "profile id")->required()->check(CLI::Range(1, 2147483647));
  token_app->add_flag("--admin", line.token_admin, "the token of an admin");
  token_app->add_option("--lifetime", line.token_lifetime, "seconds [86400; of an admin's 28800, and 86400 at most]")
    ->check(CLI::Range(1, 31536000));
  token_app->callback([&chosen] { chosen = token; });
  auto* revoke_app = subcommand(app, "revoke", "take back an access token that `credence token` made",
                                "credence revoke 7 eyJhbGci…", line, false);
  revoke_app->add_option("profile", line.token_profile, "profile id")->required()->check(CLI::Range(1, 2147483647));
  revoke_app->add_option("token", line.revoked, "the token, or its id")->required();
  revoke_app->callback([&chosen] { chosen = revoke; });
  auto* link_app =
    subcommand(app, "console-link", "print a link that signs in at the operator console once, within ten minutes",
               "credence console-link --role viewer", line, true);
  link_app->add_option("--role", line.console_role, "what whoever comes by it may do [admin]")
    ->check(CLI::IsMember({"viewer", "operator", "admin"}));
  link_app->callback([&chosen] { chosen = console_link; });
  auto* keys_app = app.add_subcommand("signing-keys", "the keys that sign tokens")->require_subcommand(1);
  subcommand(*keys_app, "list", "list their ids", "credence signing-keys list --data-dir var", line, false)
    ->callback([&chosen] { chosen = signing_keys_list; });
  subcommand(*keys_app, "rotate", "make a new one that signs; older ones are still believed",
             "credence signing-keys rotate --data-dir var", line, false)
    ->callback([&chosen] { chosen = signing_keys_rotate; });
  auto* retire_app = subcommand(*keys_app, "retire", "believe an older one no longer",
                                "credence signing-keys retire 1f2e3d4c5b6a7988 --data-dir var", line, false);
  retire_app->add_option("key", line.signing_key, "its id")->required();
  retire_app->callback([&chosen] { chosen = signing_keys_retire; });
  auto* access_app = subcommand(app, "access", "let a profile have API keys, or not", "credence access 7", line, true);
  access_app->add_option("profile", line.access_profile, "profile id")->required()->check(CLI::Range(1, 2147483647));
  access_app->add_flag("--off", line.access_off, "its keys are refused from the next minute on");
  access_app->callback([&chosen] { chosen = access; });
}

void add_checks(CLI::App& app, command_line& line, command& chosen) {
  auto* verify_app = subcommand(
    app, "verify", "work everything out anew from the votes and compare; 7 when something differs",
    "credence verify --server http://127.0.0.1:8080 --metrics /var/lib/node_exporter/credence.prom", line, true);
  verify_app->add_option("--server", line.server, "compare with what this server tells, too: http://host:port");
  verify_app->add_option("--metrics", line.metrics_file,
                         "write the result to this file for a textfile collector of Prometheus");
  add_quiet(*verify_app, line);
  verify_app->callback([&chosen] { chosen = verify; });
  auto* score_app = app.add_subcommand("score", "the scores of users")->require_subcommand(1);
  auto* recompute_app =
    subcommand(*score_app, "recompute", "work the sums and scores of everybody out anew from the records",
               "credence score recompute --check", line, true);
  recompute_app->add_flag("--check", line.check_only, "change nothing, tell what differs; 7 when something does");
  add_quiet(*recompute_app, line);
  recompute_app->callback([&chosen] { chosen = score_recompute; });
}

void add_moving(CLI::App& app, command_line& line, command& chosen) {
  std::vector<std::string> names;
  for (const auto& each : persistence::exported_entities())
    names.emplace_back(each.name);
  auto& moved = line.moved;
  auto* export_app = subcommand(
    app, "export", "write votes, records, people and more as NDJSON or CSV",
    "credence export --to /var/backups/community\n  credence export votes --since 2026-01-01T00:00:00Z > votes.ndjson",
    line, false);
  export_app->add_option("entity", moved.entities, "what to export [all]")->check(CLI::IsMember(names));
  export_app->add_option(
    "--to", moved.directory,
    "a directory, which gets a file for each and a manifest; without it one entity goes to standard output");
  export_app->add_option("--format", moved.format, "how rows are written [ndjson]")
    ->check(CLI::IsMember(
      std::vector<std::string>{commands::export_format_names.begin(), commands::export_format_names.end()}));
  export_app->add_option("--since", moved.since, "only facts from this moment on, such as 2026-03-01T00:00:00Z");
  export_app->add_option("--until", moved.until, "only facts before this moment [all]");
  export_app->add_flag("--resume", moved.resume, "go on with the export in that directory where it stopped");
  export_app->add_flag("--describe", moved.describe,
                       "only print what there is to export, with all members, as tables of Markdown");
  add_quiet(*export_app, line);
  export_app->callback([&chosen] { chosen = export_all; });
  auto* import_app = subcommand(
    app, "import", "take people, projects, votes and records in, by the rules of the API, while no server runs",
    "credence import /srv/export/2026-11 --dry-run", line, false);
  import_app
    ->add_option("source", moved.sources,
                 "files of NDJSON that are named as those of an export, or a directory of such")
    ->required();
  import_app->add_flag("--dry-run", moved.dry_run, "say what would happen, and change nothing");
  import_app->add_flag("--skip-refused", moved.skip_refused,
                       "import the rest where lines are refused; without it nothing is imported then");
  add_quiet(*import_app, line);
  import_app->callback([&chosen] { chosen = import_all; });
}

void add_chain(CLI::App& app, command_line& line, command& chosen) {
  auto* chain = app.add_subcommand("chain", "the chain that is followed")->require_subcommand(1);
  subcommand(*chain, "status", "how far its events are stored", "credence chain status --json", line, true)
    ->callback([&chosen] { chosen = chain_status; });
  subcommand(*chain, "failed", "the events that could not be read, by reason", "credence chain failed --json", line,
             true)
    ->callback([&chosen] { chosen = chain_failed; });
  subcommand(*chain, "texts", "the texts that are read from contracts, by state and reason",
             "credence chain texts --json", line, true)
    ->callback([&chosen] { chosen = chain_texts; });
  subcommand(*chain, "retry-texts", "have the texts tried again that could not be read", "credence chain retry-texts",
             line, true)
    ->callback([&chosen] { chosen = chain_retry_texts; });
  subcommand(*chain, "reprocess", "have the events tried again that have failed", "credence chain reprocess", line,
             true)
    ->callback([&chosen] { chosen = chain_reprocess; });
  auto* replay_app =
    subcommand(*chain, "replay", "folds the stored events anew and compares records with what comes of it",
               "credence chain replay --check", line, true);
  replay_app->add_flag("--check", line.check_only, "change nothing, tell what differs; 7 when something does")
    ->required();
  add_quiet(*replay_app, line);
  replay_app->callback([&chosen] { chosen = chain_replay; });
  auto* wallets =
    app.add_subcommand("wallets", "accounts of a chain that the service signs for")->require_subcommand(1);
  subcommand(*wallets, "list", "their addresses and owners", "credence wallets list --json", line, true)
    ->callback([&chosen] { chosen = wallets_list; });
  subcommand(*wallets, "rotate", "seal their keys anew under wallets.master_key; may be repeated",
             "credence wallets rotate", line, true)
    ->callback([&chosen] { chosen = wallets_rotate; });
}

void add_pages(CLI::App& app, command_line& line, command& chosen) {
  app.add_subcommand("version", "print the version")
    ->callback([&chosen] { chosen = version; })
    ->add_flag("--json", line.json, "print JSON");
  auto* completion_app =
    app.add_subcommand("completion", "print a script that completes words of this command line in a shell");
  completion_app->footer("Example:\n  credence completion bash > /etc/bash_completion.d/credence");
  completion_app->add_option("shell", line.shell, "the shell")
    ->required()
    ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion_app->callback([&chosen] { chosen = completion; });
  auto* man_app = app.add_subcommand("man", "print this help as a manual page");
  man_app->footer("Example:\n  credence man > /usr/local/share/man/man1/credence.1");
  man_app->callback([&chosen] { chosen = man; });
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
int run_safely(command chosen, const command_line& line) {
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
  command chosen = nullptr;
  CLI::App app{"Credence: a reputation network service"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "credence " CREDENCE_VERSION);
  add_service(app, line, chosen);
  add_demo(app, line, chosen);
  add_credentials(app, line, chosen);
  add_checks(app, line, chosen);
  add_moving(app, line, chosen);
  add_chain(app, line, chosen);
  add_pages(app, line, chosen);
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
