#pragma once

#include "actors/chain/event_description.hpp"

/// Events of reviews.
namespace credence::chain {

/// How a review is meant.
enum class review_score : std::uint8_t { negative, neutral, positive };
template <>
inline constexpr std::uint8_t enum_size<review_score> = 3;

namespace review_events {

/// A review was written, of an address or, where the hash is not zero, of an account. `profile` is the subject's, or
/// the id that the contract reserved for a subject that has not joined.
struct review_created {
  static constexpr event_name is{contract_kind::review, "ReviewCreated"};
  review_score score{};
  address author;
  digest32 attestation_hash{};
  address subject;
  onchain_review review;
  onchain_profile profile;
  static constexpr auto inputs() {
    using self = review_created;
    return field_list{plain("score", &self::score),
                      indexed("author", &self::author),
                      indexed("attestationHash", &self::attestation_hash),
                      indexed("subject", &self::subject),
                      plain("reviewId", &self::review),
                      plain("profileId", &self::profile)};
  }
  friend bool operator==(const review_created&, const review_created&) = default;
};

/// The texts of a review changed; they lie in the contract.
struct review_edited {
  static constexpr event_name is{contract_kind::review, "ReviewEdited"};
  onchain_review review;
  address author;
  address subject;
  static constexpr auto inputs() {
    using self = review_edited;
    return field_list{indexed("reviewId", &self::review), indexed("author", &self::author),
                      indexed("subject", &self::subject)};
  }
  friend bool operator==(const review_edited&, const review_edited&) = default;
};

/// The review counts no longer.
struct review_archived {
  static constexpr event_name is{contract_kind::review, "ReviewArchived"};
  onchain_review review;
  address author;
  address subject;
  static constexpr auto inputs() {
    using self = review_archived;
    return field_list{indexed("reviewId", &self::review), indexed("author", &self::author),
                      indexed("subject", &self::subject)};
  }
  friend bool operator==(const review_archived&, const review_archived&) = default;
};

/// The review counts again.
struct review_restored {
  static constexpr event_name is{contract_kind::review, "ReviewRestored"};
  onchain_review review;
  address author;
  address subject;
  static constexpr auto inputs() {
    using self = review_restored;
    return field_list{indexed("reviewId", &self::review), indexed("author", &self::author),
                      indexed("subject", &self::subject)};
  }
  friend bool operator==(const review_restored&, const review_restored&) = default;
};

/// The price of a review was burned; it does not say of which one.
struct review_fee_burned {
  static constexpr event_name is{contract_kind::review, "ReviewFeeBurned"};
  address author;
  address payment_token;
  uint256 amount;
  static constexpr auto inputs() {
    using self = review_fee_burned;
    return field_list{indexed("author", &self::author), indexed("paymentToken", &self::payment_token),
                      plain("amount", &self::amount)};
  }
  friend bool operator==(const review_fee_burned&, const review_fee_burned&) = default;
};

} // namespace review_events

} // namespace credence::chain
