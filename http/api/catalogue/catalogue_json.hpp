#pragma once

#include "actors/reputation/catalogue_types.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/json_writer.hpp"

/// Categories and chains as JSON (docs/api/projects.md).
namespace credence::http {

/// `{id, slug, name, description?, showOnLeaderboard, showInDailyService, bannerImageUrl?, userCount}`
void encode(json_writer& to, const reputation::counted_category& category);
/// `{id, name, url, iconUrl}`
void encode(json_writer& to, const reputation::chain_record& record);
/// `{categoryRanks: [{rank, category}]}`
void encode(json_writer& to, const reputation::category_ranks& ranks);

/// A page of users, as `users`.
struct members_answer {
  reputation::category_users found;
  page slice;
  std::size_t size_hint() const noexcept { return 256 + found.users.size() * 1536; }
};
void encode(json_writer& to, const members_answer& answer, user_cards& users);

} // namespace credence::http
