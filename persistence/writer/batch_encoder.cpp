#include "persistence/writer/batch_encoder.hpp"

#include "actors/store.hpp"
#include "persistence/sql/audit_sql.hpp"
#include "persistence/sql/idempotency_sql.hpp"
#include "persistence/sql/project_sql.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

namespace credence::persistence {

namespace {

// Two transactions may not make records and scores beside each other (decision 58).
const statement lock_records{"lock_records", "SELECT lock_records()"};
// What is worked out again if it is lost makes nobody wait for a disk or a standby. What is written later and does wait
// takes it along, as the log is written in order.
const statement wait_for_nothing{"wait_for_nothing", "SELECT set_config('synchronous_commit', 'off', true)"};

/// How each kind is written, at the kind's place among all.
template <class... F>
struct each_sql {
  static std::vector<fact_sql_ptr> all() {
    std::vector<fact_sql_ptr> out;
    out.reserve(sizeof...(F));
    (out.push_back(sql_of(kind<F>{})), ...);
    return out;
  }
  static std::size_t place_of(std::string_view name) {
    static constexpr std::array<std::string_view, sizeof...(F)> names{fact<F>::name...};
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
};
static_assert(std::is_base_of_v<made_of<one_of, all_facts>, change>,
              "a change's place among all is that of its kind's SQL");

} // namespace

/// What lies between two batches: the columns of each kind.
struct batch_encoder::buffers {
  struct written_kind {
    fact_sql_ptr how;
    std::vector<fact_sql*> after;
    bool used = false; // has a change in this batch: the columns of all others are far from the processor's caches
  };

  buffers() {
    for (auto& each : made_of<each_sql, all_facts>::all())
      kinds.push_back({std::move(each), {}});
    for (auto& each : kinds)
      for (const auto name : each.how->after)
        each.after.push_back(kinds.at(made_of<each_sql, all_facts>::place_of(name)).how.get());
  }
  void clear() {
    for (auto& each : kinds)
      if (std::exchange(each.used, false))
        each.how->clear();
    effects.clear();
    audit.clear();
  }

  std::vector<written_kind> kinds;
  effect_columns effects;
  audit_columns audit;
};

batch_encoder::batch_encoder() : buffers_(std::make_unique<buffers>()) {}
batch_encoder::~batch_encoder() = default;

void batch_encoder::prepare(connection& on, steady_time deadline) {
  std::set<const statement*> prepared; // some are used by several kinds
  std::vector<statements_used> all{
    {&lock_records, &wait_for_nothing, &fence_sql::begin, &effect_columns::how, &audit_columns::how, &lone_vote}};
  for (const auto& each : made_of<each_sql, all_facts>::all())
    all.push_back(each->used);
  for (const auto& of_kind : all)
    for (const auto* each : of_kind)
      if (prepared.insert(each).second)
        on.prepare(each->name.c_str(), each->sql.c_str(), deadline);
}

/// One vote by itself, as most come when it is quiet: what begins a batch and the vote are one statement.
bool batch_encoder::take_short_way(const batch& from) {
  const batch::entry* only = nullptr;
  for (const auto& each : from.entries) {
    if (each.refused)
      continue;
    if (only || each.request.context)
      return false;
    only = &each;
  }
  const auto* vote = only ? get_if<project::vote_cast>(&only->request.change) : nullptr;
  if (vote) {
    add_lone_vote(fence_, *vote, from.identity.first_seq);
    statements_.borrow(lone_vote, fence_);
  }
  return vote != nullptr;
}

bool batch_encoder::meets_records(const batch& from) {
  return std::any_of(from.entries.begin(), from.entries.end(), [](const batch::entry& each) {
    return !each.refused && !commutes_with_chain(each.request.change);
  });
}

/// An empty batch is none such: it shows that the disk takes what is written.
bool batch_encoder::is_derived(const batch& from) {
  return from.accepted() > 0 && std::all_of(from.entries.begin(), from.entries.end(), [](const batch::entry& each) {
           return each.refused || (credence::is_derived(each.request.change) && !each.request.context);
         });
}

std::span<const pipelined> batch_encoder::encode(const batch& from, const claim& mine) {
  fence_sql::fill(fence_, mine, from.identity);
  statements_.clear();
  lone_ = take_short_way(from);
  return lone_ ? statements_.all() : encode_long(from, mine);
}

void batch_encoder::add(const change& change, global_seq number) {
  auto& kind = buffers_->kinds[change.index()];
  kind.used = true;
  for (auto* before : kind.after)
    before->finish(statements_);
  visit([&](const auto& each) { kind.how->add(&each, number, statements_); }, change);
}

std::span<const pipelined> batch_encoder::encode_long(const batch& from, const claim& mine) {
  buffers_->clear();
  statements_.clear();
  fence_sql::fill(fence_, mine, from.identity);
  // Who closes a period holds the lock and the first shard's row, and takes the rows of all: so the chain's writer
  // takes the lock first.
  const bool locks = meets_records(from);
  if (locks && mine.of == shard::chain)
    statements_.borrow(lock_records, nothing_);
  statements_.borrow(fence_sql::begin, fence_);
  if (locks && mine.of == shard::service)
    statements_.borrow(lock_records, nothing_);
  if (is_derived(from))
    statements_.borrow(wait_for_nothing, nothing_);
  auto seq = from.identity.first_seq;
  for (const auto& each : from.entries) {
    if (each.refused)
      continue;
    const auto& record = each.request.change;
    add(record, seq);
    if (const auto& context = each.request.context; context && context->idempotent())
      buffers_->effects.add(*context, effect_of(record, seq));
    buffers_->audit.add(record, each.request.context.get(), seq);
    seq += takes_number(record) ? 1 : 0;
  }
  for (auto& each : buffers_->kinds)
    if (each.used)
      each.how->finish(statements_);
  if (!buffers_->effects.empty())
    statements_.borrow(effect_columns::how, buffers_->effects.finish());
  if (!buffers_->audit.empty())
    statements_.borrow(audit_columns::how, buffers_->audit.finish());
  return statements_.all();
}

} // namespace credence::persistence
