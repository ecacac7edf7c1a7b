#pragma once

#include <cstddef>
#include <cstdint>

/// Every bound that the API contract fixes, by the field's own name. What an
/// operator may change is in settings.toml.
namespace credence::limits {

inline constexpr std::int32_t id_max = 2147483647;
inline constexpr std::int64_t safe_integer_max = 9007199254740991; // 2^53 - 1

inline constexpr std::size_t vote_reason_length_min = 1; // characters, not bytes
inline constexpr std::size_t vote_reason_length_max = 50;

inline constexpr std::size_t tip_message_length_max = 500;
inline constexpr std::int64_t xp_grant_max = 1'000'000;
inline constexpr std::size_t grant_reason_length_max = 200;
/// Rows in one answer of the lists over markets.
inline constexpr std::int32_t market_list_max = 1000;
inline constexpr std::size_t bulk_markets_max = 500;
inline constexpr std::int32_t price_points_max = 10'000;
inline constexpr std::int32_t holders_max = 10'000;
inline constexpr std::size_t search_text_max = 100;
inline constexpr std::size_t transfer_reference_length_max = 200;
/// More than any market holds.
inline constexpr std::int64_t trade_votes_max = 200'000'000'000;
/// End of the year 9999.
inline constexpr std::int64_t unix_seconds_max = 253'402'300'799;

inline constexpr std::int32_t slash_author_score_min = 1600;
inline constexpr std::int64_t slash_duration_default_s = 172'800; // 48 hours
inline constexpr std::int64_t slash_duration_max_s = 604'800;     // 7 days
inline constexpr std::int32_t slash_cooldown_days = 7;
/// Votes of one profile on one slash that are stored: the first, and its changes.
inline constexpr std::int32_t slash_votes_per_profile_max = 10;
/// Points of score, or hundredths of a percent of what is vouched: so many may always be asked
/// for, more as far as the author's score is above the subject's, and never more than the last.
inline constexpr std::int64_t slash_amount_always = 100;
inline constexpr std::int64_t slash_amount_max = 1000;
/// XP that the author and the subject of a slash each put aside at most.
inline constexpr std::int64_t slash_xp_amount_max = 1'000'000;
inline constexpr std::size_t slash_comment_length_max = 2000;
inline constexpr std::size_t slash_metadata_length_max = 5000;
/// Percent of the weight that voted: above the first the subject is slashed, below the second defended.
inline constexpr std::int64_t slash_percent_above = 60;
inline constexpr std::int64_t slash_percent_below = 40;

inline constexpr std::size_t review_comment_length_max = 2000;
inline constexpr std::size_t reply_content_length_max = 2000;
inline constexpr std::size_t record_metadata_length_max = 5000;
inline constexpr std::size_t evidence_length_max = 5000;
inline constexpr std::size_t verification_comment_length_max = 2000;
/// Requests about records that are decided over one reading of their rows.
inline constexpr std::size_t records_decided_together = 256;
/// Vouches of one profile that are active, and vouches for one.
inline constexpr std::int32_t vouches_each_way_max = 256;
/// Reviews and vouches that a profile makes in a day: each may be about somebody new, who stays.
inline constexpr std::int32_t records_a_day_max = 500;
inline constexpr std::int32_t unhealthy_within_hours = 24;
inline constexpr std::int32_t addresses_per_profile_max = 128;
inline constexpr std::size_t addresses_by_events_max = 256;     // of a profile, where events tell of them
inline constexpr std::size_t invitations_open_to_one_max = 256; // address
inline constexpr std::int32_t invites_max = 2048;               // as in the contract
inline constexpr std::size_t display_name_length_max = 100;
inline constexpr std::size_t description_length_max = 2000;
inline constexpr std::size_t avatar_url_length_max = 2000;

inline constexpr std::size_t project_links_max = 10;
inline constexpr std::size_t project_team_max = 50;
inline constexpr std::size_t project_categories_max = 10;
inline constexpr std::size_t project_chains_max = 20;
inline constexpr std::size_t team_role_length_max = 50;
inline constexpr std::size_t url_length_max = 2000;
inline constexpr std::size_t catalogue_name_length_max = 100; // of categories and chains

inline constexpr std::size_t key_name_length_max = 100;
inline constexpr std::size_t key_scopes_max = 6;
inline constexpr std::size_t key_networks_max = 20;
inline constexpr int key_days_default = 90;
inline constexpr int key_days_max = 365;

inline constexpr std::int32_t limit_default = 50;
inline constexpr std::int32_t limit_max = 100;
inline constexpr std::int32_t offset_max = 2147483647;

inline constexpr std::size_t bulk_profile_ids_max = 100;

inline constexpr std::size_t bulk_keys_max = 500; // people looked up in one request
inline constexpr std::size_t account_id_length_max = 64;
inline constexpr std::size_t handle_length_max = 50;
inline constexpr std::size_t username_length_max = 100; // characters, as those of a search
inline constexpr std::size_t search_query_length_min = 2;
inline constexpr std::size_t search_query_length_max = 100;
inline constexpr std::int32_t search_limit_max = 50;
inline constexpr std::int32_t search_matches_max = 10'000; // users ranked and counted by one search
inline constexpr std::int32_t searched_text_max = 1000;    // characters of a description that markets are found by

inline constexpr std::size_t chart_points_max = 2000;

inline constexpr std::int32_t days_min = 1; // topMoversDays, sparklineDays, deltaWindows
inline constexpr std::int32_t days_max = 90;
inline constexpr std::int32_t top_movers_days_default = 1;
inline constexpr std::size_t delta_windows_max = 5;
inline constexpr std::int32_t top_voters_limit_default = 3;
inline constexpr std::int32_t top_voters_limit_max = 100;
inline constexpr std::size_t top_movers_most = 10;

inline constexpr int json_depth_max = 32;
inline constexpr std::size_t header_fields_max = 100;
inline constexpr std::size_t idempotency_key_length_max = 255;
inline constexpr std::size_t query_parameters_max = 256;
inline constexpr std::size_t request_id_length_max = 128;
inline constexpr std::size_t service_client_length_max = 100;

/// Bytes that a key for signing access tokens needs at least (HS256: RFC 7518, 3.2).
inline constexpr std::size_t token_secret_bytes_min = 32;

// Lists of records.

/// Rows of a list of records that are ranked and counted, and how deep its pages reach.
inline constexpr std::int32_t list_depth_max = 10'000;
/// Rows in one answer of a feed, and of the votes on an activity.
inline constexpr std::int32_t feed_limit_max = 1000;
inline constexpr std::int32_t activity_votes_limit_max = 500;
/// The same of replies, of profiles that are asked for in a body, and of changes of scores.
inline constexpr std::int32_t replies_limit_max = 500;
inline constexpr std::int32_t profiles_limit_max = 500;
inline constexpr std::int32_t score_updates_limit_max = 1000;
/// Votes each way whose weights are summed up.
inline constexpr std::int32_t votes_weighed_max = 1000;
/// Records, authors or subjects that one request may name.
inline constexpr std::size_t bulk_records_max = 100;
/// Moments of a market that one question asks for.
inline constexpr std::size_t market_moments_max = 400;
/// Markets with the most volume that are ranked by anything but volume and age.
inline constexpr std::int32_t markets_ranked_max = 200;
/// Holders of each side that are told with a market.
inline constexpr std::int32_t top_holders = 10;
/// Farcaster names in one look-up.
inline constexpr std::size_t bulk_names_max = 100;
/// A profile's newest records whose replies and votes it is notified of, how many of them each, and notifications in
/// all.
inline constexpr std::int32_t notified_records_max = 100;
inline constexpr std::int32_t notifications_max = 1000;
/// What events of a chain bring is told unless it was that old when it came in.
inline constexpr std::int32_t notified_late_days_max = 7;
/// Rows of a profile's ledger of XP that can be paged through.
inline constexpr std::int32_t ledger_depth_max = 1000;
inline constexpr std::int32_t suggested_projects_default = 5;
inline constexpr std::int32_t invitation_tree_depth = 5;
inline constexpr std::int32_t invitation_tree_max = 500;

// Bonds, and the human verification that follows from them.

/// Characters of a bond's type, amount, unit and reason, as the contract has them.
inline constexpr std::size_t bond_word_length_max = 256;
inline constexpr std::size_t bond_statement_length_max = 2000;
/// How long a bond lasts that says nothing else.
inline constexpr int bond_days_default = 1095;
/// Bonds that an answer about a person shows, the newest first.
inline constexpr std::int32_t bonds_shown_max = 100;
/// Verifiers whose bonds must be in force at once for a person to be verified.
inline constexpr std::size_t verifying_bonds_min = 3;

// What is shown of posts of the broker, whose texts no contract bounds.

/// Characters of a text of a post, where one post is read, and where several are.
inline constexpr std::int32_t broker_text_max = 65536;
inline constexpr std::int32_t broker_text_listed_max = 4096;

} // namespace credence::limits
