#include "auth/wallet_keys_local.hpp"
#include "http/commands/command.hpp"
#include "http/commands/output.hpp"
#include "ops/log.hpp"
#include "persistence/sql/wallet_sql.hpp"

#include <sys/prctl.h>

#include <string>

namespace credence::commands {

namespace {

constexpr std::int32_t rotated_at_a_time = 500;
constexpr std::int32_t listed_at_a_time = 1000;
constexpr std::size_t unreadable_shown_max = 10;

/// What has been rotated so far.
struct rotation {
  std::int64_t sealed = 0;
  std::int64_t unreadable = 0;
  std::vector<std::string> examples;

  void add(const persistence::rotated_piece& piece) {
    sealed += piece.sealed;
    unreadable += static_cast<std::int64_t>(piece.unreadable.size());
    for (const auto& each : piece.unreadable)
      if (examples.size() < unreadable_shown_max)
        examples.push_back(each);
  }
};

/// Seals piece by piece, each in a transaction of its own: whatever ends the command, the next one goes on from there.
rotation rotate_all(persistence::connection& on, auth::wallet_keys_local& keys, steady_time until) {
  rotation out;
  std::int64_t after = -1;
  for (bool more = true; more;) {
    persistence::transaction piece{on, until};
    const auto done = persistence::rotate_wallets(on, keys, keys.newest_version(), after, rotated_at_a_time, until);
    if (done.sealed > 0)
      audit_by_operator(on, {system_now(), "wallets_sealed_anew", std::nullopt,
                             std::to_string(done.sealed) + " managed wallets", std::nullopt,
                             "master key " + std::to_string(keys.newest_version())});
    piece.commit(until);
    out.add(done);
    after = done.last;
    more = done.more;
  }
  return out;
}

/// The settings, and the keys that they must have.
std::shared_ptr<auth::wallet_keys_local> keys_of(const settings::all& with) {
  ::prctl(PR_SET_DUMPABLE, 0); // keys must not end up in a core dump
  auto keys = open_wallet_keys(with);
  if (!keys)
    throw ending{usage, "there is no master key: set wallets.master_key_file or wallets.master_key"};
  return keys;
}

void refuse_newer(persistence::connection& on, std::int32_t version, steady_time until) {
  for (const auto& each : persistence::count_wallets(on, until))
    if (each.version > version)
      throw ending{usage, std::to_string(each.wallets) + " wallets are sealed under master key "
                            + std::to_string(each.version) + ", and wallets.master_version is "
                            + std::to_string(version) + ": versions only grow"};
}

void encode(std::string& to, const persistence::listed_wallet& listed) {
  const auto& wallet = listed.wallet;
  http::json_writer json{to};
  json.begin_object();
  json.field("id", wallet.id);
  json.field("profileId",
             wallet.profile == wallets::funding_account ? std::nullopt : std::optional{wallet.profile.value});
  json.field("address", checksummed_text(wallet.at));
  json.field("profileArchived", listed.profile_archived);
  json.field("masterVersion", wallet.key.master_version);
  json.field("createdAt", wallet.made_at);
  json.field("exportedAt", wallet.exported_at);
  json.end_object();
}

std::string line_of(const persistence::listed_wallet& listed) {
  const auto& wallet = listed.wallet;
  auto out = checksummed_text(wallet.at);
  out += wallet.profile == wallets::funding_account ? " pays for the gas of others"
                                                    : " of profile " + std::to_string(wallet.profile.value);
  out += listed.profile_archived ? " (archived)" : "";
  out += ", made " + iso_text(wallet.made_at) + ", master key " + std::to_string(wallet.key.master_version);
  return out + (wallet.exported_at ? ", taken out " + iso_text(*wallet.exported_at) : "");
}

} // namespace

std::shared_ptr<auth::wallet_keys_local> open_wallet_keys(const settings::all& with) {
  const auto& about = with.wallet_keys;
  if (!about.on() && about.master_key_before.empty() && about.master_key_before_file.empty())
    return nullptr;
  try {
    return std::make_shared<auth::wallet_keys_local>(auth::read_master_keys(about));
  } catch (const std::runtime_error& why) {
    throw ending{usage, why.what()};
  }
}

void check_stored_wallets(const settings::all& with, const auth::wallet_keys_local& keys) {
  try {
    persistence::session how;
    how.application_name = "credence-check";
    persistence::connection on{with.store.database_url, how, with.store.connect_timeout};
    for (const auto& each : persistence::wallets_of_ends(on, persistence::deadline_in(with.store.load_timeout)))
      keys.check(each.id, each.key);
  } catch (const wallets::key_error& why) {
    throw ending{usage, "the master key does not fit the wallets of this database: " + std::string{why.what()}};
  } catch (const persistence::database_error& error) {
    if (error.sqlstate() != "42P01") // there is no such table yet; that is told later
      ops::log(ops::level::warn, "wallets_unchecked", {{"error", error.what()}});
  }
}

int wallets_rotate(const command_line& line) {
  const auto with = good_settings(line);
  const auto keys = keys_of(with);
  auto on = connect(with, "wallets");
  const auto until = persistence::deadline_in(timeout);
  refuse_newer(on, keys->newest_version(), until);
  const auto done = rotate_all(on, *keys, until);
  if (line.json) {
    print_object([&](auto& to) {
      to.field("masterVersion", keys->newest_version());
      to.field("sealed", done.sealed);
      to.field("unreadable", done.unreadable);
      to.array("examples", done.examples, [&](const auto& each) { to.value(each); });
    });
  } else {
    for (const auto& each : done.examples)
      std::cout << each << "\n";
    std::cout << counted(done.sealed, "wallet was", "wallets were") << " sealed anew under master key "
              << keys->newest_version();
    if (done.unreadable > 0)
      std::cout << ", " << done.unreadable << " stayed as they are: keep the master key before";
    std::cout << "\n";
  }
  return done.unreadable == 0 ? ok : failed;
}

int wallets_list(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "wallets");
  const auto until = persistence::deadline_in(timeout);
  std::int64_t shown = 0;
  std::int64_t after = -1;
  std::cout << (line.json ? "[" : "");
  for (bool more = true; more;) {
    const auto piece = persistence::list_wallets(on, after, listed_at_a_time, until);
    for (const auto& each : piece) {
      std::string text;
      if (line.json)
        encode(text, each);
      std::cout << (line.json ? (shown > 0 ? "," : "") + text : line_of(each) + "\n");
      ++shown;
      after = each.wallet.id;
    }
    more = piece.size() == listed_at_a_time;
  }
  if (line.json)
    std::cout << "]\n";
  else if (shown == 0)
    std::cout << "there are no managed wallets\n";
  return ok;
}

} // namespace credence::commands
