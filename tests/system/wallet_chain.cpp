#include "tests/system/wallet_chain.hpp"

#include "actors/chain/calls.hpp"
#include "actors/wallets/eip1559.hpp"
#include "tests/auth/master_key.hpp"
#include "tests/persistence/database.hpp"
#include "tests/scratch_directory.hpp"
#include "tests/system/followed_records.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/signer_world.hpp"
#include "tests/system/signing.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace credence::test {

namespace {

/// More than `chain.authority` of any test: what came before has settled.
constexpr int blocks_of_rest = 32;

struct known_contracts : signer_world {
  using signer_world::contract;
};

} // namespace

wallet_chain::wallet_chain(int people, bool by_liar, const flags& more)
  : keys(auth::master_keys{auth::master(1, 'a')}),
    home(fresh_directory("wallets")), with_{{"--chain-endpoints", by_liar ? liar.url() : node.url()},
                                            {"--chain-id", std::to_string(evm_node::chain_id)},
                                            {"--chain-start-block", "1"},
                                            {"--chain-confirmations", "0"},
                                            {"--chain-poll", "100"},
                                            {"--chain-timeout",
                                             "20000"}, // a node that works answers within that, on a busy machine too
                                            {"--chain-unavailable-after", "1000"},
                                            {"--chain-authority", "0"},
                                            {"--chain-kinds", "identity,review,vote,reply"},
                                            {"--chain-id-offset", std::to_string(ids_behind)},
                                            {"--public-url", signing_origin},
                                            {"--wallets-partner-origins",
                                             partner_origin + "," + other_partner + "," + own_page},
                                            {"--wallets-node-timeout", "10000"},
                                            {"--wallets-master-key-file", (home / "master.key").string()}} {
  std::ofstream{home / "master.key"} << auth::master_hex('a') << "\n";
  ::chmod((home / "master.key").c_str(), 0600);
  for (const auto* kind : {"profile", "review", "vote", "discussion"}) {
    auto& all = with_["--chain-contracts"];
    all += (all.empty() ? "" : ",") + std::string{kind} + "=" + contract(kind);
  }
  for (const auto& [flag, value] : more)
    with_[flag] = value;
  const auto installed = run_program({"node", built::source + "/ops/chain/install.mjs", node.url()});
  if (installed.code != 0)
    throw std::runtime_error("the contracts cannot be put on the node: " + installed.err);
  for (int each = 1; each <= people; ++each)
    node.run(contract("profile"), hex_text(chain::call_data("createProfile(address)", person(each))));
  node.mine(blocks_of_rest);
  server.run_with({{"CREDENCE_HTTP_ALLOWED_ORIGINS", own_page}});
  start();
}

wallet_chain::~wallet_chain() {
  std::error_code ignored;
  std::filesystem::remove_all(home, ignored);
}

void wallet_chain::launch(const flags& with) {
  std::vector<std::string> words;
  for (const auto& [flag, value] : with)
    words.insert(words.end(), {flag, value});
  server.start(words);
}
void wallet_chain::start(const flags& more) {
  auto with = with_;
  for (const auto& [flag, value] : more)
    with[flag] = value;
  launch(with);
}
void wallet_chain::start_without(const std::string& flag) {
  auto with = with_;
  with.erase(flag);
  launch(with);
}

int wallet_chain::profile_of(int person) { return ids_behind + person; }
http_headers wallet_chain::as_user(int person) const { return by_bearer(fresh_token(server, profile_of(person))); }

partner_page wallet_chain::let_in(int person, const std::string& origin) {
  const auto body = R"({"origin":")" + origin + R"(","enabled":true})";
  await("a user of the chain", [&] {
    return server.client().send("POST", managed_path + "partners", with_json(as_user(person)), body).status == 200;
  });
  return signed_in_at(server, profile_of(person), origin);
}

std::string wallet_chain::admit(int person, partner_page& on, const std::string& wei_hex) {
  const auto funds = on.get("/api/v2/wallets/funds-check");
  if (funds.status != 200)
    throw std::runtime_error("no wallet: " + funds.body);
  auto wallet = json_text(funds.body, "/address");
  node.run(contract("profile"),
           hex_text(chain::call_data("claimAddress(uint256,address)", uint256{person}, *parse_address(wallet))));
  give(wallet, wei_hex);
  return wallet;
}
void wallet_chain::give(const std::string& wallet, const std::string& wei_hex) {
  node.ask("anvil_setBalance", "[\"" + wallet + "\",\"" + wei_hex + "\"]");
}

std::int64_t wallet_chain::number(const std::string& sql) { return number_from(server.database().url(), sql); }

std::uint64_t wallet_chain::on_chain(const std::string& wallet) {
  const auto count = node.ask("eth_getTransactionCount", "[\"" + wallet + "\",\"latest\"]");
  return std::stoull(count.substr(3), nullptr, 16);
}

void wallet_chain::send_outside(int person, std::uint64_t nonce) {
  const auto id = profile_of(person);
  auto on = look_into(server.database().url());
  const auto found = on.run("SELECT master_version, sealed_key FROM managed_wallets WHERE id = $1::int8",
                            persistence::parameters{}.int8(id), persistence::deadline_in(wait_at_most));
  const wallets::sealed_key key{found.first<std::int32_t>("master_version"), found.first<std::string>("sealed_key")};
  const wallets::unsigned_transaction nothing{
    evm_node::chain_id, nonce, wei{2'000'000'000}, wei{100'000'000'000}, 21'000, test::person(99), wei{0}, {}};
  node.ask("eth_sendRawTransaction",
           "[\"" + hex_text(wallets::signed_bytes(nothing, keys.sign(id, key, wallets::signing_hash(nothing))))
             + "\"]");
}

void wallet_chain::blocks() {
  node.ask("evm_setAutomine", "[true]");
  node.mine(1);
}

void wallet_chain::verify() { EXPECT_TRUE(sound(server)); }

const std::string& wallet_chain::contract(const std::string& kind) { return known_contracts::contract(kind); }

std::string wallet_chain::hex_text(std::string_view bytes) {
  std::string out = "0x";
  append_hex(out, std::as_bytes(std::span{bytes}));
  return out;
}

// -- two users -----------------------------------------------------------------------------------

void wallet_users::start_again(const flags& more) {
  server.kill_hard();
  start(more);
  for (auto* page : {&ann, &ben}) // the connection from before is cut
    page->get(managed_path + "auth-check");
}

std::string wallet_users::review_of(const std::string& title, const std::string& more) {
  return R"({"address":")" + text_of(test::person(77)) + R"(","score":"positive","title":")" + title + '"' + more + "}";
}

std::string wallet_users::stored_review(partner_page& by, const std::string& title) {
  const auto answer = by.post(by_address, review_of(title, shows_record));
  if (answer.status != 200)
    throw std::runtime_error("no review: " + answer.body);
  return std::to_string(json_number(answer.body, "/review/id"));
}

bool wallet_users::all_done() {
  return await("the ends of transactions", [&] { return how_many("wallet_transactions WHERE NOT done") == 0; });
}

} // namespace credence::test
