#include "persistence/writer/batch_encoder.hpp"

#include "persistence/sql/all_sql.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <type_traits>
#include <utility>

namespace credence::persistence {

namespace {

// Two transactions may not make records and scores beside each other (decision 58).
const statement lock_records{"lock_records", "SELECT lock_records()"};

template <class... F>
struct used_by {
  static std::vector<statements_used> all() { return {sql_of<F>::used()...}; }
};

/// The columns of each kind. Bases, as a std::tuple of a hundred takes long to compile.
template <class... F>
struct each_sql : sql_of<F>... {
  /// The kind at that place has a change in this batch.
  void use(std::size_t kind) { used_[kind] = true; }
  /// Those that have. The columns of all others are far from the processor's caches, and most batches are small.
  template <class Write>
  void for_each_used(Write&& write) {
    const auto* used = used_.data();
    (void(*used++ ? (write(static_cast<sql_of<F>&>(*this)), 0) : 0), ...);
  }
  void clear() {
    for_each_used([](auto& each) { each.clear(); });
    used_.fill(false);
  }
  template <class... Some, class Write>
  void for_each_of(types<Some...>, Write&& write) {
    (write(static_cast<sql_of<Some>&>(*this)), ...);
  }

private:
  std::array<bool, sizeof...(F)> used_{};
};
static_assert(std::is_base_of_v<made_of<one_of, all_facts>, change>,
              "a change's place among all is that of its columns");

} // namespace

/// What lies between two batches: the columns of each kind.
struct batch_encoder::buffers {
  made_of<each_sql, all_facts> kinds;
  effect_columns effects;
  audit_columns audit;
};

batch_encoder::batch_encoder() : buffers_(std::make_unique<buffers>()) {}
batch_encoder::~batch_encoder() = default;

void batch_encoder::prepare(connection& on, steady_time deadline) {
  std::set<const statement*> prepared; // some are used by several kinds
  auto all = made_of<used_by, all_facts>::all();
  all.push_back({&lock_records, &fence_sql::begin, &effect_columns::how, &audit_columns::how});
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

bool batch_encoder::meets_records(const batch& from) {
  return std::any_of(from.entries.begin(), from.entries.end(), [](const batch::entry& each) {
    return !each.refused && !is_apart_from_records(each.request.change);
  });
}

std::span<const pipelined> batch_encoder::encode(const batch& from, const claim& mine) {
  fence_sql::fill(fence_, mine, from.identity);
  statements_.clear();
  lone_ = take_short_way(from);
  return lone_ ? statements_.all() : encode_long(from, mine);
}

void batch_encoder::add(const change& change, global_seq number) {
  buffers_->kinds.use(change.index());
  visit(
    [&]<class F>(const F& each) {
      if constexpr (requires { typename sql_of<F>::after; })
        buffers_->kinds.for_each_of(typename sql_of<F>::after{}, [&](auto& before) { before.finish(statements_); });
      static_cast<sql_of<F>&>(buffers_->kinds).add(each, number, statements_);
    },
    change);
}

std::span<const pipelined> batch_encoder::encode_long(const batch& from, const claim& mine) {
  buffers_->kinds.clear();
  buffers_->effects.clear();
  buffers_->audit.clear();
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
  buffers_->kinds.for_each_used([this](auto& each) { each.finish(statements_); });
  if (!buffers_->effects.empty())
    statements_.borrow(effect_columns::how, buffers_->effects.finish());
  if (!buffers_->audit.empty())
    statements_.borrow(audit_columns::how, buffers_->audit.finish());
  return statements_.all();
}

} // namespace credence::persistence
