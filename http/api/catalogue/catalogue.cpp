#include "http/api/catalogue/catalogue.hpp"

#include "actors/people/people_actor.hpp"
#include "actors/reputation/catalogue_types.hpp"
#include "http/api/catalogue/operations.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/api/record_commands.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/userkey.hpp"

namespace credence::http {

// Categories and chains as JSON (docs/api/projects.md).

/// A page of users, as `users`.
struct members_answer {
  reputation::category_users found;
  page slice;
  std::size_t size_hint() const noexcept { return 256 + found.users.size() * 1536; }
};

/// `{id, slug, name, description?, showOnLeaderboard, showInDailyService, bannerImageUrl?, userCount}`
static void encode_members(json_writer& to, const reputation::counted_category& counted) {
  const auto& category = counted.record;
  to.field("id", category.id);
  to.field("slug", category.slug);
  to.field("name", category.name);
  to.field_if("description", category.description);
  to.field("showOnLeaderboard", category.on_leaderboard);
  to.field("showInDailyService", category.in_daily_service);
  to.field_if("bannerImageUrl", category.banner_image_url);
  to.field("userCount", counted.users);
}

/// `{id, name, url, iconUrl}`
static void encode_members(json_writer& to, const reputation::chain_record& record) {
  to.field("id", record.id);
  to.field("name", record.name);
  to.field("url", record.url);
  to.field("iconUrl", record.icon_url);
}

/// `{categoryRanks: [{rank, category}]}`
static void encode_members(json_writer& to, const reputation::category_ranks& ranks) {
  to.objects("categoryRanks", ranks.ranks, [&](const auto& each) {
    to.field("rank", each.rank);
    to.field("category", each.category);
  });
}

static void encode(json_writer& to, const members_answer& answer, user_cards& users) {
  encode_page(
    to, answer.found.users, answer.found.total, answer.slice,
    [&](const people::user_ptr& each) { users.write(to, *each); }, "users");
}

namespace v2 {

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

reputation::chain_record read_new_chain(json_body& body) {
  const auto contents = read_chain_contents(body);
  require(body, contents.name, "name");
  reputation::chain_record out;
  out.name = contents.name.value_or("");
  out.url = unless_empty(contents.url);
  out.icon_url = unless_empty(contents.icon_url);
  return out;
}

namespace {

using reputation::category_id;
using reputation::chain_id;
using reputation::chain_record;

refusal no_category(category_id which) {
  return {refusal_code::not_found, "there is no category " + std::to_string(which.value)};
}

/// Answers with the category as it is now.
void show(call& c, category_id which) {
  c.ask(c.to().records, reputation::get_categories{{1, 0}, which},
        [which](call& later, reputation::categories_page& found) {
          if (found.categories.empty())
            return later.refuse(no_category(which));
          reply_with(later, found.categories.front());
        });
}

void show(call& c, chain_id which) {
  c.ask(c.to().records, reputation::get_chains{{1, 0}, which}, [which](call& later, reputation::chains_page& found) {
    if (found.chains.empty())
      return later.refuse({refusal_code::not_found, "there is no chain " + std::to_string(which.value)});
    reply_with(later, found.chains.front());
  });
}

/// Has the keeper do what `read` makes of the request, then shows the record.
template <class Command, class Read>
void change_entry(call& c, Read read) {
  submit(c, read_command<Command>(c, read), [](call& later, const auto& saved) { show(later, saved.id); });
}

template <class Id>
void show_done(call& c, const idempotency::found_record& done) {
  show(c, made_by<Id>(done));
}

} // namespace

void list_categories(call& c) {
  const auto slice = read_page(c.given());
  c.ask(c.to().records, reputation::get_categories{slice}, [slice](call& later, reputation::categories_page& found) {
    json_writer to{later.out()};
    encode_page(
      to, found.categories, found.total, slice, [&](const reputation::counted_category& each) { encode(to, each); },
      "categories");
    later.reply();
  });
}

void get_category(call& c) { show(c, c.path_id<category_id>("id")); }

void list_users_of_category(call& c) {
  const auto id = c.path_id<category_id>("id");
  const auto slice = read_page(c.given());
  c.ask(c.to().records, reputation::get_category_users{id, slice},
        [id, slice](call& later, reputation::category_users& found) {
          if (!found.known)
            return later.refuse(no_category(id));
          reply_with_users(later, members_answer{std::move(found), slice});
        });
}

void get_categories_of_user(call& c) {
  const auto key = parse_userkey(c.path_part("userkey"));
  if (!key)
    co_return c.refuse({refusal_code::invalid_input, "userkey: " + key.why().detail});
  people::find_people look{{*key}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const auto who = came.people.front().user;
  if (!who)
    co_return c.refuse({refusal_code::not_found, "no user matches the userkey"});
  c.ask(c.to().records, reputation::get_user_categories{who}, &reply_with<reputation::category_ranks>);
}

void create_category(call& c) {
  change_entry<reputation::create_category>(
    c, [](auto& out, parameters&, json_body& body) { out.record = read_new_category(body); });
}
void replay_create_category(call& c, const idempotency::found_record& done) { show_done<category_id>(c, done); }
void edit_category(call& c) {
  change_entry<reputation::edit_category>(c, [&](auto& out, parameters&, json_body& body) {
    out = read_contents(body);
    out.id = c.path_id<category_id>("id");
    if (body.good() && !out.name && !out.slug && !out.description && !out.on_leaderboard && !out.in_daily_service
        && !out.banner_image_url)
      body.issue("name, slug, description, showOnLeaderboard, showInDailyService or bannerImageUrl is required");
  });
}
void replay_edit_category(call& c, const idempotency::found_record& done) { show_done<category_id>(c, done); }

void list_chains(call& c) {
  const auto slice = read_page(c.given());
  c.ask(c.to().records, reputation::get_chains{slice}, [slice](call& later, reputation::chains_page& found) {
    json_writer to{later.out()};
    encode_page(
      to, found.chains, found.total, slice, [&](const chain_record& each) { encode(to, each); }, "chains");
    later.reply();
  });
}

void create_chain(call& c) {
  change_entry<reputation::create_chain>(
    c, [](auto& out, parameters&, json_body& body) { out.record = read_new_chain(body); });
}
void replay_create_chain(call& c, const idempotency::found_record& done) { show_done<chain_id>(c, done); }
void edit_chain(call& c) {
  change_entry<reputation::edit_chain>(c, [&](auto& out, parameters&, json_body& body) {
    out = read_chain_contents(body);
    out.id = c.path_id<chain_id>("id");
    if (body.good() && !out.name && !out.url && !out.icon_url)
      body.issue("name, url or iconUrl is required");
  });
}
void replay_edit_chain(call& c, const idempotency::found_record& done) { show_done<chain_id>(c, done); }

} // namespace v2

} // namespace credence::http
