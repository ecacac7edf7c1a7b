// The executable: reads the command line and runs one subcommand.
#include "http/commands/command.hpp"

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
    to.add_option_function<std::string>(
        spelled, [&line, name = each.name](const std::string& v) { line.flags[name] = v; }, help)
      ->group("Settings");
  }
}

CLI::App* subcommand(CLI::App& of, const std::string& name, const std::string& help, const std::string& example, command_line& line, bool json) {
  auto* made = of.add_subcommand(name, help);
  made->footer("Example:\n  " + example);
  add_settings(*made, line, name != "token");
  if (json)
    made->add_flag("--json", line.json, "print JSON");
  return made;
}

/// Names the first word that is not known and the nearest one that is, or nothing.
std::string unknown_word(const CLI::App& app, int argc, char** argv) {
  const auto* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto subcommands = at->get_subcommands([](const CLI::App*) { return true; });
    const auto next = std::find_if(subcommands.begin(), subcommands.end(), [&](const CLI::App* each) { return each->get_name() == word; });
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
  subcommand(app, "serve", "serve the API until SIGTERM or SIGINT", "credence serve --database-url postgresql:///credence", line, false)
    ->callback([&chosen] { chosen = serve; });
  auto* migrate = app.add_subcommand("migrate", "the database's schema")->require_subcommand(1);
  subcommand(*migrate, "status", "list migrations; 4 unless all are applied", "credence migrate status --json", line, true)->callback([&chosen] {
    chosen = migrate_status;
  });
  subcommand(*migrate, "up", "apply what is pending", "credence migrate up --database-url postgresql:///credence", line, true)->callback([&chosen] {
    chosen = migrate_up;
  });
  auto* config = app.add_subcommand("config", "settings")->require_subcommand(1);
  subcommand(*config, "check", "list every mistake", "credence config check --config credence.toml", line, false)->callback([&chosen] {
    chosen = config_check;
  });
  subcommand(*config, "show", "every value and where it comes from", "credence config show --json", line, true)->callback([&chosen] {
    chosen = config_show;
  });
}

void add_demo(CLI::App& app, command_line& line, command& chosen) {
  auto* demo_app = subcommand(app, "demo", "fill an empty database with demo data",
                              "credence demo --profiles 10000 --projects 100 --votes 1000000 --tokens tokens.tsv", line, false);
  demo_app->add_option("--profiles", line.demo.profiles, "number of profiles [500]")->check(CLI::Range(1, 100000000));
  demo_app->add_option("--projects", line.demo.projects, "number of projects [40]")->check(CLI::Range(1, 1000000));
  demo_app->add_option("--votes", line.demo.votes, "number of votes [24000]");
  demo_app->add_option("--markets", line.demo.markets, "number of markets, 0 to 16 [16]")->check(CLI::Range(0, 16));
  demo_app->add_option("--writers", line.demo.writers, "people who write reviews, vouches and replies, at most, 0 to 10000 [200]")
    ->check(CLI::Range(0, 10000));
  demo_app->add_option("--tokens", line.tokens_file, "write `profileId<TAB>token` lines to this file");
  demo_app->add_option("--keys", line.keys_file, "make an API key for every live profile and write `profileId<TAB>key` lines to this file");
  demo_app->callback([&chosen] { chosen = demo; });
}

void add_credentials(CLI::App& app, command_line& line, command& chosen) {
  auto* token_app = subcommand(app, "token", "mint an access token for a profile", "credence token 7 --lifetime 3600", line, true);
  token_app->add_option("profile", line.token_profile, "profile id")->required()->check(CLI::Range(1, 2147483647));
  token_app->add_flag("--admin", line.token_admin, "the token of an admin");
  token_app->add_option("--lifetime", line.token_lifetime, "seconds [86400; of an admin's 28800, and 86400 at most]")->check(CLI::Range(1, 31536000));
  token_app->callback([&chosen] { chosen = token; });
  auto* revoke_app = subcommand(app, "revoke", "take back an access token that `credence token` made", "credence revoke 7 eyJhbGci…", line, false);
  revoke_app->add_option("profile", line.token_profile, "profile id")->required()->check(CLI::Range(1, 2147483647));
  revoke_app->add_option("token", line.revoked, "the token, or its id")->required();
  revoke_app->callback([&chosen] { chosen = revoke; });
  auto* keys_app = app.add_subcommand("signing-keys", "the keys that sign tokens")->require_subcommand(1);
  subcommand(*keys_app, "list", "list their ids", "credence signing-keys list --data-dir var", line, false)->callback([&chosen] {
    chosen = signing_keys_list;
  });
  subcommand(*keys_app, "rotate", "make a new one that signs; older ones are still believed", "credence signing-keys rotate --data-dir var", line,
             false)
    ->callback([&chosen] { chosen = signing_keys_rotate; });
  auto* retire_app =
    subcommand(*keys_app, "retire", "believe an older one no longer", "credence signing-keys retire 1f2e3d4c5b6a7988 --data-dir var", line, false);
  retire_app->add_option("key", line.signing_key, "its id")->required();
  retire_app->callback([&chosen] { chosen = signing_keys_retire; });
  auto* access_app = subcommand(app, "access", "let a profile have API keys, or not", "credence access 7", line, true);
  access_app->add_option("profile", line.access_profile, "profile id")->required()->check(CLI::Range(1, 2147483647));
  access_app->add_flag("--off", line.access_off, "its keys are refused from the next minute on");
  access_app->callback([&chosen] { chosen = access; });
}

void add_checks(CLI::App& app, command_line& line, command& chosen) {
  auto* verify_app = subcommand(app, "verify", "work everything out anew from the votes and compare; 7 when something differs",
                                "credence verify --server http://127.0.0.1:8080 --metrics /var/lib/node_exporter/credence.prom", line, true);
  verify_app->add_option("--server", line.server, "compare with what this server tells, too: http://host:port");
  verify_app->add_option("--metrics", line.metrics_file, "write the result to this file for a textfile collector of Prometheus");
  verify_app->callback([&chosen] { chosen = verify; });
  auto* score_app = app.add_subcommand("score", "the scores of users")->require_subcommand(1);
  auto* recompute_app = subcommand(*score_app, "recompute", "work the sums and scores of everybody out anew from the records",
                                   "credence score recompute --check", line, true);
  recompute_app->add_flag("--check", line.check_only, "change nothing, tell what differs; 7 when something does");
  recompute_app->callback([&chosen] { chosen = score_recompute; });
  auto* chain = app.add_subcommand("chain", "the chain that is followed")->require_subcommand(1);
  subcommand(*chain, "status", "how far its events are stored", "credence chain status --json", line, true)->callback([&chosen] {
    chosen = chain_status;
  });
  subcommand(*chain, "failed", "the events that could not be read, by reason", "credence chain failed --json", line, true)->callback([&chosen] {
    chosen = chain_failed;
  });
  subcommand(*chain, "texts", "the texts that are read from contracts, by state and reason", "credence chain texts --json", line, true)
    ->callback([&chosen] { chosen = chain_texts; });
  subcommand(*chain, "retry-texts", "have the texts tried again that could not be read", "credence chain retry-texts", line, true)
    ->callback([&chosen] { chosen = chain_retry_texts; });
  auto* wallets = app.add_subcommand("wallets", "accounts of a chain that the service signs for")->require_subcommand(1);
  subcommand(*wallets, "list", "their addresses and owners", "credence wallets list --json", line, true)->callback([&chosen] {
    chosen = wallets_list;
  });
  subcommand(*wallets, "rotate", "seal their keys anew under wallets.master_key; may be repeated", "credence wallets rotate", line, true)
    ->callback([&chosen] { chosen = wallets_rotate; });
  auto* replay_app = subcommand(*chain, "replay", "folds the stored events anew and compares records with what comes of it",
                                "credence chain replay --check", line, true);
  replay_app->add_flag("--check", line.check_only, "change nothing, tell what differs; 7 when something does")->required();
  replay_app->callback([&chosen] { chosen = chain_replay; });
  app.add_subcommand("version", "print the version")->callback([&chosen] { chosen = version; })->add_flag("--json", line.json, "print JSON");
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
  command chosen = nullptr;
  CLI::App app{"Credence: a reputation network service"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "credence " CREDENCE_VERSION);
  app.footer("Exit codes: 0 done, 1 failed, 2 usage or settings, 3 no database, 4 schema or database unfit, 5 port taken,\n6 another process has "
             "taken the database over, 7 verify or score recompute --check found differences,\n8 a part of the server has died.\n"
             "Examples:\n  credence migrate up --database-url postgresql:///credence\n"
             "  credence serve --database-url postgresql:///credence --port 8080 --admin 1");

  add_service(app, line, chosen);
  add_demo(app, line, chosen);
  add_credentials(app, line, chosen);
  add_checks(app, line, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const auto unknown = error.get_exit_code() == 0 ? std::string{} : unknown_word(app, argc, argv);
    if (unknown.empty())
      return app.exit(error) == 0 ? ok : usage;
    std::cerr << "credence: " << unknown << "\n";
    return usage;
  }
  return run_safely(chosen, line);
}

} // namespace
} // namespace credence::commands

int main(int argc, char** argv) { return credence::commands::run(argc, argv); }
