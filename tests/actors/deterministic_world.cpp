#include "tests/actors/deterministic_world.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>

namespace credence::test {

/// The loads of older votes that wait are to be answered.
struct histories_due {};

project::stored_project loaded_short(project::stored_project all, period_id open) {
  const auto tallied = static_cast<std::size_t>(all.tallied_through);
  const auto from = tallied < all.votes.size() ? all.votes[tallied].in : open;
  const auto first = std::find_if(all.votes.begin(), all.votes.end(), [&](const auto& vote) { return vote.in >= from; });
  if (tallied == 0 || first == all.votes.begin())
    return all;
  all.base = static_cast<entity_seq>(first - all.votes.begin());
  all.from = from;
  all.last_at = std::prev(first)->at;
  all.votes.erase(all.votes.begin(), first);
  const auto reasons = std::exchange(all.reasons, {}); // of these votes alone, so they have other numbers
  for (auto& vote : all.votes)
    if (vote.reason >= 0) {
      all.reasons.push_back(reasons[static_cast<std::size_t>(vote.reason)]);
      vote.reason = static_cast<std::int32_t>(all.reasons.size()) - 1;
    }
  return all;
}

namespace {

writer_handle::behavior_type fake_writer(writer_handle::pointer, std::shared_ptr<fake_storage> storage) {
  return {
    [storage](const write_request& request) { storage->written.push_back(request); },
    [storage](settle) {
      ++storage->settles;
      return settled{};
    },
  };
}

template <class Load, class Stored>
constexpr auto nothing_stored = [](const Load&) -> caf::result<Stored> { return Stored{}; };

using fake_reader_handle = reader_handle::extend<caf::reacts_to<histories_due>>;

fake_reader_handle::behavior_type fake_reader(fake_reader_handle::pointer self, std::shared_ptr<fake_storage> storage) {
  return {
    [storage](const project::load_project& q) -> caf::result<project::stored_project> {
      ++storage->project_loads;
      if (storage->loads_fail)
        return caf::sec::runtime_error;
      return loaded_short(storage->projects[q.project], storage->periods.empty() ? period_id{} : storage->periods.back().id);
    },
    [self, storage](const project::load_history& q) -> caf::result<project::stored_history> {
      ++storage->history_loads;
      if (storage->loads_fail || storage->history_fails)
        return caf::sec::runtime_error;
      const auto& all = storage->projects[q.project];
      project::stored_history out{{all.votes.begin(), all.votes.begin() + q.through}, all.reasons};
      if (!storage->history_waits)
        return out;
      auto promise = self->make_response_promise<project::stored_history>();
      storage->histories.push_back([promise, out = std::move(out)]() mutable { promise.deliver(std::move(out)); });
      return promise;
    },
    [storage](const profile::load_profile& q) -> caf::result<profile::stored_profile> {
      if (storage->loads_fail)
        return caf::sec::runtime_error;
      ++storage->profile_loads;
      auto found = storage->profiles[q.profile];
      std::erase_if(found.votes, [&](const profile::own_vote& vote) { return vote.in != q.in; });
      return found;
    },
    [storage](const profile::count_votes& q) -> caf::result<profile::counted_votes> {
      if (storage->loads_fail)
        return caf::sec::runtime_error;
      ++storage->vote_counts;
      profile::counted_votes found;
      for (const auto& voter : q.voters) {
        auto& count = found.counts.emplace_back();
        for (const auto& vote : storage->profiles[voter.who].votes)
          if (vote.in == voter.in)
            ++(vote.side == profile::sentiment::bullish ? count.bullish : count.bearish);
      }
      return found;
    },
    [storage](const people::load_people& q) -> caf::result<people::stored_people> {
      people::stored_people page;
      for (const auto& row : storage->people)
        if (q.named.empty() ? row.profile > q.after && page.rows.size() < static_cast<std::size_t>(q.limit)
                            : std::find(q.named.begin(), q.named.end(), row.profile) != q.named.end())
          page.rows.push_back(row);
      return page;
    },
    [storage](const profile::load_xp& q) -> caf::result<profile::stored_xp> {
      if (storage->loads_fail)
        return caf::sec::runtime_error;
      return storage->xp[q.profile];
    },
    [](const profile::load_tips&) -> caf::result<profile::tip_list> { return profile::tip_list{}; },
    [](const profile::load_tip_figures&) -> caf::result<profile::tip_figures> { return profile::tip_figures{}; },
    [storage](const profile::load_receipt&) -> caf::result<profile::stored_receipt> { return profile::stored_receipt{storage->receipt}; },
    [storage](const profile::load_credentials& q) -> caf::result<profile::stored_credentials> {
      if (storage->loads_fail)
        return caf::sec::runtime_error;
      return storage->credentials[q.profile];
    },
    [storage](const idempotency::load_record& q) -> caf::result<idempotency::stored_record> {
      if (storage->loads_fail)
        return caf::sec::runtime_error;
      return storage->records[q.id];
    },
    [](const people::load_users_of&) -> caf::result<people::stored_users> { return people::stored_users{}; },
    [](const people::load_users&) -> caf::result<people::stored_users> { return people::stored_users{}; },
    [storage](const people::find_people& q) -> caf::result<people::found_people> {
      storage->looks.push_back(q.keys);
      if (storage->loads_fail)
        return caf::sec::runtime_error;
      people::found_people out;
      for (const auto& key : q.keys) // a key leads to the user of its number
        out.people.push_back({user_id{key.number}, std::nullopt, 0, 0});
      return out;
    },
    [](const people::get_people& q) -> caf::result<people::people_by_key> {
      return people::people_by_key{std::vector<people::user_ptr>(q.keys.size())};
    },
    [](const people::get_bundle&) -> caf::result<people::bundle_of> { return people::bundle_of{}; },
    [](const people::search_people&) -> caf::result<people::people_page> { return people::people_page{}; },
    [storage](const period::load_periods&) -> caf::result<period::stored_periods> {
      if (storage->loads_fail || storage->periods_fail)
        return caf::sec::runtime_error;
      return period::stored_periods{storage->periods};
    },
    [](const period::load_electorate&) -> caf::result<period::electorate> {
      return period::electorate{7, 3};
    },
    [storage](const listing::load_listings&) -> caf::result<listing::stored_listings> { return storage->listings; },
    [storage](const wallet::load_wallet& q) -> caf::result<wallet::stored_wallet> { return storage->wallets[q.profile]; },
    nothing_stored<wallet::load_transfer, wallet::stored_transfer>,
    [storage](const market::load_market& q) -> caf::result<market::stored_market> { return storage->markets[q.market]; },
    [storage](const market::load_position& q) -> caf::result<market::position> {
      ++storage->position_loads;
      const auto& all = storage->positions[q.market];
      const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.who == q.who; });
      return found == all.end() ? market::position{q.who, 0, 0} : *found;
    },
    [storage](const market::load_positions& q) -> caf::result<market::stored_positions> {
      if (storage->loads_fail)
        return caf::sec::runtime_error;
      ++storage->positions_loads;
      market::stored_positions out;
      for (const auto& each : storage->positions[q.market])
        if (q.after < each.who && out.positions.size() < static_cast<std::size_t>(q.most))
          out.positions.push_back(each);
      if (const auto& book = storage->markets[q.market].book)
        out.trades = book->trades;
      return out;
    },
    nothing_stored<market::load_window, market::stored_window>,
    nothing_stored<market::load_face, market::face>,
    nothing_stored<market::load_trade, market::stored_trade>,
    [storage](const market::load_names& q) -> caf::result<market::stored_names> {
      storage->names_asked.push_back(q);
      if (storage->loads_fail || storage->names.empty())
        return caf::sec::runtime_error;
      auto next = std::move(storage->names.front());
      storage->names.pop_front();
      return next;
    },
    [](const market::get_markets& q) -> caf::result<std::vector<market::market_view>> {
      std::vector<market::market_view> out;
      for (const auto each : q.owners)
        out.emplace_back().id = each;
      return out;
    },
    nothing_stored<market::get_prices, market::price_list>,
    nothing_stored<market::get_market_trades, market::trade_list>,
    nothing_stored<market::get_activity, market::trade_list>,
    nothing_stored<market::get_holdings, std::vector<market::holding>>,
    nothing_stored<market::get_holdings_value, market::holdings_value>,
    nothing_stored<market::get_volume, market::total_volume>,
    [storage](const market::load_boards& q) -> caf::result<market::stored_boards> {
      storage->boards_asked.push_back(q);
      if (storage->loads_fail)
        return caf::sec::runtime_error;
      const auto next = [&](auto& to, const auto& from, const auto& is_after) {
        for (const auto& each : from)
          if (is_after(each) && to.size() < static_cast<std::size_t>(q.most))
            to.push_back(each);
      };
      market::stored_boards out;
      out.as_of = storage->boards.as_of;
      switch (q.part) {
        case market::board_part::prices:
          next(out.prices, storage->boards.prices, [&](const auto& row) { return row.market > q.after_market; });
          break;
        case market::board_part::shares:
          next(out.shares, storage->boards.shares, [&](const auto& row) {
            return std::pair{row.market, row.who} > std::pair{q.after_market, q.after_who};
          });
          break;
        case market::board_part::traders: next(out.traders, storage->boards.traders, [&](const auto& row) { return row.who > q.after_who; }); break;
        case market::board_part::points: next(out.xp, storage->boards.xp, [&](const auto& row) { return row.who > q.after_who; }); break;
      }
      return out;
    },
    [storage](const market::load_accounts& q) -> caf::result<market::stored_accounts> {
      storage->accounts_asked += q.whose.size();
      return market::stored_accounts{std::vector<std::optional<address>>(q.whose.size())};
    },
    [storage](const news::load_x_accounts& q) -> caf::result<news::stored_x_accounts> {
      if (storage->loads_fail)
        return caf::sec::runtime_error;
      news::stored_x_accounts out;
      for (const auto owner : q.owners) {
        const auto found = storage->x_accounts.find(owner);
        out.accounts.push_back(found == storage->x_accounts.end() ? std::nullopt : std::optional{found->second});
      }
      return out;
    },
    [storage](const slash::load_open_slashes& q) -> caf::result<slash::stored_open_slashes> {
      if (storage->loads_fail)
        return caf::sec::runtime_error;
      auto found = storage->slashes;
      std::erase_if(found.slashed, [&](const auto& each) { return each.at <= q.slashed_after; });
      return found;
    },
    [storage](const slash::load_ballots& q) -> caf::result<slash::stored_ballots> {
      if (storage->ballots_fail)
        return caf::sec::runtime_error;
      slash::stored_ballots out;
      for (const auto& each : storage->ballots[q.slash])
        if (each.voter > q.after && out.ballots.size() < storage->ballots_at_once)
          out.ballots.push_back(each);
      out.last = out.ballots.size() < storage->ballots_at_once;
      return out;
    },
    [storage](const slash::load_slash& q) -> caf::result<slash::found_slash> {
      const auto found = storage->all_slashes.find(q.slash);
      return found == storage->all_slashes.end() ? slash::found_slash{} : slash::found_slash{found->second};
    },
    [storage](const slash::find_slashes& q) -> caf::result<slash::slash_page> {
      slash::slash_page out;
      for (const auto& [id, each] : storage->all_slashes)
        out.values.push_back(each);
      out.slice = q.slice;
      return out;
    },
    [storage](const slash::load_roles& q) -> caf::result<slash::stored_roles> {
      return slash::stored_roles{storage->all_slashes.contains(q.slash), {}};
    },
    [storage](histories_due) {
      for (const auto& each : std::exchange(storage->histories, {}))
        each();
    },
  };
}

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
  for (const auto& [id, project] : storage->projects) {
    auto core = std::make_shared<listing::listing_core>();
    core->id = id;
    core->archived = project.archived;
    auto user = std::make_shared<people::user>();
    user->username = "project" + std::to_string(id.value);
    core->user = user;
    storage->listings.listings.push_back({core, 0, static_cast<entity_seq>(project.votes.size()), {}, {}});
  }
  with->storage = {sys.spawn(fake_writer, storage), sys.spawn(fake_reader, storage), &status};
  with->now = [] { return test_now; };
  spawn_all(sys, with, known, others);
  run();
}

deterministic_world::~deterministic_world() {
  run();
  stop_all(others);
  for (const auto& each : {caf::actor_cast<caf::actor>(with->storage.writer), caf::actor_cast<caf::actor>(with->storage.reader)})
    if (each)
      caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
  others = {};
  with->storage = {};
  run();
}

ask<project::cast_vote> deterministic_world::cast(int voter, int project, project::sentiment side, std::optional<std::string> reason) {
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
  if (const auto* vote = std::get_if<project::vote_cast>(&request.what); vote && stored)
    storage->profiles[vote->voter].votes.push_back({vote->project, vote->in, vote->side});
  const bool named = stored
                     && (std::holds_alternative<profile::xp_tipped>(request.what) || std::holds_alternative<market::traded>(request.what)
                         || std::holds_alternative<wallet::funds_moved>(request.what));
  caf::anon_send(request.from, write_outcome{request.stream, result, 1, stored ? last_global : 0, named ? last_global : 0});
  run();
}

void deterministic_world::answer_history() {
  caf::anon_send(caf::actor_cast<caf::actor>(with->storage.reader), histories_due{});
  run();
}

void deterministic_world::kill_sender(const write_request& of) {
  caf::anon_send_exit(caf::actor_cast<caf::actor>(of.from), caf::exit_reason::kill);
  run();
}

} // namespace credence::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::test::histories_due)
