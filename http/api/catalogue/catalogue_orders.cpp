#include "http/api/catalogue/catalogue_orders.hpp"

#include "http/call/name_body.hpp"

namespace credence::http::v2 {

namespace {

/// Groups of small letters and digits of ASCII with a hyphen between two of them.
bool good_slug(std::string_view text) {
  bool letter_before = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!letter && (c != '-' || !letter_before))
      return false;
    letter_before = letter;
  }
  return letter_before;
}

std::optional<std::string> read_slug(json_body& body) {
  auto slug = read_words_if_any(body, "slug", 1, limits::catalogue_name_length_max);
  if (slug && !good_slug(*slug))
    body.issue("slug must be small letters and digits with single hyphens between them, such as real-world, not "
               + shown(*slug));
  return slug;
}

/// Adds a mistake where a member that a new record needs is absent.
template <class T>
void require(json_body& body, const std::optional<T>& value, const char* member) {
  if (body.good() && !value)
    body.issue(std::string{member} + " is required");
}

reputation::edit_category read_contents(json_body& body) {
  reputation::edit_category out;
  out.name = read_display_name(body, "name");
  out.slug = read_slug(body);
  out.description = read_plain_text(body, "description", 0, limits::description_length_max);
  out.on_leaderboard = body.boolean("showOnLeaderboard");
  out.in_daily_service = body.boolean("showInDailyService");
  out.banner_image_url = read_https_url(body, "bannerImageUrl", 0);
  return out;
}

reputation::edit_chain read_chain_contents(json_body& body) {
  reputation::edit_chain out;
  out.name = read_display_name(body, "name");
  out.url = read_https_url(body, "url", 0);
  out.icon_url = read_https_url(body, "iconUrl", 0);
  return out;
}

std::optional<std::string> unless_empty(const std::optional<std::string>& text) {
  return text && !text->empty() ? text : std::nullopt;
}

} // namespace

reputation::category_record read_new_category(json_body& body) {
  const auto contents = read_contents(body);
  require(body, contents.name, "name");
  require(body, contents.slug, "slug");
  reputation::category_record out;
  out.name = contents.name.value_or("");
  out.slug = contents.slug.value_or("");
  out.description = unless_empty(contents.description);
  out.on_leaderboard = contents.on_leaderboard.value_or(true);
  out.in_daily_service = contents.in_daily_service.value_or(false);
  out.banner_image_url = unless_empty(contents.banner_image_url);
  return out;
}

outcome<reputation::create_category> read_category(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  reputation::create_category out;
  out.dry_run = read_dry_run(given);
  out.record = read_new_category(*body);
  return checked(given, *body, std::move(out));
}

outcome<reputation::edit_category> read_category_edit(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  auto out = read_contents(*body);
  out.id = given.path_id<reputation::category_id>("id", c.path_part("id"));
  out.dry_run = read_dry_run(given);
  if (body->good() && !out.name && !out.slug && !out.description && !out.on_leaderboard && !out.in_daily_service
      && !out.banner_image_url)
    body->issue("name, slug, description, showOnLeaderboard, showInDailyService or bannerImageUrl is required");
  return checked(given, *body, std::move(out));
}

reputation::chain_record read_new_chain(json_body& body) {
  const auto contents = read_chain_contents(body);
  require(body, contents.name, "name");
  reputation::chain_record out;
  out.name = contents.name.value_or("");
  out.url = unless_empty(contents.url);
  out.icon_url = unless_empty(contents.icon_url);
  return out;
}

outcome<reputation::create_chain> read_chain(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  reputation::create_chain out;
  out.dry_run = read_dry_run(given);
  out.record = read_new_chain(*body);
  return checked(given, *body, std::move(out));
}

outcome<reputation::edit_chain> read_chain_edit(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  auto out = read_chain_contents(*body);
  out.id = given.path_id<reputation::chain_id>("id", c.path_part("id"));
  out.dry_run = read_dry_run(given);
  if (body->good() && !out.name && !out.url && !out.icon_url)
    body->issue("name, url or iconUrl is required");
  return checked(given, *body, std::move(out));
}

} // namespace credence::http::v2
