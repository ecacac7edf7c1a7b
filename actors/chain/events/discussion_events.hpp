#pragma once

#include "actors/chain/event_description.hpp"

/// Events of replies.
namespace credence::chain {

namespace discussion_events {

/// A reply to a record of another contract, or to a reply where that contract is the discussion itself.
struct reply_added {
  static constexpr event_name is{contract_kind::discussion, "ReplyAdded"};
  onchain_profile author;
  address target_contract;
  onchain_reply reply;
  static constexpr auto inputs() {
    using self = reply_added;
    return field_list{plain("author", &self::author), indexed("targetContract", &self::target_contract),
                      indexed("replyId", &self::reply)};
  }
  friend bool operator==(const reply_added&, const reply_added&) = default;
};

/// The texts of a reply changed; they lie in the contract.
struct reply_edited {
  static constexpr event_name is{contract_kind::discussion, "ReplyEdited"};
  onchain_profile author;
  onchain_reply reply;
  static constexpr auto inputs() {
    using self = reply_edited;
    return field_list{plain("author", &self::author), plain("replyId", &self::reply)};
  }
  friend bool operator==(const reply_edited&, const reply_edited&) = default;
};

} // namespace discussion_events

} // namespace credence::chain
