#pragma once

#include "actors/all_actors.hpp"
#include "actors/wallets/signer_actor.hpp"
#include "config/settings.hpp"
#include "tests/system/lying_node.hpp"

#include <gtest/gtest.h>

namespace credence::test {

/// Signers of managed wallets on a database of their own and a real node, with the chain's follower beside them; what
/// is asked comes from the test, without HTTP. The contracts of ops/chain run what is signed.
struct signer_world : testing::Test {
  signer_world();
  ~signer_world() override;

  /// Starts on the nodes at these URLs; with nothing, on `node`.
  void start(const std::string& urls = {});
  /// Everything ends; what is in the database stays.
  void stop();

  outcome<wallets::transaction_receipt> send(int profile, wallets::contract_action action, bool dry_run = false);
  outcome<wallets::wallet_view> wallet(int profile, bool make = true);
  outcome<wallets::transaction_receipt> again(int profile, std::int64_t transaction);
  std::vector<wallets::wallet_transaction> transactions(int profile);
  outcome<std::string> export_key(int profile);
  /// The account that pays for gas, once its actor tells of it; throws when it never does.
  address funding_account();
  /// Gives the funding account ether.
  void fund();
  /// Makes the wallet, gives it to the profile on the chain, and a balance.
  void admit(int profile, const std::string& wei_hex = "0xde0b6b3a7640000");
  /// Waits until the transactions of a profile, oldest first, are in these states.
  bool become(int profile, const std::vector<wallets::transaction_state>& states);
  bool settles(int profile, std::size_t count) {
    return become(profile, std::vector(count, wallets::transaction_state::settled));
  }
  void verify();
  std::int64_t number(const std::string& sql);
  std::int64_t how_many(const std::string& from) { return number("SELECT count(*) FROM " + from); }
  /// Runs SQL as the owner of the tables.
  void run(const std::string& sql);
  /// Transactions of that wallet that the chain has.
  std::uint64_t on_chain(int profile);
  /// Signs with a wallet's key behind the service's back, as who took the key out could, and gives it to the node.
  std::string send_outside(int profile, std::uint64_t nonce);

  static wallets::contract_action review_of(const address& subject, const std::string& title = "keeps promises");
  static wallets::contract_action vote_on(int review, bool up = true);
  static const std::string& contract(const std::string& kind);
  static address somebody(int number);

  evm_node node;
  lying_node liar{node};
  settings::all with;
  std::shared_ptr<wallets::wallet_keys> keys;

private:
  struct life;
  template <class Q>
  outcome<typename Q::answer_type> ask_for(Q question);

  std::string url_;
  std::unique_ptr<life> life_;
};

} // namespace credence::test
