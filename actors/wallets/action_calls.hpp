#pragma once

#include "actors/chain/contract_abi.hpp"
#include "actors/wallets/call_signature.hpp"
#include "actors/wallets/wallet_types.hpp"
#include "config/settings.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The functions of contracts that managed wallets run, and what is sent to run them. Their declarations are settings
/// (`wallets.functions.…`), whose parameters take the values here by their names.
namespace credence::wallets {

/// A new review. Of an account (`service` and `account`) or, where both are empty, of an address.
struct review_call {
  chain::review_score score{};  // score
  address subject;              // subject; zeros for an account
  address payment_token;        // paymentToken; zeros: ether
  std::string comment;          // comment: the title
  std::string metadata;         // metadata: JSON text with `description`
  std::string account, service; // account, service
  wei fee;                      // goes along
};

/// A vote on what a contract holds.
struct vote_call {
  address target_contract;      // targetContract
  chain::onchain_target target; // targetId
  bool upvote = false;          // isUpvote
};

/// A reply to what a contract holds; `target_contract` of a reply to a reply is the contract of replies.
struct reply_call {
  address target_contract;      // targetContract
  chain::onchain_target parent; // parentId
  std::string content;          // content
  std::string metadata;         // metadata
};

/// A bond for somebody, as its contract's signer has signed it.
struct bond_call {
  chain::onchain_profile subject;  // subjectProfileId
  std::string bond_type;           // bondType
  std::string amount, amount_type; // amount, amountType: texts, as in the event
  std::string statement;           // statement
  std::string expiration;          // expiration
  uint256 random_value;            // randValue
  std::string signature;           // signature: bytes
};

/// The end of a bond.
struct bond_end_call {
  chain::onchain_bond bond; // bondId
  std::string reason;       // archiveReason
  uint256 random_value;     // randValue
  std::string signature;    // signature: bytes
};

/// What a managed wallet may run: a function of a contract.
struct allowed_call {
  chain::contract_kind contract{};
  std::string selector;  // four bytes
  std::string signature; // such as `voteFor(address,uint256,bool)`
  std::string_view kind; // of the action
};

class action_calls {
public:
  /// Reads the settings; the error has a line for each mistake.
  static outcome<action_calls, std::vector<std::string>> from(const settings::wallet_functions& declared);

  contract_action add_review(const review_call& review) const;
  contract_action edit_review(chain::onchain_review review, const std::string& comment,
                              const std::string& metadata) const;
  contract_action archive_review(chain::onchain_review review) const;
  contract_action vote(const vote_call& vote) const;
  contract_action add_reply(const reply_call& reply) const;
  contract_action invite(const address& invitee) const;
  contract_action uninvite(const address& invitee) const;
  /// Nothing where the settings declare no such function.
  std::optional<contract_action> create_bond(const bond_call& bond) const;
  std::optional<contract_action> archive_bond(const bond_end_call& end) const;

  /// All of them; nothing else is to be signed.
  std::vector<allowed_call> allowed() const;

private:
  enum action : std::uint8_t {
    review,
    review_edit,
    review_archive,
    vote_cast,
    reply,
    invitation,
    invitation_end,
    bond,
    bond_end,
    actions
  };
  contract_action call(action which, std::span<const named_value> values) const;

  std::array<std::optional<call_signature>, actions> declared_;
};

} // namespace credence::wallets
