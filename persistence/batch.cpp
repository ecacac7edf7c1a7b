#include "persistence/batch.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace credence::persistence {

namespace {

using idempotency::answer_recorded;
using market::market_opened;
using market::traded;
using period::period_advanced;
using profile::key_created;
using profile::key_revoked;
using profile::keys_used;
using profile::session_opened;
using profile::session_rotated;
using profile::sessions_ended;
using profile::xp_tipped;
using project::project_tallied;
using project::vote_cast;
using wallet::funds_moved;
using slash::slash_closed;
using slash::slash_opened;
using slash::slash_voted;

constexpr std::size_t rare_size = 256; // of a change that comes seldom, roughly

template <class... Fs>
struct one_each : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
one_each(Fs...) -> one_each<Fs...>;

} // namespace

std::size_t wire_size(const change& what) noexcept {
  return std::visit(one_each{[](const vote_cast& vote) { return 80 + (vote.reason ? vote.reason->size() : 0); },
                             [](const project_tallied& tally) { return 16 + 72 * tally.days.size() + 48 * tally.periods.size(); },
                             [](const xp_tipped& tip) { return 64 + (tip.message ? tip.message->size() : 0); },
                             [](const traded&) { return std::size_t{320}; },
                             [](const keys_used& used) { return 64 * used.uses.size(); },
                             [](const answer_recorded& answer) { return 128 + answer.body.size(); },
                             [](const slash_opened& fresh) {
                               return rare_size + fresh.what.comment.size() + fresh.what.metadata.size();
                             },
                             [](const auto&) { return rare_size; }},
                    what);
}

const char* name_of(const change& what) noexcept {
  return std::visit(one_each{[](const vote_cast&) { return "vote_cast"; },
                             [](const project_tallied&) { return "project_tallied"; },
                             [](const period_advanced&) { return "period_advanced"; },
                             [](const xp_tipped&) { return "xp_tipped"; },
                             [](const key_created&) { return "key_created"; },
                             [](const key_revoked&) { return "key_revoked"; },
                             [](const keys_used&) { return "keys_used"; },
                             [](const session_opened&) { return "session_opened"; },
                             [](const session_rotated&) { return "session_rotated"; },
                             [](const sessions_ended&) { return "sessions_ended"; },
                             [](const answer_recorded&) { return "answer_recorded"; },
                             [](const funds_moved&) { return "funds_moved"; },
                             [](const market_opened&) { return "market_opened"; },
                             [](const traded&) { return "traded"; },
                             [](const slash_opened&) { return "slash_opened"; },
                             [](const slash_voted&) { return "slash_voted"; },
                             [](const slash_closed&) { return "slash_closed"; }},
                    what);
}

bool takes_number(const change& what) noexcept {
  return std::holds_alternative<vote_cast>(what) || std::holds_alternative<period_advanced>(what)
         || std::holds_alternative<slash_opened>(what) || std::holds_alternative<slash_voted>(what)
         || std::holds_alternative<slash_closed>(what) || std::holds_alternative<market_opened>(what) || named_by_number(what);
}

bool named_by_number(const change& what) noexcept {
  return std::holds_alternative<xp_tipped>(what) || std::holds_alternative<traded>(what)
         || std::holds_alternative<funds_moved>(what);
}

std::string effect_of(const change& what, global_seq number) {
  if (named_by_number(what))
    return std::to_string(number);
  return std::visit(one_each{[](const key_created& made) { return made.key.id; },
                             [](const period_advanced& advance) { return std::to_string(advance.opened.id.value); },
                             [](const slash_opened& fresh) { return std::to_string(fresh.what.id.value); },
                             [](const slash_voted& vote) { return std::to_string(vote.weight); },
                             [](const auto&) { return std::string{}; }},
                    what);
}

// -- the batch ---------------------------------------------------------------------------

std::size_t batch::accepted() const noexcept {
  return static_cast<std::size_t>(
    std::count_if(entries.begin(), entries.end(), [](const entry& each) { return !each.refused; }));
}

std::size_t batch::numbered() const noexcept {
  return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [](const entry& each) {
    return !each.refused && takes_number(each.request.what);
  }));
}

batch batch::split() {
  auto stay = accepted() / 2;
  auto at = entries.begin();
  for (; at != entries.end() && stay > 0; ++at)
    stay -= at->refused ? 0 : 1;
  batch later;
  later.entries.assign(std::make_move_iterator(at), std::make_move_iterator(entries.end()));
  entries.erase(at, entries.end());
  return later;
}

// -- statements --------------------------------------------------------------------------

void batch_encoder::prepare(connection& on, steady_time deadline) {
  on.prepare(fence_sql::name, fence_sql::sql, deadline);
  on.prepare(vote_columns::name, vote_columns::sql, deadline);
  on.prepare(lone_vote_sql::name, lone_vote_sql::sql, deadline);
  on.prepare(effect_columns::name, effect_columns::sql, deadline);
  on.prepare(answer_columns::name, answer_columns::sql, deadline);
  on.prepare(tally_columns::days_name, tally_columns::days_sql, deadline);
  on.prepare(tally_columns::periods_name, tally_columns::periods_sql, deadline);
  on.prepare(tally_columns::rollups_name, tally_columns::rollups_sql, deadline);
  on.prepare(period_advance_sql::close_name, period_advance_sql::close_sql, deadline);
  on.prepare(period_advance_sql::open_name, period_advance_sql::open_sql, deadline);
  on.prepare(tip_columns::name, tip_columns::sql, deadline);
  on.prepare(trade_columns::name, trade_columns::sql, deadline);
  on.prepare(audit_columns::name, audit_columns::sql, deadline);
  for (const auto* each : credential_sql::all)
    on.prepare(each->name, each->sql, deadline);
  for (const auto* each : market_sql::all)
    on.prepare(each->name, each->sql, deadline);
  for (const auto* each : slash_sql::all)
    on.prepare(each->name, each->sql, deadline);
}

void batch_encoder::add_rare(const credential_sql::statement& which, parameters with) {
  rare_.push_back(std::move(with));
  statements_.push_back({which.name, &rare_.back()});
}

/// A slash is opened before it is voted on, and closed after.
void batch_encoder::finish_slash_votes() {
  if (std::exchange(slash_votes_grow_, false))
    statements_.push_back({slash_sql::vote.name, &slash_votes_.back().finish()});
}

void batch_encoder::add(const session_opened& what) {
  using sql = credential_sql;
  if (what.by)
    add_rare(sql::use_nonce, sql::use_nonce_with(*what.by, what.opened.profile, what.opened.created_at));
  if (what.in_place_of)
    add_rare(sql::end_sessions, sql::end_sessions_with({*what.in_place_of}, what.opened.created_at));
  add_rare(sql::open_session, sql::open_session_with(what));
}

/// One vote by itself, as most come when it is quiet: what begins a batch and the vote are one statement.
bool batch_encoder::take_short_way(const batch& from) {
  const batch::entry* only = nullptr;
  for (const auto& each : from.entries) {
    if (each.refused)
      continue;
    if (only || each.request.note || !std::holds_alternative<vote_cast>(each.request.what))
      return false;
    only = &each;
  }
  if (!only)
    return false;
  lone_vote_sql::add(fence_, std::get<vote_cast>(only->request.what), from.identity.first_seq);
  statements_.push_back({lone_vote_sql::name, &fence_});
  return true;
}

std::span<const pipelined> batch_encoder::encode(const batch& from, const claim& mine) {
  fence_sql::fill(fence_, mine, from.identity);
  statements_.clear();
  lone_ = take_short_way(from);
  return lone_ ? std::span<const pipelined>{statements_} : encode_long(from, mine);
}

std::span<const pipelined> batch_encoder::encode_long(const batch& from, const claim& mine) {
  votes_.clear();
  tallies_.clear();
  tips_.clear();
  trades_.clear();
  effects_.clear();
  answers_.clear();
  uses_.clear();
  audit_.clear();
  rare_.clear();
  slash_votes_.clear();
  slash_votes_grow_ = false;
  statements_.clear();
  fence_sql::fill(fence_, mine, from.identity);
  statements_.push_back({fence_sql::name, &fence_});
  using sql = credential_sql;
  auto seq = from.identity.first_seq;
  const auto put = one_each{
    [&](const vote_cast& vote) { votes_.add(vote, seq); },
    [&](const xp_tipped& tip) { tips_.add(tip, seq); },
    [&](const project_tallied& tally) { tallies_.add(tally); },
    [&](const period_advanced& advance) {
      add_rare({period_advance_sql::close_name, nullptr}, period_advance_sql::close_with(advance));
      add_rare({period_advance_sql::open_name, nullptr}, period_advance_sql::open_with(advance, seq));
    },
    [&](const key_created& made) {
      add_rare(sql::use_nonce, sql::use_nonce_with(made.by, made.key.profile, made.key.created_at));
      add_rare(sql::create_key, sql::create_key_with(made));
    },
    [&](const key_revoked& revoked) { add_rare(sql::revoke_key, sql::revoke_key_with(revoked)); },
    [&](const keys_used& used) { uses_.add(used); },
    [&](const session_opened& opened) { add(opened); },
    [&](const session_rotated& rotated) { add_rare(sql::rotate_session, sql::rotate_session_with(rotated)); },
    [&](const sessions_ended& ended) { add_rare(sql::end_sessions, sql::end_sessions_with(ended.ids, ended.at)); },
    [&](const answer_recorded& answer) { answers_.add(answer); },
    [&](const funds_moved& moved) { add_rare(market_sql::transfer, market_sql::transfer_with(moved, seq)); },
    [&](const market_opened& opened) {
      add_rare(market_sql::pay_for_market, market_sql::pay_for_market_with(opened, seq));
      add_rare(market_sql::open_market, market_sql::open_market_with(opened, seq));
    },
    [&](const traded& trade) { trades_.add(trade, seq); },
    [&](const slash_opened& fresh) {
      finish_slash_votes();
      add_rare(slash_sql::open, slash_sql::open_with(fresh, seq));
    },
    [&](const slash_voted& vote) {
      if (!slash_votes_grow_)
        slash_votes_.emplace_back();
      slash_votes_grow_ = true;
      slash_votes_.back().add(vote, seq);
    },
    [&](const slash_closed& closed) {
      finish_slash_votes();
      add_rare(slash_sql::close, slash_sql::close_with(closed, seq));
    }};
  for (const auto& each : from.entries) {
    if (each.refused)
      continue;
    const auto& what = each.request.what;
    std::visit(put, what);
    if (const auto& note = each.request.note; note && note->repeatable())
      effects_.add(*note, effect_of(what, seq));
    audit_.add(what, each.request.note.get(), seq);
    seq += takes_number(what) ? 1 : 0;
  }
  finish_slash_votes();
  if (votes_.size() > 0)
    statements_.push_back({vote_columns::name, &votes_.finish()});
  if (tips_.size() > 0)
    statements_.push_back({tip_columns::name, &tips_.finish()});
  if (trades_.size() > 0)
    statements_.push_back({trade_columns::name, &trades_.finish()});
  if (!uses_.empty())
    statements_.push_back({sql::stamp_keys.name, &uses_.finish()});
  if (!effects_.empty())
    statements_.push_back({effect_columns::name, &effects_.finish()});
  if (!answers_.empty())
    statements_.push_back({answer_columns::name, &answers_.finish()});
  if (!audit_.empty())
    statements_.push_back({audit_columns::name, &audit_.finish()});
  if (tallies_.has_days())
    statements_.push_back({tally_columns::days_name, &tallies_.finish_days()});
  if (tallies_.has_periods())
    statements_.push_back({tally_columns::periods_name, &tallies_.finish_periods()});
  if (!tallies_.empty())
    statements_.push_back({tally_columns::rollups_name, &tallies_.finish_rollups()});
  return statements_;
}

// -- outcomes ----------------------------------------------------------------------------

void announcer::count(const write_request& one, write_result result, global_seq as_of, global_seq number) {
  const auto [known, fresh] = last_group_.try_emplace(one.stream.incarnation, groups_.size());
  if (!fresh) {
    auto& last = groups_[known->second].outcome;
    if (last.stream == one.stream && last.result == result && last.number == 0 && number == 0) {
      ++last.count;
      return;
    }
    known->second = groups_.size();
  }
  groups_.push_back({&one.from, {one.stream, result, 1, as_of, number}});
}

void announcer::send() {
  for (const auto& each : groups_)
    tell_(*each.to, each.outcome);
  groups_.clear();
  last_group_.clear();
}

std::size_t announcer::tell(const batch& of, write_result result, global_seq as_of) {
  auto seq = of.identity.first_seq;
  for (const auto& each : of.entries) {
    const auto& one = each.request;
    const auto fate = each.refused.value_or(result);
    const bool named = fate == write_result::stored && named_by_number(one.what);
    count(one, fate, each.refused ? 0 : as_of, named ? seq : 0);
    seq += !each.refused && takes_number(one.what) ? 1 : 0;
  }
  send();
  return of.entries.size();
}

void announcer::tell(const write_request& one, write_result result) {
  tell_(one.from, {one.stream, result, 1, 0, 0});
}

} // namespace credence::persistence
