#pragma once

#include "persistence/postgres/connection.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_columns.hpp"

#include <cstddef>
#include <deque>
#include <memory>
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

using statements_used = std::vector<const statement*>;

/// How one kind of change is written. An encoder has one of each, which it uses from batch to batch.
class fact_sql {
public:
  explicit fact_sql(statements_used needs) : used(std::move(needs)) {}
  virtual ~fact_sql() = default;
  fact_sql(const fact_sql&) = delete;
  fact_sql& operator=(const fact_sql&) = delete;
  /// For the next batch.
  virtual void clear() {}
  /// Each change of a batch, in order; it is of this kind.
  virtual void add(const void* change, global_seq number, batch_statements& to) = 0;
  /// Writes what has come so far; more may come.
  virtual void finish(batch_statements&) {}

  const statements_used used;          // what it needs prepared
  std::vector<std::string_view> after; // names of kinds whose changes so far are written before each of its own
};
using fact_sql_ptr = std::unique_ptr<fact_sql>;

/// Each kind of change has a function beside the SQL of its entity that says how it is written. It is declared here
/// alone, for all kinds; one that lacks it does not link:
///
///   fact_sql_ptr sql_of(kind<slash::slash_voted> it) { return written_together(it, vote_on_slash); }
///
/// One that takes a number also has a function that says where it lies:
///
///   number_column numbers_of(kind<slash::slash_voted>) { return {"slash_votes"}; }
template <class F>
struct kind {
  friend fact_sql_ptr sql_of(kind);
  friend number_column numbers_of(kind);
};

/// The same with the change's type. What follows are those of most kinds.
template <class F>
class sql_of_kind : public fact_sql {
public:
  using fact_sql::fact_sql;
  void add(const void* change, global_seq number, batch_statements& to) final {
    write(*static_cast<const F*>(change), number, to);
  }

protected:
  virtual void write(const F& change, global_seq number, batch_statements& to) = 0;
};

/// Writes its statements by a function: `add(change, number, statements)`.
template <class F, class Add>
fact_sql_ptr written_by(kind<F>, statements_used used, Add add) {
  class by_function final : public sql_of_kind<F> {
  public:
    by_function(statements_used needs, Add how) : sql_of_kind<F>(std::move(needs)), add_(std::move(how)) {}

  private:
    void write(const F& change, global_seq number, batch_statements& to) override { add_(change, number, to); }
    Add add_;
  };
  return std::make_unique<by_function>(std::move(used), std::move(add));
}

/// Each change by itself, at its place among the others, with its columns as parameters.
template <class F>
fact_sql_ptr written_in_turn(kind<F> it, const statement& which) {
  return written_by(it, {&which}, [&which](const F& change, global_seq number, batch_statements& to) {
    to.put(which, columns_of(change, number));
  });
}

/// One statement, with the columns as arrays, for all changes of a batch.
template <class F>
fact_sql_ptr written_together(kind<F>, const statement& which, statements_used others = {}) {
  class together final : public sql_of_kind<F> {
  public:
    using sql_of_kind<F>::sql_of_kind;
    void clear() override {
      begun_ = 0;
      growing_ = false;
    }
    void finish(batch_statements& to) override {
      if (std::exchange(growing_, false))
        to.borrow(*this->used.front(), rows_[begun_ - 1].finish());
    }

  private:
    void write(const F& change, global_seq number, batch_statements&) override {
      if (!std::exchange(growing_, true)) {
        if (begun_ == rows_.size())
          rows_.emplace_back();
        rows_[begun_++].clear();
      }
      rows_[begun_ - 1].add(change, number);
    }

    std::deque<fact_columns<F>> rows_; // kept from one batch to the next
    std::size_t begun_ = 0;            // of them, in this batch
    bool growing_ = false;             // the last of those
  };
  others.insert(others.begin(), &which);
  return std::make_unique<together>(std::move(others));
}

/// The same, behind the changes so far of those kinds.
template <class... F>
fact_sql_ptr behind(fact_sql_ptr it) {
  it->after = {fact<F>::name...};
  return it;
}

/// Writes changes of one kind outside of a batch; the first takes `number`.
template <class F>
void write_now(connection& on, std::span<const F> all, global_seq number, steady_time deadline) {
  const auto how = sql_of(kind<F>{});
  batch_statements statements;
  for (const auto& each : all)
    how->add(&each, number++, statements);
  how->finish(statements);
  statements.run(on, deadline);
}
template <class F>
void write_now(connection& on, const F& one, global_seq number, steady_time deadline) {
  write_now(on, std::span{&one, 1}, number, deadline);
}

} // namespace credence::persistence
