#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/catalogue/catalogue_json.hpp"
#include "http/api/catalogue/catalogue_orders.hpp"
#include "http/api/catalogue/operations.hpp"
#include "http/api/replies.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/page_json.hpp"
#include "http/call/parameters.hpp"
#include "http/call/userkey.hpp"

namespace credence::http::v2 {

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

/// Asks the keeper, then shows the record; one that is only tried has nothing to show.
template <class Question>
void change(call& c, outcome<Question> question) {
  using record = typename Question::answer_type;
  if (!question)
    return c.refuse(question.why());
  if (question->dry_run)
    return c.ask(c.to().records, *std::move(question), [](call& later, record&) { reply_ok(later); });
  c.ask(c.to().records, *std::move(question), [](call& later, record& saved) { show(later, saved.id); });
}

template <class Id>
void show_done(call& c, const idempotency::found_record& done) {
  show(c, Id{static_cast<std::int32_t>(parse_integer(done.effect).value_or(0))});
}

} // namespace

void list_categories(call& c) {
  parameters given{c.query()};
  const auto slice = read_page(given);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().records, reputation::get_categories{slice}, [slice](call& later, reputation::categories_page& found) {
    json_writer to{later.out()};
    to.begin_object();
    encode_page(
      to, found.categories, found.total, slice, [&](const reputation::counted_category& each) { encode(to, each); },
      "categories");
    to.end_object();
    later.reply();
  });
}

void get_category(call& c) {
  parameters given{c.query()};
  const auto id = given.path_id<category_id>("id", c.path_part("id"));
  if (!given.good())
    return c.refuse(given.why());
  show(c, id);
}

void list_users_of_category(call& c) {
  parameters given{c.query()};
  const auto id = given.path_id<category_id>("id", c.path_part("id"));
  const auto slice = read_page(given);
  if (!given.good())
    return c.refuse(given.why());
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

void create_category(call& c) { change(c, read_category(c)); }
void replay_create_category(call& c, const idempotency::found_record& done) { show_done<category_id>(c, done); }
void edit_category(call& c) { change(c, read_category_edit(c)); }
void replay_edit_category(call& c, const idempotency::found_record& done) { show_done<category_id>(c, done); }

void list_chains(call& c) {
  parameters given{c.query()};
  const auto slice = read_page(given);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().records, reputation::get_chains{slice}, [slice](call& later, reputation::chains_page& found) {
    json_writer to{later.out()};
    to.begin_object();
    encode_page(
      to, found.chains, found.total, slice, [&](const chain_record& each) { encode(to, each); }, "chains");
    to.end_object();
    later.reply();
  });
}

void create_chain(call& c) { change(c, read_chain(c)); }
void replay_create_chain(call& c, const idempotency::found_record& done) { show_done<chain_id>(c, done); }
void edit_chain(call& c) { change(c, read_chain_edit(c)); }
void replay_edit_chain(call& c, const idempotency::found_record& done) { show_done<chain_id>(c, done); }

} // namespace credence::http::v2
