#pragma once

#include "actors/people/lookup_types.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/json_writer.hpp"

#include <cstdint>
#include <vector>

/// Answers about people as JSON. Users are encoded by the cards, in the format of the day.
namespace credence::http {

/// `{score, level}`.
void encode_score(json_writer& to, std::int32_t score);
/// A profile (spec: "Profile"); times are Unix seconds.
void encode(json_writer& to, const people::profile_record& record);
/// The internal user bundle (spec). Times of profile and attestations are Unix seconds.
void encode(json_writer& to, const people::user_bundle& bundle, user_cards& users);
/// Those that are there, each once, in the order given.
void encode(json_writer& to, const std::vector<people::user_ptr>& who, user_cards& users);
/// `{values, total, limit, offset}`.
void encode(json_writer& to, const people::people_page& found, page slice, user_cards& users);

} // namespace credence::http
