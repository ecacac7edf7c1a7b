#include "actors/reputation/record_actor.hpp"
#include "http/api/broker/operations.hpp"
#include "http/api/people/people.hpp"
#include "http/call/parameters.hpp"
#include "http/call/record_body.hpp"

namespace credence::http {

namespace {

using post_list = reputation::list_broker_posts::answer_type;
using post_row = reputation::authored<reputation::broker_post>;

} // namespace

/// `{id, authorProfileId, level, title, description, price, cost, metadata, fee, createdAt, updatedAt, author}`
static void encode_members(json_writer& to, const post_row& row, user_cards& cards,
                           const reputation::named_users& users) {
  const auto& post = row.record;
  to.field("id", post.id);
  to.field("authorProfileId", post.author);
  to.field("level", reputation::broker_post_level_names[static_cast<std::size_t>(post.level)]);
  to.field("title", post.title);
  to.field("description", post.description);
  to.field("price", post.price);
  to.field("cost", post.price);
  to.field("metadata", post.metadata);
  to.object_or_null("fee", post.fee, [&](const auto& fee) {
    to.field("token", checksummed_text(fee.token));
    to.field("amount", decimal(fee.amount));
    to.field("recipient", checksummed_text(fee.recipient));
  });
  to.field("createdAt", post.created_at);
  to.field("updatedAt", post.updated_at);
  encode_named(to, "author", cards, users, row.author);
}

namespace v2 {

void list_broker_posts(call& c) {
  reputation::list_broker_posts question;
  question.author = c.given().id<profile_id>("authorProfileId");
  if (const auto at = c.given().choice("level", reputation::broker_post_level_names))
    question.level = static_cast<reputation::broker_post_level>(*at);
  question.slice = read_list_page(c.given(), limits::limit_max);
  c.ask(c.to().records, std::move(question), [](call& later, post_list& found) {
    reply_page(later, found,
               [&](json_writer& to, user_cards& cards, const post_row& row) { encode(to, row, cards, found.users); });
  });
}

void get_broker_post(call& c) {
  reputation::list_broker_posts question;
  question.id = c.path_id<reputation::broker_post_id>("id");
  question.slice = {1, 0};
  c.ask(c.to().records, std::move(question), [](call& later, post_list& found) {
    if (found.rows.empty())
      return later.refuse({refusal_code::not_found, "there is no such post of the broker"});
    reply_by_cards(later,
                   [&](json_writer& to, user_cards& cards) { encode(to, found.rows.front(), cards, found.users); });
  });
}

} // namespace v2

} // namespace credence::http
