#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/kernel/load.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The newest posts of those who have markets (spec: "Market news").
namespace credence::news {

/// A post at x.com.
struct post {
  std::string id; // digits
  std::string text;
  timestamp created_at{};
  std::string url;
  std::int64_t retweets = 0;
  std::int64_t likes = 0;
  std::int64_t replies = 0;
  std::int64_t impressions = 0;
  friend bool operator==(const post&, const post&) = default;
};
/// Null: there is none, or none is known.
using post_ptr = std::shared_ptr<const post>;

/// An account at x.com. At least one of its members is there; both are safe in a URL.
struct account {
  std::string id;   // digits
  std::string name; // letters, digits and `_`
  /// What the account is known by: its id, or else its name in lower case behind an `@`.
  std::string key() const;
  friend bool operator==(const account&, const account&) = default;
};

/// An account as an attestation has it; an `id` that is not of digits counts as a name where
/// there is no other. Nothing when neither can be one.
std::optional<account> account_of(std::string_view id, std::string_view name);

/// What came of looking for an account's newest post.
struct looked_up {
  enum class result : std::uint8_t {
    found,
    none,    // it has none, or there is no such account
    failed,  // no answer, or one that makes no sense
    limited, // the other side asks not to be asked for a while
  };
  result outcome = result::failed;
  post_ptr newest = {};          // where found
  std::chrono::seconds pause{0}; // for how long not to ask; 0: it was not said
  std::string why = {};          // where failed or limited, for the log
};

/// The newest post of somebody who has a market.
struct news_item {
  profile_id owner;
  post_ptr newest;
};

/// The newest post of each profile, one item an id, in the order asked. Null for who has no market
/// or no account at x.com, and while it is not known; never refused.
struct get_news {
  using answer_type = std::vector<news_item>;
  std::vector<profile_id> owners;
};

// -- questions to storage ---------------------------------------------------------------------

struct stored_x_accounts {
  std::vector<std::optional<account>> accounts;
};
/// The account at x.com of each profile, in the order asked; nothing for who has no market or no
/// such attestation.
struct load_x_accounts {
  std::vector<profile_id> owners;
};

/// What is read for news.

/// What is written and what is asked.
struct storage {
  using facts = types<>;
  using loads = types<load<load_x_accounts, stored_x_accounts>>;
};
} // namespace credence::news
