// Users act through the executable while it is killed, its node hangs and blocks are taken back; afterwards the books
// must balance.
#include "actors/wallets/action_calls.hpp"
#include "tests/auth/master_key.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/followed_records.hpp"
#include "tests/system/key_hunt.hpp"
#include "tests/system/wallet_chain.hpp"
#include "tests/text_of_file.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

#ifdef __SANITIZE_ADDRESS__
constexpr bool cores_tell = false; // the sanitizer's memory makes them huge
#else
constexpr bool cores_tell = true;
#endif

/// Blocks that a reorganisation takes back at most; those that are older have settled.
constexpr int reorganised_max = 5, settled_after = 8;
constexpr int actions_between_faults = 12;
constexpr int invitations_max = 8; // of one user: the contract gives ten
constexpr auto long_timeout = 600s;

int number_from_environment(const char* name, int otherwise) {
  const auto* given = std::getenv(name);
  return given ? std::atoi(given) : otherwise;
}

/// Something that a user wants to happen once.
struct deed {
  int user = 0;
  std::string path, body;
  std::string input;   // digits that the input of its transaction holds, and no other one of that user
  std::string records; // SQL that counts its records
  std::string hash;    // once it is acknowledged
  std::string refused; // or is not to be
};

/// A transaction in a block.
struct mined {
  std::string from, input, hash;
  std::int64_t nonce = 0;
};

/// WALLET_ACTIONS (120) things done by WALLET_USERS (10, at most 100) users; SOAK_SEED decides what fails when.
struct WalletSoak : wallet_chain {
  WalletSoak()
    : wallet_chain(users_wanted(), false,
                   {{"--chain-authority", std::to_string(settled_after)},
                    {"--wallets-stuck-after", "2000"},
                    {"--log-level", "debug"}}) {}

  static int users_wanted() { return number_from_environment("WALLET_USERS", 10); }

  // -- what is done -------------------------------------------------------------------------------

  /// A page and a wallet for each, and a review that others vote on and reply to; all of it in blocks that stay.
  void prepare() {
    for (int user = 1; user <= users_wanted(); ++user) {
      pages.push_back(let_in(user));
      wallets_at.push_back(*parse_address(admit(user, pages.back())));
    }
    node.mine(settled_after);
    for (int user = 1; user <= users_wanted(); ++user) {
      const auto title = "first of " + std::to_string(user);
      const auto answer = ok(pages[static_cast<std::size_t>(user - 1)].post(
        managed_path + "post/review/by-address",
        R"({"address":")" + text_of(person(200)) + R"(","score":"positive","title":")" + title + "\"}"));
      const auto which = " FROM reviews WHERE comment = '" + title + "'";
      ASSERT_TRUE(await("its record", [&] { return number("SELECT count(*)" + which) == 1; })) << title;
      reviews_of.push_back(static_cast<int>(number("SELECT id" + which)));
    }
    node.mine(settled_after + reorganised_max);
  }

  deed by_text(int user, int number, bool reply, std::mt19937_64& dice) const {
    const auto text = "deed " + std::to_string(user) + "-" + std::to_string(number) + ".";
    deed out{user, {}, {}, hex_text(text).substr(2), {}, {}, {}};
    if (reply) {
      out.path = activity_path + "review/" + std::to_string(reviews_of[dice() % reviews_of.size()]) + "/reply";
      out.body = R"({"content":")" + text + "\"}";
      out.records = "SELECT count(*) FROM replies WHERE content = '" + text + "' AND author_profile = " + our_id(user);
    } else {
      out.path = managed_path + "post/review/by-address";
      out.body = R"({"address":")" + text_of(person(201)) + R"(","score":"neutral","title":")" + text + "\"}";
      out.records = "SELECT count(*) FROM reviews WHERE comment = '" + text + "' AND author_profile = " + our_id(user);
    }
    return out;
  }
  deed edit(int user, int number) const {
    const auto text = "edit " + std::to_string(user) + "-" + std::to_string(number) + ".";
    const auto review = std::to_string(reviews_of[static_cast<std::size_t>(user - 1)]);
    return {user,
            managed_path + "edit/review",
            "{\"reviewId\":" + review + R"(,"title":")" + text + "\"}",
            hex_text(text).substr(2),
            {},
            {},
            {}};
  }
  deed vote(int user, int review, bool up) const {
    const auto on = std::to_string(review);
    const wallets::vote_call call{*parse_address(contract("review")), chain::onchain_target{review - ids_behind}, up};
    return {user,
            activity_path + "review/" + on + "/vote",
            std::string{R"({"isUpvote":)"} + (up ? "true}" : "false}"),
            hex_text(functions.vote(call).data).substr(2),
            "SELECT count(*) FROM activity_votes WHERE kind = 'review' AND NOT archived AND target_id = " + on
              + " AND voter = " + our_id(user) + " AND upvote = " + (up ? "true" : "false"),
            {},
            {}};
  }
  deed invitation(int user, int number) const {
    const auto whom = person(10'000 + user * invitations_max + number);
    return {user,
            managed_path + "invite/address",
            R"({"invitee":")" + text_of(whom) + "\"}",
            hex_text(functions.invite(whom).data).substr(2),
            "SELECT count(*) FROM invitations WHERE status = 'INVITED' AND sender = " + our_id(user)
              + " AND recipient = '\\x" + text_of(whom).substr(2) + "'",
            {},
            {}};
  }

  /// Repeats it with its key until it is acknowledged or refused for good, as pages are told to.
  void insist(deed& one, const std::string& key) {
    auto& page = pages[static_cast<std::size_t>(one.user - 1)];
    const auto until = steady_clock::now() + long_timeout;
    while (steady_clock::now() < until && !given_up) {
      const auto told = page.post(one.path, one.body, key);
      if (told.status == 200) {
        one.hash = json_text(told.body, "/hash");
        return;
      }
      if (told.status == 401)
        page.exchange(fresh_token(server, profile_of(one.user)));
      else if (told.status != 0 && told.status != 429 && told.status != 503
               && code_of(told) != "409 IDEMPOTENCY_IN_PROGRESS") {
        one.refused = told.body;
        return;
      }
      std::this_thread::sleep_for(20ms);
    }
    one.refused = "nothing, all the time";
  }

  /// So many things that a user does one after the other.
  std::vector<deed> act(int user, int count, std::uint64_t own_seed) {
    std::mt19937_64 dice{own_seed};
    auto targets = reviews_of;
    std::shuffle(targets.begin(), targets.end(), dice);
    std::vector<deed> out;
    for (int number = 0, invited = 0; number < count; ++number) {
      const auto kind = dice() % 5;
      if (kind == 0 && !targets.empty()) {
        out.push_back(vote(user, targets.back(), dice() % 2 == 0));
        targets.pop_back();
      } else if (kind == 1 && invited < invitations_max)
        out.push_back(invitation(user, invited++));
      else if (kind == 2)
        out.push_back(edit(user, number));
      else
        out.push_back(by_text(user, number, kind == 3, dice));
      insist(out.back(), "deed-" + std::to_string(number));
      ++done;
    }
    return out;
  }

  // -- what goes wrong ----------------------------------------------------------------------------

  void sleep_a_little(int most_ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds{chance() % static_cast<std::uint64_t>(most_ms)});
  }
  /// The node loses blocks if it has to make one at the same time.
  void reorganise_at_random() {
    no_blocks();
    for (std::uint64_t head = 0; head != node.head(); std::this_thread::sleep_for(50ms))
      head = node.head();
    node.reorganise(1 + static_cast<int>(chance() % reorganised_max));
    blocks();
  }
  void strike(std::uint64_t kind) {
    sleep_a_little(100);
    if (kind == 1) {
      node.stop();
      sleep_a_little(500);
      return node.go_on();
    }
    if (kind == 2)
      return reorganise_at_random();
    server.kill_hard();
    sleep_a_little(100);
    start();
  }
  /// Strikes again and again while they act; each kind once at first.
  void trouble(int all) {
    for (int struck = 0; done < all && !HasFailure();)
      if (done < struck * actions_between_faults) {
        std::this_thread::sleep_for(5ms);
      } else {
        strike(struck < 3 ? static_cast<std::uint64_t>(struck) : chance() % 4);
        ++struck;
      }
  }

  // -- what came of it ----------------------------------------------------------------------------

  bool all_settle() {
    return await(
      "all transactions to settle",
      [&] {
        node.mine(1);
        std::this_thread::sleep_for(200ms);
        return how_many("wallet_transactions WHERE NOT done") == 0;
      },
      long_timeout);
  }

  std::vector<mined> chain_of_wallets() {
    std::set<std::string> ours;
    for (const auto& each : wallets_at)
      ours.insert(lower_text(each));
    std::vector<mined> out;
    simdjson::dom::parser parser;
    const auto head = node.head();
    for (std::uint64_t block = 1; block <= head; ++block) {
      const auto text = node.ask("eth_getBlockByNumber", "[\"" + hex_number(block) + "\",true]");
      const simdjson::dom::array transactions =
        parser.parse(text)["transactions"].get_array().value(); // a loop would not keep it
      for (const auto each : transactions) {
        const auto member = [&](const char* name) { return std::string{each[name].get_string().value()}; };
        if (ours.contains(member("from")))
          out.push_back({member("from"), member("input"), member("hash"),
                         static_cast<std::int64_t>(std::stoull(member("nonce"), nullptr, 16))});
      }
    }
    return out;
  }
  static std::string hex_number(std::uint64_t number) {
    std::array<char, 32> out{};
    std::snprintf(out.data(), out.size(), "0x%llx", static_cast<unsigned long long>(number));
    return out.data();
  }
  bool succeeded(const std::string& hash) {
    return json_text(node.ask("eth_getTransactionReceipt", "[\"" + hash + "\"]"), "/status") == "0x1";
  }

  void expect_once(const deed& one, const std::vector<mined>& chain) {
    const auto& wallet = wallets_at[static_cast<std::size_t>(one.user - 1)];
    std::vector<std::string> found;
    for (const auto& each : chain)
      if (each.from == lower_text(wallet) && each.input.find(one.input) != std::string::npos)
        found.push_back(each.hash);
    const auto named = one.path + " " + one.body + " of user " + std::to_string(one.user);
    EXPECT_EQ(one.refused, "") << named << ": nobody else uses the wallets";
    ASSERT_EQ(found.size(), one.hash.empty() ? 0u : 1u) << named;
    if (found.empty())
      return;
    EXPECT_TRUE(succeeded(found.front())) << named;
    const auto records = one.records.empty()
                           ? "SELECT count(*) FROM chain_events WHERE event_name = 'ReviewEdited' AND tx_hash = '\\x"
                               + found.front().substr(2) + "'"
                           : one.records;
    EXPECT_TRUE(await("its record", [&] { return number(records) == 1; })) << named;
  }

  /// Numbers from 0 on, each once, on the chain as in the database.
  void expect_no_gap(int user, const std::vector<mined>& chain) {
    std::vector<std::int64_t> used;
    for (const auto& each : chain)
      if (each.from == lower_text(wallets_at[static_cast<std::size_t>(user - 1)]))
        used.push_back(each.nonce);
    std::sort(used.begin(), used.end());
    for (std::size_t i = 0; i < used.size(); ++i)
      ASSERT_EQ(used[i], static_cast<std::int64_t>(i)) << "of user " << user;
    const auto settled =
      "SELECT count(DISTINCT nonce) FROM wallet_transactions WHERE state = 'settled' AND wallet_id = " + our_id(user);
    EXPECT_EQ(number(settled), std::ssize(used)) << "of user " << user;
  }

  // -- secrets ------------------------------------------------------------------------------------

  /// The master key, and the key of every user's wallet.
  key_hunt keys_to_hunt() {
    key_hunt out;
    const auto master = bytes_of(auth::master_hex('a'));
    out.add("the master key", master);
    for (int user = 1; user <= users_wanted(); ++user) {
      const auto sealed =
        server.database().sql("SELECT encode(sealed_key, 'hex') FROM managed_wallets WHERE id = " + our_id(user));
      const auto key = opened_key(profile_of(user), {1, bytes_of(sealed.substr(0, sealed.find('\n')))}, master);
      EXPECT_EQ(keys.seal(profile_of(user), std::as_bytes(std::span{key}).first<32>()).at,
                wallets_at[static_cast<std::size_t>(user - 1)])
        << "or something else would be looked for";
      out.add("the key of user " + std::to_string(user), key);
    }
    return out;
  }
  /// Of the running server, where this machine lets us look into it.
  void expect_none_in_core(const key_hunt& hunt) {
    const auto core = (home / "core").string();
    if (cores_tell)
      run_program({"gdb", "-nx", "-batch", "--readnever", "-ex", "gcore " + core, "-p", std::to_string(server.pid())});
    if (!std::filesystem::exists(core)) {
      std::printf("no core dump was made\n");
      return;
    }
    const auto text = text_of_file(core);
    ASSERT_TRUE(holds(text, partner_origin)) << "it does not hold the server's memory";
    hunt.expect_none("a core dump", text);
  }

  const int seed = number_from_environment("SOAK_SEED", 1);
  std::mt19937_64 chance{static_cast<std::uint64_t>(seed)};
  const wallets::action_calls functions = *wallets::action_calls::from(settings::wallet_functions{});
  std::deque<partner_page> pages; // by users, as are these
  std::vector<address> wallets_at;
  std::vector<int> reviews_of;
  std::atomic<int> done{0};
  std::atomic<bool> given_up{false};
};

TEST_F(WalletSoak, WhatIsAcknowledgedIsOnTheChainOnceWhateverFails) {
  SCOPED_TRACE("SOAK_SEED=" + std::to_string(seed));
  const auto each = std::max(1, number_from_environment("WALLET_ACTIONS", 120) / users_wanted());
  ASSERT_NO_FATAL_FAILURE(prepare());
  std::vector<std::vector<deed>> deeds(pages.size());
  std::vector<std::thread> users;
  for (std::size_t i = 0; i < pages.size(); ++i)
    users.emplace_back([this, &deeds, each, i] {
      deeds[i] = act(static_cast<int>(i + 1), each, static_cast<std::uint64_t>(seed) * 1000 + i);
    });
  try {
    trouble(each * users_wanted());
  } catch (const std::exception& failure) {
    ADD_FAILURE() << failure.what();
    given_up = true;
  }
  for (auto& user : users)
    user.join();
  ASSERT_FALSE(given_up);
  ASSERT_TRUE(all_settle());
  const auto chain = chain_of_wallets();
  int acknowledged = 0;
  for (const auto& of_user : deeds)
    for (const auto& one : of_user) {
      expect_once(one, chain);
      acknowledged += one.hash.empty() ? 0 : 1;
    }
  for (int user = 1; user <= users_wanted(); ++user)
    expect_no_gap(user, chain);
  EXPECT_EQ(how_many("wallet_transactions WHERE state = 'failed'"), 0);
  verify();
  const auto hunt = keys_to_hunt();
  expect_none_in_core(hunt);
  EXPECT_EQ(server.terminate(), 0);
  server.database().stop();
  EXPECT_TRUE(holds(server.log(), "ready"));
  hunt.expect_none("the log", server.log());
  hunt.expect_none_below(server.data_dir());
  hunt.expect_none_below(server.database().directory());
  std::printf("%d of %d acknowledged\n", acknowledged, each * users_wanted());
}

} // namespace
} // namespace credence::test
