#pragma once

#include "persistence/postgres/connection.hpp"
#include "persistence/writer/fact_columns.hpp"

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// How changes are written.
namespace credence::persistence {

/// The statements of one batch, in order.
class batch_statements {
public:
  void clear() {
    statements_.clear();
    texts_.clear();
    rare_.clear();
  }
  void put(const statement& which, parameters with) {
    rare_.push_back(std::move(with));
    borrow(which, rare_.back());
  }
  /// The same for parameters that stay as they are until the batch has been sent.
  void borrow(const statement& which, const parameters& with) {
    statements_.push_back({which.name.c_str(), &with});
    texts_.push_back(which.sql.c_str());
  }
  std::span<const pipelined> all() const noexcept { return statements_; }
  /// Runs them one by one, without having prepared them.
  void run(connection& on, steady_time deadline) const {
    for (std::size_t i = 0; i < statements_.size(); ++i)
      on.exec_params(texts_[i], *statements_[i].with, deadline);
  }

private:
  std::vector<pipelined> statements_;
  std::vector<const char*> texts_;
  std::deque<parameters> rare_;
};

/// How one kind of change is written; one that lacks it does not compile. An encoder has one object of each:
///
///   static statements_used used();                              what it needs prepared
///   void clear();                                               for the next batch
///   void add(const F&, global_seq number, batch_statements&);   each change, in order
///   void finish(batch_statements&);                             after the last one
///
/// and, where it is sensible: `using after = types<…>`, kinds whose changes so far are written before each of its own.
template <class F>
struct sql_of;
using statements_used = std::vector<const statement*>;

/// Writes changes of one kind outside of a batch; the first takes `number`.
template <class F>
void write_now(connection& on, std::span<const F> all, global_seq number, steady_time deadline) {
  sql_of<F> kind;
  batch_statements statements;
  for (const auto& each : all)
    kind.add(each, number++, statements);
  kind.finish(statements);
  statements.run(on, deadline);
}
template <class F>
void write_now(connection& on, const F& one, global_seq number, steady_time deadline) {
  write_now(on, std::span{&one, 1}, number, deadline);
}

/// For kinds whose `add` puts statements of its own.
struct written_freely {
  void clear() {}
  void finish(batch_statements&) {}
};

/// One INSERT, with the columns of its description, for all changes of a batch.
template <class F, const statement& Which>
class written_together {
public:
  static statements_used used() { return {&Which}; }
  void clear() {
    begun_ = 0;
    growing_ = false;
  }
  void add(const F& change, global_seq number, batch_statements&) {
    if (!std::exchange(growing_, true)) {
      if (begun_ == rows_.size())
        rows_.emplace_back();
      rows_[begun_++].clear();
    }
    rows_[begun_ - 1].add(change, number);
  }
  /// Writes what has come so far; more may come.
  void finish(batch_statements& to) {
    if (std::exchange(growing_, false))
      to.borrow(Which, rows_[begun_ - 1].finish());
  }

private:
  std::deque<fact_columns<F>> rows_; // kept from one batch to the next
  std::size_t begun_ = 0;            // of them, in this batch
  bool growing_ = false;             // the last of those
};

/// The same for each change by itself, at its place among the others.
template <class F, const statement& Which>
class written_in_turn : public written_together<F, Which> {
public:
  void add(const F& change, global_seq number, batch_statements& to) {
    written_together<F, Which>::add(change, number, to);
    this->finish(to);
  }
};

} // namespace credence::persistence
