#include "http/api/catalogue/catalogue_json.hpp"

#include "http/call/page_json.hpp"

namespace credence::http {

void encode(json_writer& to, const reputation::counted_category& counted) {
  const auto& category = counted.record;
  to.begin_object();
  to.field("id", category.id);
  to.field("slug", category.slug);
  to.field("name", category.name);
  to.field_if("description", category.description);
  to.field("showOnLeaderboard", category.on_leaderboard);
  to.field("showInDailyService", category.in_daily_service);
  to.field_if("bannerImageUrl", category.banner_image_url);
  to.field("userCount", counted.users);
  to.end_object();
}

void encode(json_writer& to, const reputation::chain_record& record) {
  to.begin_object();
  to.field("id", record.id);
  to.field("name", record.name);
  to.field("url", record.url);
  to.field("iconUrl", record.icon_url);
  to.end_object();
}

void encode(json_writer& to, const reputation::category_ranks& ranks) {
  to.begin_object();
  to.key("categoryRanks");
  to.begin_array();
  for (const auto& each : ranks.ranks) {
    to.begin_object();
    to.field("rank", each.rank);
    to.key("category");
    encode(to, each.category);
    to.end_object();
  }
  to.end_array();
  to.end_object();
}

void encode(json_writer& to, const members_answer& answer, user_cards& users) {
  to.begin_object();
  encode_page(
    to, answer.found.users, answer.found.total, answer.slice,
    [&](const people::user_ptr& each) { users.write(to, *each); }, "users");
  to.end_object();
}

} // namespace credence::http
