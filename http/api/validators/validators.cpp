#include "actors/people/people_actor.hpp"
#include "http/api/replies.hpp"
#include "http/api/validators/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace credence::http::v2 {

namespace {

void reply_empty(call& c, const page& slice) {
  json_writer to{c.out()};
  encode_page(to, std::array<int, 0>{}, 0, slice, [&](int) {});
  c.reply();
}

/// A validator that somebody owns. How many somebody owns is known, but no token is followed, so which ones is not.
void encode_token(json_writer& to) {
  to.begin_object();
  for (const json_name name : {json_name{"contractAddress"}, json_name{"tokenId"}})
    to.field(name, "");
  for (const json_name name :
       {json_name{"name"}, json_name{"description"}, json_name{"imageUrl"}, json_name{"thumbnailUrl"},
        json_name{"animationUrl"}, json_name{"animationMime"}, json_name{"tokenUri"}, json_name{"attributesJson"},
        json_name{"mintedAt"}, json_name{"acquiredAt"}, json_name{"lastActivityAt"}}) {
    to.key(name);
    to.null();
  }
  for (const json_name name : {json_name{"createdAt"}, json_name{"updatedAt"}})
    to.field(name, "");
  to.array("NftOwners", std::array<int, 0>{}, [](int) {});
  to.object("collection", [&] { to.field("slug", nullptr); });
  to.end_object();
}

/// Has `show(call, count)` answer with how many validators the user in the path owns.
template <class Show>
void with_owner(call& c, Show show) {
  auto key = c.value_of(parse_userkey(c.path_part("userkey")));
  c.ask(c.to().people, people::get_people{{std::move(key)}}, [show](call& later, people::people_by_key& came) {
    const auto& who = came.users.front();
    if (!who)
      return later.refuse({refusal_code::not_found, "no user matches userkey"});
    show(later, who->validator_nft_count);
  });
}

} // namespace

void list_validators(call& c) {
  read_list_page(c.given(), limits::limit_max);
  c.out() = "[]";
  c.reply();
}

void list_auctions(call& c) {
  static constexpr std::array<std::string_view, 3> states{"DISABLED", "ENABLED", "SOLD"};
  static constexpr std::array<std::string_view, 7> orders{"id",        "createdAt", "startTime", "startPrice",
                                                          "pricePaid", "soldTime",  "nftTokenId"};
  auto& given = c.given();
  given.choice("status", states);
  given.text("nftContract");
  given.integer("nftTokenId", {0, limits::safe_integer_max});
  given.choice("orderBy", orders);
  given.choice("orderDirection", direction_names);
  const auto slice = read_list_page(given, limits::limit_max);
  reply_empty(c, slice);
}

void list_validator_listings(call& c) {
  const auto slice = read_list_page(c.given(), limits::limit_max);
  reply_empty(c, slice);
}

void list_tokens_of_user(call& c) {
  const auto slice = read_list_page(c.given(), limits::limit_max);
  with_owner(c, [slice](call& later, std::int32_t count) {
    reply_object(later, [&](json_writer& to) {
      const std::vector<int> shown(static_cast<std::size_t>(std::clamp(count - slice.offset, 0, slice.limit)));
      encode_page_members(to, shown, count, slice, [&](int) { encode_token(to); });
    });
  });
}

void check_owns_validator(call& c) {
  with_owner(c, [](call& later, std::int32_t count) {
    json_writer to{later.out()};
    to.begin_array();
    for (auto left = std::min(count, limits::limit_max); left > 0; --left)
      encode_token(to);
    to.end_array();
    later.reply();
  });
}

} // namespace credence::http::v2
