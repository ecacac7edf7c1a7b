#include "tests/actors/deterministic_world.hpp"

#include "actors/kernel/actor.hpp"
#include "actors/project/project_actor.hpp"
#include "tests/load_answer.hpp"

#include <algorithm>

namespace credence::test {

/// The questions that wait are to be answered.
struct held_answers_due {};

namespace {

class fake_writer : public actor {
public:
  static inline const char* name = "writer";
  using takes = writer_handle::takes;

  void start(std::shared_ptr<fake_storage> storage) { storage_ = std::move(storage); }
  template <class Change>
  void on(write_of<Change>& write) {
    storage_->written.push_back(one_of_all(write));
  }
  void on(const ask<settle>& question) {
    ++storage_->settles;
    question.answer(settled{});
  }

private:
  std::shared_ptr<fake_storage> storage_;
};

/// Answers from what a test has put into the storage; what is not named here is answered with nothing.
class fake_reader : public actor {
public:
  static inline const char* name = "reader";
  using takes = extended<reader_handle, held_answers_due>::takes;

  void start(std::shared_ptr<fake_storage> storage) { storage_ = std::move(storage); }

  load_answer<project::stored_project> on(const project::load_project& q) {
    ++storage_->project_loads;
    if (storage_->loads_fail)
      return failure::unavailable;
    return loaded_short(storage_->projects[q.project],
                        storage_->periods.empty() ? period_id{} : storage_->periods.back().id);
  }

  load_answer<project::stored_history> on(const project::load_history& q) {
    ++storage_->history_loads;
    if (storage_->loads_fail || storage_->history_fails)
      return failure::unavailable;
    const auto& all = storage_->projects[q.project];
    project::stored_history out{{all.votes.begin(), all.votes.begin() + q.through}, all.reasons};
    return held_if(storage_->history_waits, std::move(out));
  }

  load_answer<profile::stored_profile> on(const profile::load_profile& q) {
    if (storage_->loads_fail)
      return failure::unavailable;
    ++storage_->profile_loads;
    auto found = storage_->profiles[q.profile];
    std::erase_if(found.votes, [&](const profile::own_vote& vote) { return vote.in != q.in; });
    return found;
  }

  load_answer<profile::counted_votes> on(const profile::count_votes& q) {
    if (storage_->loads_fail)
      return failure::unavailable;
    ++storage_->vote_counts;
    profile::counted_votes found;
    for (const auto& voter : q.voters) {
      auto& count = found.counts.emplace_back();
      for (const auto& vote : storage_->profiles[voter.who].votes)
        if (vote.in == voter.in)
          ++(vote.side == profile::sentiment::bullish ? count.bullish : count.bearish);
    }
    return found;
  }

  load_answer<people::stored_people> on(const people::load_people& q) {
    people::stored_people page;
    for (const auto& row : storage_->people)
      if (q.named.empty() ? row.profile > q.after && page.rows.size() < static_cast<std::size_t>(q.limit)
                          : std::find(q.named.begin(), q.named.end(), row.profile) != q.named.end())
        page.rows.push_back(row);
    return page;
  }

  load_answer<note::stored_notes> on(const note::load_notes& q) { return unless_failing(storage_->notes[q.author]); }

  load_answer<profile::stored_xp> on(const profile::load_xp& q) { return unless_failing(storage_->xp[q.profile]); }

  load_answer<std::optional<profile::tip_receipt>> on(const profile::get_receipt&) {
    return std::optional<profile::tip_receipt>{storage_->receipt};
  }

  load_answer<std::optional<profile::grant_receipt>> on(const profile::get_grant&) {
    return std::optional<profile::grant_receipt>{storage_->grant};
  }

  load_answer<profile::stored_credentials> on(const profile::load_credentials& q) {
    return unless_failing(storage_->credentials[q.profile]);
  }

  load_answer<idempotency::stored_record> on(const idempotency::load_record& q) {
    if (storage_->loads_fail)
      return failure::unavailable;
    return held_if(storage_->records_wait, storage_->records[q.id]);
  }

  load_answer<idempotency::stored_day> on(const idempotency::load_day& q) {
    return unless_failing(storage_->days[q.profile]);
  }

  load_answer<people::found_people> on(const people::find_people& q) {
    storage_->looks.push_back(q.keys);
    if (storage_->loads_fail)
      return failure::unavailable;
    people::found_people out;
    for (const auto& key : q.keys) // a key leads to the user of its number
      out.people.push_back({user_id{key.number}, std::nullopt, 0, 0});
    return out;
  }

  load_answer<people::people_by_key> on(const people::get_people& q) {
    return people::people_by_key{std::vector<people::user_ptr>(q.keys.size())};
  }

  load_answer<period::stored_periods> on(const period::load_periods&) {
    if (storage_->loads_fail || storage_->periods_fail)
      return failure::unavailable;
    return period::stored_periods{storage_->periods};
  }

  load_answer<period::electorate> on(const period::load_electorate&) { return period::electorate{7, 3}; }

  load_answer<listing::stored_listings> on(const listing::load_listings&) { return storage_->listings; }

  load_answer<funds::stored_funds> on(const funds::load_funds& q) { return storage_->funds[q.profile]; }

  load_answer<market::stored_market> on(const market::load_market& q) { return storage_->markets[q.market]; }

  load_answer<market::position> on(const market::load_position& q) {
    ++storage_->position_loads;
    const auto& all = storage_->positions[q.market];
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.who == q.who; });
    return found == all.end() ? market::position{q.who, 0, 0} : *found;
  }

  load_answer<market::stored_positions> on(const market::load_positions& q) {
    if (storage_->loads_fail)
      return failure::unavailable;
    ++storage_->positions_loads;
    market::stored_positions out;
    for (const auto& each : storage_->positions[q.market])
      if (q.after < each.who && out.positions.size() < static_cast<std::size_t>(q.most))
        out.positions.push_back(each);
    if (const auto& book = storage_->markets[q.market].book)
      out.trades = book->trades;
    return out;
  }

  load_answer<market::stored_names> on(const market::load_names& q) {
    storage_->names_asked.push_back(q);
    if (storage_->loads_fail || storage_->names.empty())
      return failure::unavailable;
    auto next = std::move(storage_->names.front());
    storage_->names.pop_front();
    return next;
  }

  load_answer<std::vector<market::market_view>> on(const market::get_markets& q) {
    std::vector<market::market_view> out;
    for (const auto each : q.markets)
      out.emplace_back().id = each;
    return out;
  }

  load_answer<reputation::notice_list> on(const reputation::list_notices&) {
    reputation::notice_list out;
    out.total = ++storage_->notices_asked;
    return out;
  }

  load_answer<std::vector<market::market_view>> on(const market::get_ranked_markets& q) {
    ++storage_->ranked_markets_asked;
    return on(market::get_markets{q.markets, q.now});
  }

  load_answer<std::vector<market::profit_row>> on(const market::load_mirrored_profits&) {
    ++storage_->mirrored_profits_asked;
    if (storage_->loads_fail)
      return failure::unavailable;
    return held_if(storage_->mirrored_profits_wait, storage_->mirrored_profits);
  }

  load_answer<market::stored_boards> on(const market::load_boards& q) {
    storage_->boards_asked.push_back(q);
    if (storage_->loads_fail)
      return failure::unavailable;
    const auto next = [&](auto& to, const auto& from, const auto& is_after) {
      for (const auto& each : from)
        if (is_after(each) && to.size() < static_cast<std::size_t>(q.most))
          to.push_back(each);
    };
    market::stored_boards out;
    out.as_of = storage_->boards.as_of;
    switch (q.part) {
      case market::board_part::prices:
        next(out.prices, storage_->boards.prices, [&](const auto& row) { return row.market > q.after_market; });
        break;
      case market::board_part::shares:
        next(out.shares, storage_->boards.shares, [&](const auto& row) {
          return std::pair{row.market, row.who} > std::pair{q.after_market, q.after_who};
        });
        break;
      case market::board_part::traders:
        next(out.traders, storage_->boards.traders, [&](const auto& row) { return row.who > q.after_who; });
        break;
      case market::board_part::points:
        next(out.xp, storage_->boards.xp, [&](const auto& row) { return row.who > q.after_who; });
        break;
    }
    return out;
  }

  load_answer<market::stored_accounts> on(const market::load_accounts& q) {
    storage_->accounts_asked += q.whose.size();
    return market::stored_accounts{std::vector<std::optional<address>>(q.whose.size())};
  }

  load_answer<news::stored_x_accounts> on(const news::load_x_accounts& q) {
    if (storage_->loads_fail)
      return failure::unavailable;
    news::stored_x_accounts out;
    for (const auto owner : q.owners) {
      const auto found = storage_->x_accounts.find(owner);
      out.accounts.push_back(found == storage_->x_accounts.end() ? std::nullopt : std::optional{found->second});
    }
    return out;
  }

  load_answer<slash::stored_open_slashes> on(const slash::load_open_slashes& q) {
    if (storage_->loads_fail)
      return failure::unavailable;
    auto found = storage_->slashes;
    std::erase_if(found.slashed, [&](const auto& each) { return each.at <= q.slashed_after; });
    return found;
  }

  load_answer<slash::stored_ballots> on(const slash::load_ballots& q) {
    if (storage_->ballots_fail)
      return failure::unavailable;
    slash::stored_ballots out;
    for (const auto& each : storage_->ballots[q.slash])
      if (each.voter > q.after && out.ballots.size() < storage_->ballots_at_once)
        out.ballots.push_back(each);
    out.last = out.ballots.size() < storage_->ballots_at_once;
    return out;
  }

  load_answer<std::optional<slash::slash_record>> on(const slash::get_slash& q) {
    const auto found = storage_->all_slashes.find(q.slash);
    return found == storage_->all_slashes.end() ? std::nullopt : std::optional{found->second};
  }

  load_answer<slash::slash_page> on(const slash::find_slashes& q) {
    slash::slash_page out;
    for (const auto& [id, each] : storage_->all_slashes)
      out.values.push_back(each);
    out.slice = q.slice;
    return out;
  }

  load_answer<slash::stored_roles> on(const slash::load_roles& q) {
    return slash::stored_roles{storage_->all_slashes.contains(q.slash), {}};
  }

  load_answer<reputation::stored_records> on(const reputation::load_records&) {
    ++storage_->record_loads;
    if (storage_->loads_fail)
      return failure::unavailable;
    return storage_->record_rows;
  }

  load_answer<std::optional<reputation::review_record>> on(const reputation::get_review& q) {
    for (const auto& each : storage_->record_rows.reviews)
      if (each.id == q.id)
        return std::optional<reputation::review_record>{each};
    return std::optional<reputation::review_record>{};
  }

  load_answer<score::stored_work> on(const score::load_work&) { return unless_failing(storage_->score_work); }
  load_answer<score::stored_score> on(const score::load_score&) { return storage_->score; }

  void on(const ask<any_load>& load) {
    asked_ = load;
    answer_load(*this, load, all_loads{});
    asked_ = {};
  }

  void on(const straight_load& load) { load.asked.fail(failure::unavailable); } // nobody here reads without an actor

  void on(const held_answers_due&) {
    for (const auto& each : std::exchange(storage_->held, {}))
      each();
  }

  template <class Load>
  auto on(const Load&) {
    return load_answer<answer_of<Load, all_loads>>{answer_of<Load, all_loads>{}};
  }

private:
  /// Of the loads that fail while the test says so.
  template <class Answer>
  load_answer<Answer> unless_failing(const Answer& answer) const {
    if (storage_->loads_fail)
      return failure::unavailable;
    return answer;
  }
  /// The answer, at once or with `held_answers_due`.
  template <class Answer>
  load_answer<Answer> held_if(bool waits, Answer answer) {
    if (!waits)
      return answer;
    storage_->held.push_back(
      [question = asked_, answer = std::move(answer)]() mutable { question.answer(std::any{std::move(answer)}); });
    return later{};
  }

  std::shared_ptr<fake_storage> storage_;
  ask<any_load> asked_;
};

} // namespace

deterministic_world::deterministic_world() {
  status.writable = true;
  test_now = at_day(2026, 3, 10, 12);
  storage->periods.push_back({period_id{1}, 2026, 1, at_day(2026, 2, 1), at_day(2026, 3, 1), at_day(2026, 3, 1)});
  storage->periods.push_back({period_id{2}, 2026, 2, at_day(2026, 3, 1), at_day(2026, 4, 1), std::nullopt});
  for (int i = 1; i <= 9; ++i)
    storage->people.push_back({profile_id{i}, static_cast<std::int16_t>(1000 + 100 * i), true});
  for (int i = 1; i <= 3; ++i)
    storage->projects[project_id{i}].exists = true;
  for (int i = 1; i <= 9; ++i)
    storage->profiles[profile_id{i}].exists = true;
}

void deterministic_world::open() {
  if (std::exchange(opened_, true))
    return;
  for (const auto& [id, project] : storage->projects) {
    auto core = std::make_shared<listing::listing_core>();
    core->id = id;
    core->archived = project.archived;
    auto user = std::make_shared<people::user>();
    user->username = "project" + std::to_string(id.value);
    core->user = user;
    storage->listings.listings.push_back(
      {core, project.unsettled, 0, static_cast<entity_seq>(project.votes.size()), {}, {}});
  }
  backing = {writer_handle{spawn<fake_writer>(sys, storage)}, reader_handle{spawn<fake_reader>(sys, storage)}, &status};
  with->now = [] { return test_now; };
  spawn_all(sys, with, backing, backing, known, others, {}, scoring);
  run();
}

deterministic_world::~deterministic_world() {
  run();
  stop_all(others);
  tell_to_end(backing.writer);
  tell_to_end(backing.reader);
  others = {};
  backing = {};
  run();
}

ask<project::cast_vote> deterministic_world::cast(int voter, int project, project::sentiment side,
                                                  std::optional<std::string> reason) {
  return put(others.projects, project::cast_vote{project_id{project}, profile_id{voter}, side, std::move(reason)});
}

ask<project::get_voters> deterministic_world::voters_of(int project, project::scope in) {
  project::get_voters question;
  question.project = project_id{project};
  question.in = in;
  return put(others.projects, question);
}

void deterministic_world::resolve(write_result result) {
  auto request = storage->written.front();
  if (result != write_result::in_doubt)
    storage->written.pop_front();
  const bool stored = result == write_result::stored;
  if (stored)
    ++last_global;
  if (const auto* vote = get_if<project::vote_cast>(&request.change); vote && stored)
    storage->profiles[vote->voter].votes.push_back({vote->project, vote->in, vote->side});
  const bool named =
    stored
    && (holds_alternative<profile::xp_tipped>(request.change) || holds_alternative<profile::xp_granted>(request.change)
        || holds_alternative<market::traded>(request.change) || holds_alternative<funds::funds_moved>(request.change));
  send(request.from, write_outcome{request.stream, result, 1, stored ? last_global : 0, named ? last_global : 0});
  run();
}

void deterministic_world::answer_held() {
  send(actor_handle<held_answers_due>{backing.reader}, held_answers_due{});
  run();
}

void deterministic_world::kill_sender(const write_request& of) {
  kill(of.from);
  run();
}

} // namespace credence::test
