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
  to.key("events");
  to.begin_array();
  for (const auto& each : events) {
    to.begin_object();
    to.field("contract", each.contract);
    to.field("event", each.event);
    to.field("applied", each.applied);
    to.field("ignored", each.ignored);
    to.field("failed", each.failed);
    to.end_object();
  }
  to.end_array();
}

void reply_chain(call& c, const chain::chain_status* status, const std::vector<oversight::event_count>& events) {
  const chain::chain_status none;
  const auto& of = status ? *status : none;
  const auto stored = of.tip ? std::optional{of.tip->number} : std::nullopt;
  json_writer to{c.out()};
  to.begin_object();
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
  to.end_object();
  c.reply();
}

void write_failed(json_writer& to, const oversight::failed_events& each) {
  to.begin_object();
  to.field("contract", each.contract);
  to.field("event", each.event);
  to.field("reason", each.reason);
  to.field("events", each.events);
  to.field("lastId", each.last_id);
  to.end_object();
}

void reply_failed(call& c, const std::vector<oversight::failed_events>& found) {
  json_writer to{c.out()};
  write_values(to, found, [&](const oversight::failed_events& each) { write_failed(to, each); });
  c.reply();
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
    json_writer to{later.out()};
    to.begin_object();
    to.field("triedAgain", found.events);
    to.end_object();
    later.reply();
  });
}

} // namespace credence::http::admin
