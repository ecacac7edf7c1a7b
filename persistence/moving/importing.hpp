#pragma once

#include "actors/period/period_types.hpp"
#include "actors/project/project_state.hpp"
#include "actors/reputation/record_rules.hpp"
#include "persistence/sql/project_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "persistence/writer/fact_sql.hpp"
#include "persistence/writer/takeover.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// Facts that come from elsewhere with the moments at which they came about. They are decided by the rules that
/// requests are decided by, and written by the statements that write those; all in one transaction.
namespace credence::persistence {

/// The transaction of an import. It owns the service's data while it lasts: a server that starts meanwhile waits. Gone
/// without `commit`, it has changed nothing.
class import_run {
public:
  import_run(connection& on, steady_time deadline);

  /// Why nothing may be imported here now, or nothing: a server is running, or a chain tells what the records are.
  std::optional<std::string> hindrance();
  /// Whether there was nobody here before: whatever comes can have its old ids.
  bool was_empty() const noexcept { return was_empty_; }

  connection& on() noexcept { return on_; }
  steady_time deadline() const noexcept { return deadline_; }

  /// Writes changes, which take the next global numbers where their kind takes any.
  template <class Change>
  void write(std::span<const Change> all) {
    write_now(on_, all, last_seq_ + 1, deadline_);
    if (fact<Change>::numbers != numbering::none)
      last_seq_ += static_cast<global_seq>(all.size());
  }

  /// Commits, and takes the data from whoever had it before: a server that has lost its connection for the time being
  /// would go on with what it remembers.
  void commit();

private:
  connection& on_;
  steady_time deadline_;
  transaction all_;
  claim before_; // whose the data is
  batch_identity batch_;
  global_seq last_seq_ = 0;
  bool was_empty_ = false;
};

/// Something that was asked for at a moment.
template <class Question>
struct import_question {
  timestamp at;
  Question question;
};

template <class Question>
using import_decision =
  std::remove_cvref_t<decltype(*decide(std::declval<const reputation::record_rows&>(), std::declval<const Question&>(),
                                       std::declval<const settings::people&>(), timestamp{}))>;
template <class Question>
using import_change = typename decltype(import_decision<Question>::change)::value_type;

/// Decides over records in order, each at its moment, and writes what changes. `adjust` may give a change what it had
/// where it comes from, such as an id. Bounds of a day do not count, as the days are those of another service.
template <class Question>
std::vector<outcome<import_decision<Question>>>
decide_all(import_run& run, const settings::people& how, const std::vector<import_question<Question>>& all,
           const std::function<void(std::size_t, import_change<Question>&)>& adjust = {}) {
  std::vector<outcome<import_decision<Question>>> out;
  if (all.empty())
    return out;
  reputation::record_keys keys;
  for (const auto& each : all)
    add_keys(each.question, keys);
  keys.authors.clear();
  reputation::record_rows rows{read_records_here(run.on(), keys, run.deadline())};
  std::vector<import_change<Question>> changes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    out.push_back(decide(rows, all[i].question, how, all[i].at));
    if (!out.back() || !out.back()->change)
      continue;
    if (adjust)
      adjust(i, *out.back()->change);
    rows.apply(*out.back()->change);
    changes.push_back(*out.back()->change);
  }
  if (!changes.empty())
    run.write(std::span<const import_change<Question>>{changes});
  return out;
}

/// What tells a record from others: its author, what it is about, and when it was made.
struct record_mark {
  profile_id author;
  std::string about;
  timestamp at;
  friend auto operator<=>(const record_mark&, const record_mark&) = default;
};

/// The ids of the records that are there already, in the order asked; 0: there is none. `about` is the subject's key in
/// hex, of a vouch with `/eth` or `/whuf` behind it; of a reply `review/7`.
std::vector<std::int32_t> stored_reviews(import_run& run, const std::vector<record_mark>& which);
std::vector<std::int32_t> stored_vouches(import_run& run, const std::vector<record_mark>& which);
std::vector<std::int32_t> stored_replies(import_run& run, const std::vector<record_mark>& which);

/// A vote that was cast elsewhere.
struct imported_vote {
  timestamp at;
  period_id in;
  project::cast_vote vote;
  std::optional<std::int32_t> weight; // none: by the voter's score here
};

/// Voting periods and the votes in them. All votes of a project stay in memory, some 60 bytes each, as they do in a
/// server.
class imported_votes {
public:
  explicit imported_votes(import_run& run);

  const period::calendar& periods() const noexcept { return periods_; }
  /// Ends the open period, and opens this one, whose id follows.
  void open(const period::voting_period& fresh);
  /// Decides in order and writes. True: it is cast; false: the same vote is there already.
  std::vector<outcome<bool>> cast(const std::vector<imported_vote>& all);
  /// Writes what totals are made from, of projects that had no votes before.
  void finish();

private:
  struct voted {
    std::unique_ptr<project::project_state> state; // null: there is no such project
    bool had_votes = false;
  };
  voted& project_of(project_id which);
  outcome<project::vote_cast> decide(const imported_vote& vote);
  std::vector<bool> there(const std::vector<imported_vote>& all);
  void know_people();

  import_run& run_;
  period::calendar periods_;
  people::people_index people_;
  std::map<project_id, voted> projects_;
  bool any_before_ = false; // votes
};

} // namespace credence::persistence
