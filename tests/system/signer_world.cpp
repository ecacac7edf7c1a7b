#include "tests/system/signer_world.hpp"

#include "actors/chain/calls.hpp"
#include "actors/wallets/action_calls.hpp"
#include "actors/wallets/eip1559.hpp"
#include "http/commands/wallet_signing.hpp"
#include "http/outside/chain_rpc_node.hpp"
#include "persistence/store.hpp"
#include "persistence/verify/verify.hpp"
#include "persistence/writer/takeover.hpp"
#include "tests/auth/master_key.hpp"
#include "tests/build_paths.hpp"
#include "tests/persistence/database.hpp"
#include "tests/waiting.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

namespace credence::test {

namespace {

using namespace std::chrono_literals;

/// Wakes who waits for an answer.
class waking_sink final : public answer_sink {
public:
  void deliver(envelope_base* answered) noexcept override {
    {
      const std::lock_guard lock{guard_};
      ++delivered_;
    }
    changed_.notify_all();
    answered->deref();
  }
  bool wait() {
    std::unique_lock lock{guard_};
    return changed_.wait_for(lock, wait_at_most, [this] { return delivered_ > 0; });
  }

private:
  std::mutex guard_;
  std::condition_variable changed_;
  int delivered_ = 0;
};

std::string hex_of(std::string_view bytes) {
  std::string out = "0x";
  append_hex(out, std::as_bytes(std::span{bytes}));
  return out;
}

} // namespace

struct signer_world::life {
  life(const std::string& url, const settings::all& with, const std::shared_ptr<wallets::wallet_keys>& keys) {
    config.set("scheduler.max-threads", std::size_t{2});
    system.emplace(config);
    stored = persistence::open_store(*system, store_settings(url), status, persistence::claim{});
    await("the database", [this] { return status.writable.load(); });
    auto shared = std::make_shared<context>();
    shared->others = &all;
    shared->load_timeout = 20'000ms;
    all.chain = {chain::spawn_chain(*system, shared, stored, http::follow_settings_of(with.chain),
                                    {nodes(with), nodes(with), nodes(with), nodes(with)}),
                 64};
    all.wallets = {commands::spawn_wallets(*system, *shared, {stored, stored}, with, keys, may_sign, given_up),
                   bounds_by_itself{}};
  }
  ~life() {
    given_up = true;
    stop_all(all);
    all = {};
    for (const auto& each : {actor_ref{stored.writer}, actor_ref{stored.reader}})
      tell_to_end(each);
    stored = {};
    system->await_all_actors_done();
  }
  chain::node_list nodes(const settings::all& of) { return http::chain_nodes(of.chain, given_up); }

  caf::actor_system_config config;
  std::atomic<bool> given_up{false};
  wallets::signing_switch may_sign{true};
  store_status status;
  directory all;
  std::optional<caf::actor_system> system;
  store stored;
};

signer_world::signer_world() : url_(fresh_database(60, 1)) {
  const auto installed = run_program({"node", built::source + "/ops/chain/install.mjs", node.url()});
  if (installed.code != 0)
    throw std::runtime_error("the contracts cannot be put on the node: " + installed.err);
  keys = std::make_shared<auth::wallet_keys_local>(auth::master_keys{auth::master(1, '7')});
  with.chain.id = evm_node::chain_id;
  with.chain.start_block = 1;
  for (const auto* kind : {"profile", "review", "vote", "discussion"})
    with.chain.contracts.push_back(std::string{kind} + "=" + contract(kind));
  with.chain.confirmations = 0;
  with.chain.poll = 100ms;
  with.chain.timeout = 20'000ms; // a node that works answers within that, on a busy machine too
  with.chain.unavailable_after = 1000ms;
  with.chain.authority = "0";
  with.wallet_signing.node_timeout = 10'000ms;
}

signer_world::~signer_world() { stop(); }

void signer_world::start(const std::string& urls) {
  with.chain.endpoints = secret{urls.empty() ? node.url() : urls};
  life_ = std::make_unique<life>(url_, with, keys);
}
void signer_world::stop() { life_.reset(); }

template <class Q>
outcome<typename Q::answer_type> signer_world::ask_for(Q question) {
  waking_sink sink;
  ask<Q> asked{std::move(question), sink, steady_clock::now() + wait_at_most};
  credence::send(life_->all.wallets.to(), asked);
  if (!sink.wait())
    throw std::runtime_error("a wallet gives no answer");
  if (auto* answer = asked.get()->answer())
    return std::move(*answer);
  if (const auto* why = asked.get()->refused())
    return *why;
  return refusal{refusal_code::invalid_input, "failure " + std::to_string(static_cast<int>(*asked.get()->failed()))};
}

outcome<wallets::transaction_receipt> signer_world::send(int profile, wallets::contract_action action, bool dry_run) {
  return ask_for(wallets::send_transaction{profile_id{profile}, std::move(action), "https://partner.example", dry_run});
}
outcome<wallets::wallet_view> signer_world::wallet(int profile, bool make) {
  return ask_for(wallets::get_wallet{profile_id{profile}, make});
}
outcome<wallets::transaction_receipt> signer_world::again(int profile, std::int64_t transaction) {
  return ask_for(wallets::get_transaction{profile_id{profile}, transaction});
}
std::vector<wallets::wallet_transaction> signer_world::transactions(int profile) {
  return *ask_for(wallets::list_transactions{profile_id{profile}, 500, 0});
}

outcome<std::string> signer_world::export_key(int profile) {
  return ask_for(wallets::export_wallet{profile_id{profile}, "a passphrase of this test"});
}

address signer_world::funding_account() {
  // Its actor hears of the commit later than its row can be read: what it answers is waited for, not the row.
  std::optional<address> found;
  await("the funding account", [&] {
    if (const auto shown = wallet(0, false))
      found = shown->at;
    return found.has_value();
  });
  if (!found)
    throw std::runtime_error("there is no funding account");
  return *found;
}

void signer_world::fund() {
  node.ask("anvil_setBalance", "[\"" + lower_text(funding_account()) + "\",\"0xde0b6b3a7640000\"]");
}

void signer_world::admit(int profile, const std::string& wei_hex) {
  const auto made = wallet(profile);
  ASSERT_TRUE(made) << made.why().detail;
  const auto data = chain::call_data("claimAddress(uint256,address)", uint256{profile}, made->at);
  node.run(contract("profile"), hex_of(data));
  node.ask("anvil_setBalance", "[\"" + lower_text(made->at) + "\",\"" + wei_hex + "\"]");
}

bool signer_world::become(int profile, const std::vector<wallets::transaction_state>& states) {
  const bool good = await("the states of transactions", [&] {
    auto all = transactions(profile);
    return all.size() == states.size()
           && std::equal(all.rbegin(), all.rend(), states.begin(),
                         [](const auto& each, auto state) { return each.state == state; });
  });
  if (!good)
    for (const auto& each : transactions(profile))
      ADD_FAILURE() << each.id << " with nonce " << each.nonce << " is " << wallets::name_of(each.state) << " "
                    << each.reason;
  return good;
}

void signer_world::verify() {
  auto on = look_into(url_);
  for (const auto& each : persistence::verify_stored(on, persistence::deadline_in(60s)))
    for (const auto& example : each.examples)
      ADD_FAILURE() << each.name << ": " << example;
}
void signer_world::run(const std::string& sql) { run_sql(url_, sql); }
std::int64_t signer_world::number(const std::string& sql) { return number_from(url_, sql); }

std::uint64_t signer_world::on_chain(int profile) {
  const auto count = node.ask("eth_getTransactionCount", "[\"" + lower_text(wallet(profile)->at) + "\",\"latest\"]");
  return std::stoull(count.substr(3), nullptr, 16);
}

std::string signer_world::send_outside(int profile, std::uint64_t nonce) {
  auto on = look_into(url_);
  const auto found = on.run("SELECT master_version, sealed_key FROM managed_wallets WHERE id = $1::int8",
                            persistence::parameters{}.int8(profile), persistence::deadline_in(wait_at_most));
  const wallets::sealed_key key{found.first<std::int32_t>("master_version"), found.first<std::string>("sealed_key")};
  const wallets::unsigned_transaction nothing{
    evm_node::chain_id, nonce, wei{2'000'000'000}, wei{100'000'000'000}, 21'000, somebody(1), wei{0}, {}};
  const auto bytes = wallets::signed_bytes(nothing, keys->sign(profile, key, wallets::signing_hash(nothing)));
  return node.ask("eth_sendRawTransaction", "[\"" + hex_of(bytes) + "\"]");
}

wallets::contract_action signer_world::review_of(const address& subject, const std::string& title) {
  wallets::review_call call;
  call.score = chain::review_score::positive;
  call.subject = subject;
  call.comment = title;
  call.metadata = "{}";
  return wallets::action_calls::from(settings::wallet_functions{})->add_review(call);
}
wallets::contract_action signer_world::vote_on(int review, bool up) {
  return wallets::action_calls::from(settings::wallet_functions{})
    ->vote({*parse_address(contract("review")), chain::onchain_target{review}, up});
}

const std::string& signer_world::contract(const std::string& kind) {
  static const auto all = [] {
    std::map<std::string, std::string> out;
    const auto told = run_program({"node", built::source + "/ops/chain/contracts.mjs"}).out;
    for (std::size_t at = 0; at < told.size();) {
      const auto end = std::min(told.find_first_of(",\n", at), told.size());
      const auto one = told.substr(at, end - at);
      if (const auto equals = one.find('='); equals != std::string::npos)
        out[one.substr(0, equals)] = one.substr(equals + 1);
      at = end + 1;
    }
    return out;
  }();
  return all.at(kind);
}
address signer_world::somebody(int number) {
  address out;
  out.bytes[0] = std::byte{0xAA};
  out.bytes[19] = static_cast<std::byte>(number);
  return out;
}

} // namespace credence::test
