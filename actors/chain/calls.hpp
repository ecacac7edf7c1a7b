#pragma once

#include "actors/chain/events/review_events.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Functions of contracts that are read, and what they return: texts and parents, which events leave out.
namespace credence::chain {

/// The first four bytes of the Keccak-256 of a function's signature, such as `reviews(uint256)`.
std::string selector_of(std::string_view signature);

/// What a node is asked to run, for `eth_call`: a selector and the arguments.
template <class... T>
std::string call_data(std::string_view signature, const T&... arguments) {
  return selector_of(signature) + abi_encode(arguments...);
}

namespace calls {

inline constexpr std::string_view reviews = "reviews(uint256)";
inline constexpr std::string_view vouches = "vouches(uint256)";
inline constexpr std::string_view replies_by_id = "repliesById(uint256[])";
inline constexpr std::string_view invite_info = "inviteInfoForProfileId(uint256)";
inline constexpr std::string_view balance_of = "balanceOf(address)";

} // namespace calls

/// The account that a review or vouch is about; both texts are empty where it is about an address.
struct called_account {
  std::string account;
  std::string service;
  static constexpr auto inputs() {
    using self = called_account;
    return field_list{plain("account", &self::account), plain("service", &self::service)};
  }
  friend bool operator==(const called_account&, const called_account&) = default;
};

/// What `reviews(uint256)` returns.
struct called_review {
  static constexpr std::string_view signature = calls::reviews;
  bool archived = false;
  review_score score{};
  address author;
  address subject;
  onchain_review id;
  unix_time created_at;
  std::string comment;
  std::string metadata;
  called_account details;
  static constexpr auto inputs() {
    using self = called_review;
    return field_list{plain("archived", &self::archived),
                      plain("score", &self::score),
                      plain("author", &self::author),
                      plain("subject", &self::subject),
                      plain("reviewId", &self::id),
                      plain("createdAt", &self::created_at),
                      plain("comment", &self::comment),
                      plain("metadata", &self::metadata),
                      plain("attestationDetails", &self::details)};
  }
  friend bool operator==(const called_review&, const called_review&) = default;
};

/// What `vouches(uint256)` returns.
struct called_vouch {
  static constexpr std::string_view signature = calls::vouches;
  bool archived = false;
  bool unhealthy = false;
  onchain_profile author_profile;
  address author_address;
  onchain_vouch id;
  onchain_profile subject_profile;
  uint256 balance;
  std::string comment;
  std::string metadata;
  unix_time vouched_at;
  unix_time unvouched_at; // 0: not yet
  unix_time unhealthy_at; // 0: not yet
  static constexpr auto inputs() {
    using self = called_vouch;
    return field_list{plain("archived", &self::archived),
                      plain("unhealthy", &self::unhealthy),
                      plain("authorProfileId", &self::author_profile),
                      plain("authorAddress", &self::author_address),
                      plain("vouchId", &self::id),
                      plain("subjectProfileId", &self::subject_profile),
                      plain("balance", &self::balance),
                      plain("comment", &self::comment),
                      plain("metadata", &self::metadata),
                      plain("vouchedAt", &self::vouched_at),
                      plain("unvouchedAt", &self::unvouched_at),
                      plain("unhealthyAt", &self::unhealthy_at)};
  }
  friend bool operator==(const called_vouch&, const called_vouch&) = default;
};

/// One of the replies that `repliesById(uint256[])` returns.
struct called_reply {
  bool parent_is_original = false; // its parent is the target, not a reply
  address target;
  onchain_profile author;
  onchain_reply id;
  onchain_target parent;
  unix_time created_at;
  uint256 edits;
  std::string content;
  std::string metadata;
  static constexpr auto inputs() {
    using self = called_reply;
    return field_list{plain("parentIsOriginal", &self::parent_is_original),
                      plain("targetContract", &self::target),
                      plain("authorProfileId", &self::author),
                      plain("id", &self::id),
                      plain("parentId", &self::parent),
                      plain("createdAt", &self::created_at),
                      plain("edits", &self::edits),
                      plain("content", &self::content),
                      plain("metadata", &self::metadata)};
  }
  friend bool operator==(const called_reply&, const called_reply&) = default;
};

/// All that `repliesById(uint256[])` returns, in the order asked.
struct called_replies {
  static constexpr std::string_view signature = calls::replies_by_id;
  std::vector<called_reply> replies;
  static constexpr auto inputs() {
    using self = called_replies;
    return field_list{plain("", &self::replies)};
  }
  friend bool operator==(const called_replies&, const called_replies&) = default;
};

/// What `balanceOf(address)` returns.
struct called_balance {
  static constexpr std::string_view signature = calls::balance_of;
  uint256 balance;
  static constexpr auto inputs() {
    using self = called_balance;
    return field_list{plain("", &self::balance)};
  }
  friend bool operator==(const called_balance&, const called_balance&) = default;
};

} // namespace credence::chain
