#include "actors/people/people_actor.hpp"
#include "http/api/validators/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <array>

namespace credence::http::v2 {

namespace {

void reply_empty(call& c, const page& slice) {
  json_writer to{c.out()};
  to.begin_object();
  encode_page(to, std::array<int, 0>{}, 0, slice, [&](int) {});
  to.end_object();
  c.reply();
}

refusal nobody() { return {refusal_code::not_found, "no user matches userkey"}; }

} // namespace

void list_validators(call& c) {
  parameters given{c.query()};
  read_list_page(given, limits::limit_max);
  if (!given.good())
    return c.refuse(given.why());
  c.out() = "[]";
  c.reply();
}

void list_auctions(call& c) {
  static constexpr std::array<std::string_view, 3> states{"DISABLED", "ENABLED", "SOLD"};
  static constexpr std::array<std::string_view, 7> orders{"id",        "createdAt", "startTime", "startPrice",
                                                          "pricePaid", "soldTime",  "nftTokenId"};
  parameters given{c.query()};
  given.choice("status", states);
  given.text("nftContract");
  given.integer("nftTokenId", {0, limits::safe_integer_max});
  given.choice("orderBy", orders);
  given.choice("orderDirection", direction_names);
  const auto slice = read_list_page(given, limits::limit_max);
  if (!given.good())
    return c.refuse(given.why());
  reply_empty(c, slice);
}

void list_validator_listings(call& c) {
  parameters given{c.query()};
  const auto slice = read_list_page(given, limits::limit_max);
  if (!given.good())
    return c.refuse(given.why());
  reply_empty(c, slice);
}

void list_tokens_of_user(call& c) {
  parameters given{c.query()};
  const auto slice = read_list_page(given, limits::limit_max);
  if (!given.good())
    co_return c.refuse(given.why());
  auto key = parse_userkey(c.path_part("userkey"));
  if (!key)
    co_return c.refuse(key.why());
  people::find_people look{{*std::move(key)}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  if (!came.people.front())
    co_return c.refuse(nobody());
  reply_empty(c, slice);
}

void check_owns_validator(call& c) {
  auto key = parse_userkey(c.path_part("userkey"));
  if (!key)
    return c.refuse(key.why());
  c.ask(c.to().people, people::get_people{{*std::move(key)}}, [](call& later, people::people_by_key& came) {
    const auto& who = came.users.front();
    if (!who)
      return later.refuse(nobody());
    json_writer to{later.out()};
    to.begin_object();
    to.field("ownsValidator", who->validator_nft_count > 0);
    to.end_object();
    later.reply();
  });
}

} // namespace credence::http::v2
