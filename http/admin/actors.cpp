#include "actors/funds/funds_actor.hpp"
#include "actors/kernel/entity_insides.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/project/project_actor.hpp"
#include "http/admin/admin_context.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/call/acts.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/parameters.hpp"

#include <cmath>
#include <concepts>
#include <optional>
#include <variant>

namespace credence::http::admin {

namespace {

constexpr std::int32_t busiest_max = 50;

struct router_door {
  insides_handle router;
  const insides_handle& to() const noexcept { return router; }
  bool admit(envelope_base&) const { return true; }
};

template <class Door>
router_door door_of(const Door& to) {
  return to ? router_door{insides_handle{to.who()}} : router_door{};
}

/// Nothing for a kind that has no actor for each entity.
std::optional<router_door> router_of(const call& c, std::string_view kind) {
  if (kind == "project")
    return door_of(c.to().projects);
  if (kind == "profile")
    return door_of(c.to().profiles);
  if (kind == "funds")
    return door_of(c.to().funds);
  if (kind == "market" && c.to().trading) // else one actor mirrors all markets of a chain
    return door_of(c.to().markets);
  return std::nullopt;
}

bool is_per_entity(const call& c, std::string_view kind) { return router_of(c, kind).has_value(); }

/// `project:7`.
struct actor_key {
  std::string kind;
  router_door router;
  std::int32_t id = 0;
};
outcome<actor_key> read_key(const call& c) {
  const auto text = c.path_part("key");
  const auto colon = text.find(':');
  const auto kind = text.substr(0, colon);
  const auto id = colon == text.npos ? std::nullopt : parse_integer(text.substr(colon + 1));
  auto router = router_of(c, kind);
  if (!router || !router->router || !id || *id < 1 || *id > limits::id_max)
    return refusal{
      refusal_code::not_found,
      "an actor is named by its kind (project, profile, market or funds) and its id, such as project:7, not "
        + shown(text)};
  return actor_key{std::string{kind}, *std::move(router), static_cast<std::int32_t>(*id)};
}

void write_view(json_writer& to, std::string_view kind, const entity_view& view) {
  to.field("key", std::string{kind} + ":" + std::to_string(view.id));
  to.field("kind", kind);
  to.field("phase", entity_view::phase_names[static_cast<std::size_t>(view.now)]);
  to.field("waiting", view.waiting);
  to.field("messages", view.messages);
  to.field("failures", view.failures);
  to.field("lastMessageAt", ms_of(view.asked));
}

void write_figure(json_writer& to, const figure& figure) {
  to.field("name", figure.name);
  to.key("value");
  std::visit(
    [&]<class Value>(const Value& value) {
      if constexpr (std::same_as<Value, std::monostate>)
        to.null();
      else
        to.value(value);
    },
    figure.value);
}

void write_change(json_writer& to, const recent_change& change) {
  to.field("fact", change.fact);
  to.field("number", change.number);
  to.field("at", ms_of(change.at));
  to.field("fate", change_fate_names[static_cast<std::size_t>(change.fate)]);
}

/// What the actor says of itself; nothing of one that said nothing.
void write_inside(json_writer& to, const std::optional<entity_insides>& inside) {
  to.key("state");
  if (!inside) {
    to.null();
    to.key("changes");
    return to.null();
  }
  to.objects(inside->figures, [&](const auto& each) { write_figure(to, each); });
  to.objects("changes", inside->changes, [&](const auto& each) { write_change(to, each); });
}

std::optional<double> whole_life_ms(const ops::histogram& of, double which) {
  return quantile_ms({}, of.read(), which);
}

void write_kind(json_writer& to, const call& c, std::size_t i) {
  const auto& of = ops::the_metrics().actors[i];
  to.field("kind", ops::actor_kind_names[i]);
  to.field("live", of.live.value());
  to.field("waiting", of.waiting.value());
  to.field("oldestWaitMs", std::round(static_cast<double>(of.oldest_wait_ns.value()) / 1e3) / 1e3);
  to.field("handled", of.handled.value());
  to.field("handledPerSecond", std::round(c.admin_context().history().handled_per_second(i) * 10) / 10);
  to.field("handlingP50Ms", whole_life_ms(of.handling, 0.5));
  to.field("handlingP99Ms", whole_life_ms(of.handling, 0.99));
  to.field("spawned", of.spawned.value());
  to.field("stoppedIdle", of.stopped_idle.value());
  to.field("restarts", of.failed.value());
  to.field("refusedFull", of.refused_full.value());
  to.field("perEntity", is_per_entity(c, ops::actor_kind_names[i]));
}

void look_and(call& c, look_at_entity::also then, const char* act) {
  const auto named = c.value_of(read_key(c));
  const auto before = co_await c.ask(named.router, look_at_entity{named.id, look_at_entity::also::nothing});
  const auto after = co_await c.ask(named.router, look_at_entity{named.id, then});
  auto done = act_of(c, act, named.kind + ":" + std::to_string(named.id),
                     std::string{entity_view::phase_names[static_cast<std::size_t>(before.now)]},
                     std::string{entity_view::phase_names[static_cast<std::size_t>(after.now)]});
  co_await c.ask(c.to().acts, std::move(done));
  reply_object(c, [&](json_writer& to) { write_view(to, named.kind, after); });
}

} // namespace

void list_actors(call& c) {
  reply_object(c, [&](json_writer& to) {
    to.field("at", ms_of(c.now()));
    to.array("values", [&] {
      for (std::size_t i = 0; i < ops::actor_kind_names.size(); ++i)
        to.object([&] { write_kind(to, c, i); });
    });
  });
}

void list_busiest_actors(call& c) {
  auto& given = c.given();
  const auto kind = std::string{given.text("kind").value_or(std::string_view{})};
  const auto limit = given.integer_or("limit", 10, {1, busiest_max});
  auto router = router_of(c, kind);
  if (given.good() && (!router || !router->router))
    given.issue("kind must be one that GET /admin/api/v1/actors shows as perEntity, such as project");
  if (c.refuse_mistakes())
    return;
  c.ask(*router, list_busiest{limit}, [kind](call& later, std::vector<entity_view>& found) {
    reply_values(later, found, [&](json_writer& to, const entity_view& view) { write_view(to, kind, view); });
  });
}

void get_actor(call& c) {
  const auto key = c.value_of(read_key(c));
  c.ask(key.router, inspect_entity{key.id}, [kind = key.kind](call& later, inspected_entity& found) {
    reply_object(later, [&](json_writer& to) {
      write_view(to, kind, found.seen);
      write_inside(to, found.inside);
    });
  });
}

void reload_actor(call& c) { look_and(c, look_at_entity::also::reload, "actor_reloaded"); }
void stop_actor(call& c) { look_and(c, look_at_entity::also::stop, "actor_stopped"); }

} // namespace credence::http::admin
