#pragma once

#include "actors/chain/contract_abi.hpp"
#include "actors/domain/address.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/wei.hpp"
#include "actors/wallets/wallet_types.hpp"
#include "config/settings.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Functions and errors of contracts whose declaration is a setting, as their contracts are upgradeable.
namespace credence::wallets {

/// A text, or bytes as they are.
struct call_text {
  std::string value;
};
struct call_bytes {
  std::string value;
};
/// A value for a parameter of a function.
using call_value = std::variant<bool, uint256, address, call_text, call_bytes>;
struct named_value {
  std::string_view name;
  call_value value;
};

/// A function's name and parameters, as Solidity declares them: `voteFor(address targetContract, uint256 targetId, bool
/// isUpvote)`. Types may be uint8 to uint256, address, bool, string, bytes, tuples of these in parentheses, and, of
/// errors, bytes32.
class call_signature {
public:
  /// Reads a declaration; the error says what is wrong with it.
  static outcome<call_signature, std::string> parse(std::string_view declaration);

  /// Such as `voteFor(address,uint256,bool)`.
  const std::string& canonical() const noexcept { return canonical_; }
  /// The first four bytes of that signature's Keccak-256.
  std::string selector() const;
  /// Why it cannot be called with values of these names and types; nothing where each parameter has a value of its
  /// type.
  std::optional<std::string> mismatch(std::span<const named_value> values) const;
  /// Selector and arguments: each parameter gets the value of its name, the rest of the values is left out. Throws
  /// std::invalid_argument for what `mismatch` finds, std::range_error for a number that its type does not hold.
  std::string call_with(std::span<const named_value> values) const;
  /// The name with the values in `data` (without a selector), such as `SelfReview(0xAb…)`: for people, bounded, with
  /// nothing in it that a terminal or page would obey. The canonical form where the data is something else.
  std::string show(std::span<const std::byte> data) const;

private:
  enum class type : std::uint8_t { number, flag, account, text, bytes, word, tuple };
  struct parameter {
    type kind{};
    unsigned bits = 0; // of a number
    std::string name;  // may be empty
    std::vector<parameter> members;

    bool dynamic() const;
    std::size_t head_bytes() const;
    std::string canonical() const;
  };
  struct parser;

  static std::string list_of(const std::vector<parameter>& parameters);
  static std::optional<std::string> mismatch_in(const std::vector<parameter>& parameters,
                                                std::span<const named_value> values);
  static bool fits(const parameter& wanted, const call_value& value);
  static void append(std::string& to, const parameter& wanted, std::span<const named_value> values);
  static std::string tuple_of(const std::vector<parameter>& parameters, std::span<const named_value> values);

  std::string name_;
  std::vector<parameter> parameters_;
  std::string canonical_;
};

// The functions of contracts that managed wallets run, and what is sent to run them. Their declarations are settings
// (`wallets.functions.…`), whose parameters take the values here by their names.

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
