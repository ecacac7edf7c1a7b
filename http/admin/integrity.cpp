#include "http/admin/analysis_json.hpp"

#include "actors/integrity/integrity_actor.hpp"
#include "actors/integrity/rings.hpp"
#include "http/admin/admin_context.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/api/replies.hpp"
#include "http/call/acts.hpp"
#include "http/call/coroutine.hpp"

#include <algorithm>
#include <cmath>

namespace credence::http {

namespace admin {

namespace {

using integrity::found_group;
using integrity::moment;
using integrity::sign;
using integrity::sign_seen;

timestamp at_second(std::uint32_t second) { return timestamp{std::chrono::seconds{second}}; }

std::string count_text(std::int64_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string text_of(const sign_seen& seen) {
  const auto pairs = count_text(seen.pairs, "pair", "pairs");
  const auto chance = "; by chance " + unlikely_text(seen.decades);
  switch (seen.what) {
    case sign::same_seconds: return pairs + " voted alike within the same seconds on three projects or more" + chance;
    case sign::fresh_alike: return pairs + " voted alike within the same hours in the week after they joined" + chance;
    case sign::reciprocal: return pairs + " speak well of each other" + chance;
    case sign::burst:
      return count_text(seen.pairs, "vote", "votes")
             + " of newcomers came within a minute to a project that newcomers seldom vote on" + chance;
  }
  return {};
}

std::string text_of(const moment& here) {
  const auto seconds = std::int64_t{here.last} - here.first + 1;
  return count_text(static_cast<std::int64_t>(here.who.size()), "member", "members") + " voted "
         + (integrity::is_bullish(here.cause) ? "bullish" : "bearish") + " on project "
         + std::to_string(integrity::project_of(here.cause).value) + " within "
         + count_text(seconds, "second", "seconds");
}

void write_text(json_writer& to, const std::string& text) {
  to.object([&] { to.field("text", text); });
}

void write_evidence(json_writer& to, const found_group& group) {
  to.array("evidence", [&] {
    for (const auto& each : group.signs)
      write_text(to, text_of(each));
    constexpr std::array<const char*, integrity::tie_kinds> words{" review each other", " vouch for each other",
                                                                  " vote up each other's reviews"};
    for (std::size_t kind = 0; kind < words.size(); ++kind)
      if (group.mutual[kind] > 0)
        write_text(to, count_text(group.mutual[kind], "pair", "pairs") + words[kind]);
    for (const auto& each : group.moments) {
      to.begin_object();
      to.field("text", text_of(each));
      to.field("at", ms_of(at_second(each.first)));
      to.field("projectId", integrity::project_of(each.cause));
      to.end_object();
    }
  });
}

void write_finding(json_writer& to, const found_group& group) {
  to.field("id", std::to_string(group.members.front().profile) + "-" + std::to_string(group.members.size()));
  write_group(to, group);
  const auto [first, last] = integrity::span_of(group);
  to.field("firstAt", ms_of(at_second(first)));
  to.field("lastAt", ms_of(at_second(last)));
}

/// The groups that belong to a list: those of one sign, or, without one, of several.
void write_list(json_writer& to, json_name name, const integrity::findings* found, std::optional<sign> only) {
  to.array(name, [&] {
    if (found)
      for (const auto& group : found->groups) {
        const auto own = group.signs.size() == 1 ? std::optional{group.signs.front().what} : std::nullopt;
        if (own == only)
          to.object([&] { write_finding(to, group); });
      }
  });
}

} // namespace

void write_group(json_writer& to, const found_group& group) {
  to.array("profiles", group.members, [&](const auto& each) { to.value(each.profile); });
  to.field("size", static_cast<std::int64_t>(group.members.size()));
  to.field("confidence", 1 - std::pow(10.0, -group.decades / 10));
  to.field("summary", summary_of(group));
  write_evidence(to, group);
}

std::string unlikely_text(double decades) {
  return "less than once in 10^" + std::to_string(static_cast<std::int64_t>(std::floor(std::max(decades, 0.0))));
}

std::string summary_of(const found_group& group) {
  auto out = count_text(static_cast<std::int64_t>(group.members.size()), "profile", "profiles");
  if (group.moments_all > 0)
    out += " that voted together within seconds " + count_text(group.moments_all, "time", "times");
  else if (!group.signs.empty() && group.signs.front().what == sign::reciprocal)
    out += " that speak well of each other";
  else
    out += " that joined and voted alike";
  return out + "; chance does this " + unlikely_text(group.decades);
}

} // namespace admin

void encode(json_writer& to, const integrity::analysis& how) {
  using integrity::sign;
  const auto* found = how.found.get();
  to.begin_object();
  to.field("state", integrity::analysis_state_names[static_cast<std::size_t>(how.state)]);
  to.field("startedAt", admin::ms_of(how.started_at));
  to.field("endedAt", admin::ms_of(how.ended_at));
  to.field("share", how.share);
  to.field("error", how.error.empty() ? std::nullopt : std::optional{how.error});
  to.field("foundAt", admin::ms_of(how.found_at));
  to.field("votes", found ? std::optional{found->votes} : std::nullopt);
  to.field("people", found ? std::optional{found->people} : std::nullopt);
  admin::write_list(to, "groups", found, std::nullopt);
  admin::write_list(to, "reciprocal", found, sign::reciprocal);
  admin::write_list(to, "bursts", found, sign::burst);
  admin::write_list(to, "sameSecond", found, sign::same_seconds);
  admin::write_list(to, "fresh", found, sign::fresh_alike);
  to.end_object();
}

} // namespace credence::http

namespace credence::http::admin {

void get_integrity(call& c) { c.ask(c.to().integrity, integrity::get_analysis{}, &reply_with<integrity::analysis>); }

/// One that runs already is answered as it is, and the audit tells of none.
void start_analysis(call& c) {
  const auto before = co_await c.ask(c.to().integrity, integrity::get_analysis{});
  if (before.state != integrity::analysis_state::running) {
    auto act = act_of(c, "integrity_analysed", "votes and ties of 90 days", std::nullopt, std::nullopt);
    co_await c.ask(c.to().acts, std::move(act));
  }
  const auto now = co_await c.ask(c.to().integrity, integrity::start_analysis{});
  json_writer to{c.out()};
  encode(to, now);
  c.reply(202);
}

void stop_analysis(call& c) {
  const auto before = co_await c.ask(c.to().integrity, integrity::get_analysis{});
  if (before.state == integrity::analysis_state::running) {
    auto act = act_of(c, "integrity_analysis_stopped", "votes and ties of 90 days", "running", "stopped");
    co_await c.ask(c.to().acts, std::move(act));
    co_await c.ask(c.to().integrity, integrity::stop_analysis{});
  }
  reply_ok(c);
}

} // namespace credence::http::admin
