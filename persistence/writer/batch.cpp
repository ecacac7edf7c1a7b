#include "persistence/writer/batch.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace credence::persistence {

// -- the batch ---------------------------------------------------------------------------

std::size_t batch::accepted() const noexcept {
  return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [](const entry& each) { return !each.refused; }));
}

std::size_t batch::numbered() const noexcept {
  return static_cast<std::size_t>(
    std::count_if(entries.begin(), entries.end(), [](const entry& each) { return !each.refused && takes_number(each.request.change); }));
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

namespace {

template <class... F>
struct used_by {
  static std::vector<statements_used> all() { return {sql_of<F>::used()...}; }
};

template <class... F, class Kinds, class Write>
void for_each_of(types<F...>, Kinds& kinds, Write&& write) {
  (write(std::get<sql_of<F>>(kinds)), ...);
}

} // namespace

void batch_encoder::prepare(connection& on, steady_time deadline) {
  std::set<const statement*> prepared; // some are used by several kinds
  auto all = made_of<used_by, all_facts>::all();
  all.push_back({&fence_sql::begin, &effect_columns::how, &audit_columns::how});
  for (const auto& of_kind : all)
    for (const auto* each : of_kind)
      if (prepared.insert(each).second)
        on.prepare(each->name.c_str(), each->sql.c_str(), deadline);
}

/// One change by itself, as most votes come when it is quiet: what begins a batch and the change are one statement,
/// where its kind has such a one.
bool batch_encoder::take_short_way(const batch& from) {
  const batch::entry* only = nullptr;
  for (const auto& each : from.entries) {
    if (each.refused)
      continue;
    if (only || each.request.context)
      return false;
    only = &each;
  }
  if (!only)
    return false;
  return visit(
    [&]<class F>(const F& function) {
      if constexpr (requires { sql_of<F>::lone(fence_, function, global_seq{}); }) {
        statements_.borrow(sql_of<F>::lone(fence_, function, from.identity.first_seq), fence_);
        return true;
      }
      return false;
    },
    only->request.change);
}

std::span<const pipelined> batch_encoder::encode(const batch& from, const claim& mine) {
  fence_sql::fill(fence_, mine, from.identity);
  statements_.clear();
  lone_ = take_short_way(from);
  return lone_ ? statements_.all() : encode_long(from, mine);
}

void batch_encoder::add(const change& change, global_seq number) {
  visit(
    [&]<class F>(const F& each) {
      if constexpr (requires { typename sql_of<F>::after; })
        for_each_of(typename sql_of<F>::after{}, kinds_, [&](auto& before) { before.finish(statements_); });
      std::get<sql_of<F>>(kinds_).add(each, number, statements_);
    },
    change);
}

std::span<const pipelined> batch_encoder::encode_long(const batch& from, const claim& mine) {
  std::apply([](auto&... each) { (each.clear(), ...); }, kinds_);
  effects_.clear();
  audit_.clear();
  statements_.clear();
  fence_sql::fill(fence_, mine, from.identity);
  statements_.borrow(fence_sql::begin, fence_);
  auto seq = from.identity.first_seq;
  for (const auto& each : from.entries) {
    if (each.refused)
      continue;
    const auto& record = each.request.change;
    add(record, seq);
    if (const auto& context = each.request.context; context && context->idempotent())
      effects_.add(*context, effect_of(record, seq));
    audit_.add(record, each.request.context.get(), seq);
    seq += takes_number(record) ? 1 : 0;
  }
  std::apply([this](auto&... each) { (each.finish(statements_), ...); }, kinds_);
  if (!effects_.empty())
    statements_.borrow(effect_columns::how, effects_.finish());
  if (!audit_.empty())
    statements_.borrow(audit_columns::how, audit_.finish());
  return statements_.all();
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
    const bool named = fate == write_result::stored && named_by_number(one.change);
    count(one, fate, each.refused ? 0 : as_of, named ? seq : 0);
    seq += !each.refused && takes_number(one.change) ? 1 : 0;
  }
  send();
  return of.entries.size();
}

void announcer::tell(const write_request& one, write_result result) { tell_(one.from, {one.stream, result, 1, 0, 0}); }

} // namespace credence::persistence
