#pragma once

#include "auth/wallet_keys_local.hpp"
#include "tests/system/lying_node.hpp"
#include "tests/system/partner_page.hpp"

namespace credence::test {

inline const std::string managed_path = "/api/v2/wallets/managed/";
inline const std::string activity_path = "/api/v2/wallets/activity/";

/// The real executable with managed wallets. It follows the contracts of ops/chain on a real node, which run what
/// wallets sign. Its users are profiles 1 and so on of that chain; they act over HTTP, on a partner's page.
struct wallet_chain : testing::Test {
  /// Flags of the server, by their names.
  using flags = std::map<std::string, std::string>;

  /// Starts it with so many users. `by_liar`: it reaches the node through `liar`. `more`: flags beside the usual ones,
  /// or in place of them.
  explicit wallet_chain(int people, bool by_liar = false, const flags& more = {});
  ~wallet_chain() override;

  /// Starts the server; `more` holds for this start alone.
  void start(const flags& more = {});
  /// The same without a flag.
  void start_without(const std::string& flag);

  /// A page of that origin on which the user has signed in, and which the user has let act.
  partner_page let_in(int person, const std::string& origin = partner_origin);
  /// Has the user's wallet made, gives it to the profile on the chain, and a balance; its address.
  std::string admit(int person, partner_page& on, const std::string& wei_hex = "0xde0b6b3a7640000");
  void give(const std::string& wallet, const std::string& wei_hex);
  /// As a token of the user asks.
  http_headers as_user(int person) const;
  /// The user's profile here.
  static int profile_of(int person);

  std::int64_t number(const std::string& sql);
  std::int64_t how_many(const std::string& from) { return number("SELECT count(*) FROM " + from); }
  /// Transactions of that account that the chain has.
  std::uint64_t on_chain(const std::string& wallet);
  /// Signs with the key of a user's wallet behind the server's back, as who took the key out could, and gives it to the
  /// node.
  void send_outside(int person, std::uint64_t nonce);
  void no_blocks() { node.ask("evm_setAutomine", "[false]"); }
  void blocks();
  /// `credence verify` finds nothing.
  void verify();

  static const std::string& contract(const std::string& kind);
  /// `0x` and the digits of these bytes.
  static std::string hex_text(std::string_view bytes);

  evm_node node;
  lying_node liar{node};
  service server;
  auth::wallet_keys_local keys; // with the server's master key
  std::filesystem::path home;   // for files of the test

private:
  void launch(const flags& with);

  flags with_;
};

/// Two users with ether and a page each, and a third one whom nothing has happened to yet. Errors of the contracts have
/// names.
struct wallet_users : wallet_chain {
  wallet_users()
    : wallet_chain(3, true, {{"--wallets-functions-errors", "SelfReview(address) AlreadyInvited(address)"}}) {}

  /// Kills the server and starts it; `more` holds for this start alone.
  void start_again(const flags& more = {});
  /// The body of a review of an address.
  static std::string review_of(const std::string& title, const std::string& more = {});
  http_response review(partner_page& by, const std::string& title, const std::string& key = {}) {
    return by.post(by_address, review_of(title), key);
  }
  /// The id of a review that is stored.
  std::string stored_review(partner_page& by, const std::string& title);
  std::int64_t transactions() { return how_many("wallet_transactions"); }
  /// Waits until every transaction has come to its end.
  bool all_done();

  static inline const std::string by_address = managed_path + "post/review/by-address";
  static inline const std::string shows_record = R"(,"waitForTxTimeoutSeconds":30)"; // less than clients wait
  partner_page ann = let_in(1), ben = let_in(2);
  const std::string wallet_of_ann = admit(1, ann), wallet_of_ben = admit(2, ben);
};

} // namespace credence::test
