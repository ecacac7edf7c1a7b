#include "actors/chain/chain_actor.hpp"
#include "actors/console/admin_database.hpp"
#include "actors/oversight/oversight_storage.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/api/replies.hpp"
#include "http/call/coroutine.hpp"

#include <algorithm>

namespace credence::http::admin {

namespace {

void write_events(json_writer& to, const std::vector<oversight::event_count>& events) {
  to.objects("events", events, [&](const auto& each) {
    to.field("contract", each.contract);
    to.field("event", each.event);
    to.field("applied", each.applied);
    to.field("ignored", each.ignored);
    to.field("failed", each.failed);
  });
}

void reply_chain(call& c, const chain::chain_status* status, const std::vector<oversight::event_count>& events) {
  const chain::chain_status none;
  const auto& of = status ? *status : none;
  const auto stored = of.tip ? std::optional{of.tip->number} : std::nullopt;
  reply_object(c, [&](json_writer& to) {
    to.field("followed", status != nullptr);
    to.field("chainId", status ? std::optional{of.chain} : std::nullopt);
    to.field("state", status
                        ? std::optional{std::string_view{chain::follow_state_names[static_cast<std::size_t>(of.state)]}}
                        : std::nullopt);
    to.field("why", of.why);
    to.field("head", of.head);
    to.field("safe", of.safe);
    to.field("finalized", of.finalized);
    to.field("stored", stored);
    to.field("authority", status ? std::optional{of.authority} : std::nullopt);
    to.field("lagBlocks", stored && of.head ? std::optional{*of.head - std::min(*of.head, *stored)} : std::nullopt);
    to.field("endpoints", of.endpoints);
    to.field("endpointsWrong", of.endpoints_wrong);
    to.field("reorganisations", of.reorganisations);
    to.field("failed", of.failed);
    write_events(to, events);
  });
}

void write_failed(json_writer& to, const oversight::failed_events& each) {
  to.field("contract", each.contract);
  to.field("event", each.event);
  to.field("reason", each.reason);
  to.field("events", each.events);
  to.field("lastId", each.last_id);
}

void reply_failed(call& c, const std::vector<oversight::failed_events>& found) {
  reply_values(c, found, &write_failed);
}

} // namespace

void get_chain(call& c) {
  if (!c.to().chain)
    co_return reply_chain(c, nullptr, {});
  const auto status = co_await c.ask(c.to().chain, chain::get_chain_status{});
  const oversight::count_events question{static_cast<std::int64_t>(status.chain)};
  const auto events = co_await c.ask(c.to().chain, question);
  reply_chain(c, &status, events);
}

void list_failed_events(call& c) {
  if (!c.to().chain)
    co_return reply_failed(c, {});
  const auto status = co_await c.ask(c.to().chain, chain::get_chain_status{});
  const oversight::list_failed_events question{static_cast<std::int64_t>(status.chain)};
  const auto found = co_await c.ask(c.to().oversight, question);
  reply_failed(c, found);
}

void retry_texts(call& c) {
  console::retry_texts question;
  question.at = c.now();
  question.from = c.context()->from();
  c.ask(c.to().admin_database, std::move(question), [](call& later, console::kept&) { reply_ok(later); });
}

void reprocess_failed_events(call& c) {
  console::reprocess_failed question;
  question.at = c.now();
  question.from = c.context()->from();
  c.ask(c.to().admin_database, std::move(question), [](call& later, console::events_tried_again& found) {
    reply_object(later, [&](json_writer& to) { to.field("triedAgain", found.events); });
  });
}

} // namespace credence::http::admin
