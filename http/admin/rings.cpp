#include "actors/console/admin_database.hpp"
#include "actors/integrity/integrity_actor.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/oversight/oversight_storage.hpp"
#include "actors/profile/profile_actor.hpp"
#include "http/admin/admin_context.hpp"
#include "http/admin/analysis_json.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/api/replies.hpp"
#include "http/call/acts.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/record_body.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace credence::http::admin {

namespace {

using integrity::ring;
using integrity::ring_run;

constexpr std::size_t remark_length_max = 500;

/// Members that one request acts on. Each has at most 25 keys, a right and a market, which are changed one after the
/// other: the shared writer has one change of this at a time.
constexpr std::ptrdiff_t acted_on_at_once = 5;
constexpr std::int32_t keys_of_one = 200;

void write_ring(json_writer& to, const ring& of) {
  to.field("ringId", of.id);
  to.field("change", word_of(of.change));
  to.field("mark", word_of(of.mark));
  to.field("markedBy", of.marked_by.empty() ? std::nullopt : std::optional{of.marked_by});
  to.field("markedAt", ms_of(of.marked_at));
  to.field("remark", of.remark);
  to.field("firstFoundAt", ms_of(of.first_found));
  to.field("lastFoundAt", ms_of(of.last_found));
  to.field("runs", of.runs);
  write_group(to, integrity::group_of(of));
  to.field("firstAt", ms_of(of.first_at));
  to.field("lastAt", ms_of(of.last_at));
}

void write_run(json_writer& to, const ring_run& of) {
  to.field("startedAt", ms_of(of.started_at));
  to.field("endedAt", ms_of(of.ended_at));
  to.field("votes", of.votes);
  to.field("people", of.people);
  to.field("found", of.found);
  to.field("new", of.fresh);
  to.field("grown", of.grown);
  to.field("gone", of.gone);
}

/// A page of them, from `offset` on.
void reply_rings(call& c, const console::stored_rings& all, const std::vector<const ring*>& wanted, std::size_t offset,
                 std::size_t limit) {
  const auto begin = std::min(offset, wanted.size());
  const auto end = std::min(begin + limit, wanted.size());
  reply_object(c, [&](json_writer& to) {
    to.array("values", [&] {
      for (auto i = begin; i < end; ++i)
        to.object([&] { write_ring(to, *wanted[i]); });
    });
    to.field("next", end < wanted.size() ? std::optional{std::to_string(end)} : std::nullopt);
    to.field("total", wanted.size());
    to.objects("runs", all.runs, [&](const auto& each) { write_run(to, each); });
  });
}

std::int32_t read_ring_id(call& c) { return c.path_id<profile_id>("ringId").value; }

/// How many runs had found the ring when the caller looked at it.
std::int32_t read_runs(json_body& body) {
  const auto given = body.integer("runs");
  if (body.good() && (!given || *given < 1 || *given > limits::id_max))
    body.issue("runs is required: how many runs have found the ring, as the list says"
               + (given ? ", not " + std::to_string(*given) : ""));
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(given.value_or(1), 1, limits::id_max));
}

console::mark_ring read_mark(call& c) {
  console::mark_ring out;
  out.ring = read_ring_id(c);
  auto& body = c.json();
  out.mark = static_cast<integrity::ring_mark>(read_one_of(body, "mark", integrity::ring_mark_names));
  out.runs = read_runs(body);
  out.remark = read_words_if_any(body, "remark", 0, remark_length_max).value_or("");
  out.by = c.operated_by()->name;
  out.at = c.now();
  out.from = c.context()->from();
  return out;
}

/// What is done to each member.
struct acts_wanted {
  bool keys = false;
  bool access = false;
  bool market = false;
};
constexpr std::array<std::string_view, 3> act_names{"revoke_keys", "take_api_access", "freeze_market"};

struct ring_order {
  std::int32_t ring = 0;
  std::int32_t runs = 0;
  acts_wanted acts;
  std::int32_t after = 0; // members behind this one
  bool dry_run = false;
};

acts_wanted read_acts(json_body& body) {
  acts_wanted out;
  const auto given = body.texts("acts", act_names.size());
  if (body.good() && (!given || given->empty()))
    body.issue("acts is required: a list of 'revoke_keys', 'take_api_access' and 'freeze_market'");
  for (const auto each : given.value_or(std::vector<std::string_view>{})) {
    out.keys = out.keys || each == act_names[0];
    out.access = out.access || each == act_names[1];
    out.market = out.market || each == act_names[2];
    if (std::find(act_names.begin(), act_names.end(), each) == act_names.end())
      body.issue("acts must be 'revoke_keys', 'take_api_access' or 'freeze_market', not " + shown(each));
  }
  return out;
}

std::string words_of_acts(const acts_wanted& of) {
  std::string out;
  const std::array<bool, act_names.size()> wanted{of.keys, of.access, of.market};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i])
      out.append(out.empty() ? "" : ", ").append(act_names[i]);
  return out;
}

std::string words_of_profiles(const std::vector<std::int32_t>& of) {
  std::string out;
  for (const auto each : of)
    out.append(out.empty() ? (of.size() == 1 ? "profile " : "profiles ") : ", ").append(std::to_string(each));
  return out;
}

ring_order read_order(call& c) {
  ring_order out;
  out.dry_run = read_dry_run(c.given());
  out.ring = read_ring_id(c);
  auto& body = c.json();
  out.acts = read_acts(body);
  out.runs = read_runs(body);
  const auto after = body.integer("after").value_or(0);
  if (after < 0 || after > limits::id_max)
    body.issue("after must be the `next` of the answer before, not " + std::to_string(after));
  out.after = static_cast<std::int32_t>(std::clamp<std::int64_t>(after, 0, limits::id_max));
  const auto typed = std::to_string(out.ring);
  if (const auto confirm = body.text("confirm"); body.good() && confirm != std::string_view{typed})
    body.issue("confirm must be the id of the ring, " + typed + (confirm ? ", not " + shown(*confirm) : ""));
  return out;
}

/// What was done to a member, or would be.
struct acted_on {
  std::int32_t profile = 0;
  std::int64_t keys = 0;
  bool access = false;
  bool market = false;
  std::string refused; // why the market is not frozen
};

void reply_acted(call& c, const ring_order& by, const std::vector<acted_on>& done, bool more) {
  reply_object(c, [&](json_writer& to) {
    to.field("dryRun", by.dry_run);
    to.objects("done", done, [&](const auto& each) {
      to.field("profileId", each.profile);
      to.field("keysRevoked", each.keys);
      to.field("apiAccessTaken", each.access);
      to.field("marketFrozen", each.market);
      to.field("refused", each.refused.empty() ? std::nullopt : std::optional{each.refused});
    });
    to.field("next", more ? std::optional{done.back().profile} : std::nullopt);
  });
}

} // namespace

void list_rings(call& c) {
  const auto mark = c.given().choice("mark", integrity::ring_mark_names);
  const auto limit = read_limit(c.given());
  const auto offset = c.given().integer_or("cursor", 0, {0, static_cast<std::int64_t>(integrity::rings_kept_max)});
  c.ask(c.to().admin_database, console::read_rings{},
        [mark, limit, offset](call& later, std::shared_ptr<const console::stored_rings>& found) {
          std::vector<const ring*> wanted;
          for (const auto& each : found->rings)
            if (!mark || static_cast<std::size_t>(each.mark) == *mark)
              wanted.push_back(&each);
          reply_rings(later, *found, wanted, static_cast<std::size_t>(offset), static_cast<std::size_t>(limit));
        });
}

void store_findings(call& c) {
  const auto last = co_await c.ask(c.to().integrity, integrity::get_analysis{});
  if (!last.found)
    co_return c.refuse({refusal_code::not_found, "no analysis has come to its end since the server started"});
  console::store_findings order{last.found, *last.found_began_at, *last.found_at, c.now(), c.context()->from()};
  const auto run = co_await c.ask(c.to().admin_database, std::move(order));
  reply_object(c, [&](json_writer& to) {
    to.field("stored", run.has_value());
    to.object_or_null("run", run, [&](const ring_run& of) { write_run(to, of); });
  });
}

void mark_ring(call& c) {
  c.ask(c.to().admin_database, read_mark(c),
        [](call& later, ring& marked) { reply_object(later, [&](json_writer& to) { write_ring(to, marked); }); });
}

void review_ring(call& c) {
  c.ask(c.to().admin_database, console::review_ring{read_ring_id(c)}, [](call& later, console::ring_review& found) {
    reply_object(later, [&](json_writer& to) {
      to.objects("votes", found.votes, [&](const console::shared_vote& each) {
        to.field("projectId", each.project);
        to.field("bullish", each.bullish);
        to.array("profiles", each.voters, [&](std::int32_t who) { to.value(who); });
        to.field("firstAt", ms_of(each.first_at));
        to.field("lastAt", ms_of(each.last_at));
      });
      to.objects("ties", found.ties, [&](const console::ring_tie& each) {
        to.field("kind", integrity::tie_kind_names[static_cast<std::size_t>(each.kind)]);
        to.field("from", each.giver);
        to.field("to", each.receiver);
        to.field("at", ms_of(each.at));
      });
    });
  });
}

/// Each act is the one of its own route, with its own row of the audit. All of them can be repeated, so that whoever
/// got no answer asks again from the same member on. A run that finds the ring between two pieces ends them: the caller
/// has not seen whom it added.
void act_on_ring(call& c) {
  const auto by = read_order(c);
  const auto found = co_await c.ask(c.to().admin_database, console::read_ring{by.ring, by.runs});
  const auto begin = std::upper_bound(found.members.begin(), found.members.end(), by.after);
  const auto end = begin + std::min<std::ptrdiff_t>(acted_on_at_once, found.members.end() - begin);
  const std::vector<std::int32_t> piece(begin, end);
  if (!by.dry_run && !piece.empty()) {
    auto act = act_of(c, "ring_acted_on", "ring " + std::to_string(by.ring), std::nullopt,
                      words_of_acts(by.acts) + " of " + words_of_profiles(piece));
    co_await c.ask(c.to().acts, std::move(act));
  }
  std::vector<acted_on> done;
  for (const auto member : piece) {
    const profile_id who{member};
    acted_on result;
    result.profile = who.value;
    if (by.acts.access) { // first, so that no key is made behind those that are revoked
      const oversight::get_profile_totals question{who};
      const auto status = co_await c.ask(c.to().oversight, question);
      result.access = status.api_access;
      if (result.access && !by.dry_run) {
        console::set_api_access take{who, false, c.now(), c.context()->from()};
        co_await c.ask(c.to().admin_database, std::move(take));
      }
    }
    if (by.acts.keys) {
      oversight::list_all_keys question;
      question.profile = who;
      question.limit = keys_of_one;
      question.now = c.now();
      const auto keys = co_await c.ask(c.to().oversight, std::move(question));
      result.keys = static_cast<std::int64_t>(keys.keys.size());
      for (std::size_t i = 0; i < keys.keys.size() && !by.dry_run; ++i) {
        profile::revoke_key revoke{who, keys.keys[i].id};
        co_await c.outcome_of(c.to().profiles, std::move(revoke)); // refused: it was revoked meanwhile
      }
    }
    if (by.acts.market && !c.to().trading) {
      result.refused = "markets are followed from a chain";
    } else if (by.acts.market) {
      const market::get_market question{market_id{who.value}};
      const auto market = co_await c.outcome_of(c.to().markets, question);
      result.market = market && !market->frozen;
      if (result.market && !by.dry_run) {
        const market::set_market_frozen freeze{market_id{who.value}, true};
        const auto frozen = co_await c.outcome_of(c.to().markets, freeze);
        result.market = static_cast<bool>(frozen);
        if (!frozen)
          result.refused = frozen.why().detail;
      }
    }
    done.push_back(std::move(result));
  }
  reply_acted(c, by, done, end != found.members.end());
}

} // namespace credence::http::admin
