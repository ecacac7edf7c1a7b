#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/reputation/reply_types.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"
#include "http/call/record_body.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace credence::http {

/// What paths and feeds call activities by; one without a kind takes neither votes nor replies.
struct activity_type {
  std::string_view name;
  std::optional<reputation::activity_kind> kind;
};
inline constexpr activity_type activity_types[] = {
  {"attestation", reputation::activity_kind::attestation},
  {"bond", reputation::activity_kind::bond},
  {"broker-post", reputation::activity_kind::broker},
  {"closed-slash", reputation::activity_kind::slash},
  {"human-verification", std::nullopt},
  {"invitation-accepted", std::nullopt},
  {"market", reputation::activity_kind::market},
  {"market-vote", std::nullopt},
  {"open-slash", reputation::activity_kind::slash},
  {"project", reputation::activity_kind::project},
  {"reply", reputation::activity_kind::discussion},
  {"reputation-market", reputation::activity_kind::market},
  {"review", reputation::activity_kind::review},
  {"slash", reputation::activity_kind::slash},
  {"unvouch", reputation::activity_kind::vouch},
  {"vote", std::nullopt},
  {"vouch", reputation::activity_kind::vouch},
  {"xp-tip", std::nullopt},
};

/// A body that names activities by type, such as `{"review": [1, 2], "vouch": [3]}`: 1 to `limits::bulk_records_max` in
/// all. Each once, in the order of the types, then by id. Refused with every mistake.
outcome<std::vector<reputation::activity>> read_activity_ids(std::string_view body);

/// The activity that `type` and `activityId` of a query name, which public clients call `activityType` and `id` as
/// well; both are required. The type is a kind's name, or one of `activity_types` that takes votes.
reputation::activity read_activity(parameters& given);

/// What a reply says: `content` and `metadata`; mistakes go to the body's.
inline void read_reply_words(json_body& body, reputation::create_reply& to) {
  to.content = read_words(body, "content", 1, limits::reply_content_length_max);
  to.metadata = read_words(body, "metadata", 0, limits::record_metadata_length_max);
}

/// A reply (docs/api/records.md); moments are Unix seconds.
void encode_members(json_writer& to, const reputation::reply_record& record);
/// A vote on an activity; moments are Unix seconds.
void encode_members(json_writer& to, const reputation::activity_vote& vote);

} // namespace credence::http
