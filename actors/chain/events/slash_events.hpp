#pragma once

#include "actors/chain/event_description.hpp"

#include <string>

/// Events of slashes.
namespace credence::chain {

/// What a slash takes.
enum class slash_type : std::uint8_t { score, financial, xp };
template <>
inline constexpr std::uint8_t enum_size<slash_type> = 3;

/// How a slash ended.
enum class slash_resolution : std::uint8_t { pending, cancelled, slashed, defended, inconclusive };
template <>
inline constexpr std::uint8_t enum_size<slash_resolution> = 5;

namespace slash_events {

/// A slash was opened; it ends at `created_at` and `duration` together.
struct slash_created {
  static constexpr event_name is{contract_kind::slash, "SlashCreated"};
  onchain_slash id;
  unix_time created_at;
  span_of_time duration;
  address subject;
  digest32 attestation_hash{};
  onchain_profile author_profile;
  unix_time cancelled_at;
  uint256 amount;
  slash_type type{};
  std::string comment;
  std::string metadata;
  static constexpr auto inputs() {
    using self = slash_created;
    return field_list{plain("id", &self::id),
                      plain("createdAt", &self::created_at),
                      plain("duration", &self::duration),
                      indexed("subject", &self::subject),
                      indexed("attestationHash", &self::attestation_hash),
                      plain("authorProfileId", &self::author_profile),
                      plain("cancelledAt", &self::cancelled_at),
                      plain("amount", &self::amount),
                      plain("slashType", &self::type),
                      plain("comment", &self::comment),
                      plain("metadata", &self::metadata)};
  }
  friend bool operator==(const slash_created&, const slash_created&) = default;
};

/// The texts of a slash changed.
struct slash_edited {
  static constexpr event_name is{contract_kind::slash, "SlashEdited"};
  onchain_slash id;
  std::string new_comment;
  std::string new_metadata;
  static constexpr auto inputs() {
    using self = slash_edited;
    return field_list{plain("id", &self::id), plain("newComment", &self::new_comment),
                      plain("newMetadata", &self::new_metadata)};
  }
  friend bool operator==(const slash_edited&, const slash_edited&) = default;
};

/// A slash was called off.
struct slash_cancelled {
  static constexpr event_name is{contract_kind::slash, "SlashCancelled"};
  onchain_slash id;
  address cancelled_by;
  unix_time cancelled_at;
  static constexpr auto inputs() {
    using self = slash_cancelled;
    return field_list{plain("id", &self::id), plain("cancelledBy", &self::cancelled_by),
                      plain("cancelledAt", &self::cancelled_at)};
  }
  friend bool operator==(const slash_cancelled&, const slash_cancelled&) = default;
};

/// A slash lasts longer: `new_duration` counts from its beginning.
struct slash_extended {
  static constexpr event_name is{contract_kind::slash, "SlashExtended"};
  onchain_slash id;
  span_of_time new_duration;
  static constexpr auto inputs() {
    using self = slash_extended;
    return field_list{plain("id", &self::id), plain("newDuration", &self::new_duration)};
  }
  friend bool operator==(const slash_extended&, const slash_extended&) = default;
};

/// A slash is about what the parties have vouched.
struct financial_slash_created {
  static constexpr event_name is{contract_kind::slash, "FinancialSlashCreated"};
  onchain_slash id;
  onchain_profile subject_profile;
  onchain_profile author_profile;
  uint256 subject_addr_count;
  uint256 author_addr_count;
  static constexpr auto inputs() {
    using self = financial_slash_created;
    return field_list{indexed("id", &self::id), plain("subjectProfileId", &self::subject_profile),
                      plain("authorProfileId", &self::author_profile),
                      plain("subjectAddrCount", &self::subject_addr_count),
                      plain("authorAddrCount", &self::author_addr_count)};
  }
  friend bool operator==(const financial_slash_created&, const financial_slash_created&) = default;
};

/// The contract says how a slash ended.
struct slash_resolved {
  static constexpr event_name is{contract_kind::slash, "SlashResolved"};
  onchain_slash id;
  slash_resolution resolution{};
  uint256 bps;
  static constexpr auto inputs() {
    using self = slash_resolved;
    return field_list{indexed("id", &self::id), indexed("resolution", &self::resolution), plain("bps", &self::bps)};
  }
  friend bool operator==(const slash_resolved&, const slash_resolved&) = default;
};

/// What a slash decided was carried out.
struct resolution_executed {
  static constexpr event_name is{contract_kind::slash, "ResolutionExecuted"};
  onchain_slash id;
  static constexpr auto inputs() {
    using self = resolution_executed;
    return field_list{indexed("id", &self::id)};
  }
  friend bool operator==(const resolution_executed&, const resolution_executed&) = default;
};

/// How long the texts of a slash may be changed.
struct edit_window_updated {
  static constexpr event_name is{contract_kind::slash, "EditWindowUpdated"};
  span_of_time new_edit_window;
  static constexpr auto inputs() {
    using self = edit_window_updated;
    return field_list{plain("newEditWindow", &self::new_edit_window)};
  }
  friend bool operator==(const edit_window_updated&, const edit_window_updated&) = default;
};

/// How long its author may call a slash off.
struct cancel_window_updated {
  static constexpr event_name is{contract_kind::slash, "CancelWindowUpdated"};
  span_of_time new_cancel_window;
  static constexpr auto inputs() {
    using self = cancel_window_updated;
    return field_list{plain("newCancelWindow", &self::new_cancel_window)};
  }
  friend bool operator==(const cancel_window_updated&, const cancel_window_updated&) = default;
};

/// How long a slash lasts unless its author says otherwise.
struct default_duration_updated {
  static constexpr event_name is{contract_kind::slash, "DefaultDurationUpdated"};
  span_of_time new_default_duration;
  static constexpr auto inputs() {
    using self = default_duration_updated;
    return field_list{plain("newDefaultDuration", &self::new_default_duration)};
  }
  friend bool operator==(const default_duration_updated&, const default_duration_updated&) = default;
};

} // namespace slash_events

} // namespace credence::chain
