#include "actors/kernel/actor.hpp"
#include "tests/load_answer.hpp"
#include "tests/simulation/simulated_database.hpp"

namespace credence::test {

/// An answer is due.
struct answer_due {
  int number = 0;
};

struct simulated_reader : actor {
  static inline const char* name = "reader";
  using takes = extended<reader_handle, answer_due>::takes;

  void start(simulated_database* on, const store_status* of) {
    database = on;
    status = of;
  }

  simulated_database* database = nullptr;
  const store_status* status = nullptr;
  ask<any_load> asked;
  std::map<int, std::function<void()>> pending;
  int last = 0;

  template <class Answer>
  load_answer<Answer> answer(Answer snapshot) {
    if (!status->owned.load() || database->chance_.chance(database->faults.read_fails))
      return failure::unavailable;
    if (!database->chance_.chance(database->faults.read_late))
      return snapshot;
    pending[++last] = [question = asked, snapshot = std::move(snapshot)]() mutable {
      question.answer(std::any{std::move(snapshot)});
    };
    after(std::chrono::milliseconds{1 + database->chance_.below(1500)}, answer_due{last});
    return later{};
  }

  project::stored_project project(project_id id) const {
    const auto& image = database->image_;
    project::stored_project out;
    const auto votes = image.votes.find(id);
    out.exists = votes != image.votes.end();
    if (!out.exists)
      return out;
    const auto tallied = image.tallied.find(id);
    out.tallied_through = tallied == image.tallied.end() ? 0 : tallied->second;
    // Those of the periods that are over are as many as the tallies say.
    const auto through = static_cast<entity_seq>(votes->second.size());
    const auto from = out.tallied_through < through ? votes->second[static_cast<std::size_t>(out.tallied_through)].in
                                                    : image.periods.back().id;
    if (const auto days = image.days.find(id); days != image.days.end() && out.tallied_through > 0)
      for (const auto& each : days->second)
        if (each.in < from)
          out.base += static_cast<entity_seq>(each.bullish + each.bearish);
    if (out.base > out.tallied_through) {
      database->broken_rules_.push_back("the tallies of project " + std::to_string(id.value)
                                        + " count more votes than there are");
      out.base = 0;
    }
    if (out.base > 0) {
      out.from = from;
      out.last_at = votes->second[static_cast<std::size_t>(out.base - 1)].at;
    }
    add(out, votes->second, out.base, through);
    if (!out.votes.empty() && out.votes.front().in < out.from)
      database->broken_rules_.push_back("the tallies of project " + std::to_string(id.value)
                                        + " lack votes of a period that is over");
    return out;
  }

  project::stored_history history(const project::load_history& query) const {
    project::stored_history out;
    add(out, database->image_.votes.at(query.project), 0, query.through);
    return out;
  }

  /// Adds the votes `after`+1..`through`.
  template <class Votes>
  static void add(Votes& out, const std::vector<simulated_database::cast>& votes, entity_seq after,
                  entity_seq through) {
    for (auto i = static_cast<std::size_t>(after); i < static_cast<std::size_t>(through); ++i) {
      const auto& each = votes[i];
      out.votes.push_back({each.voter, each.in, each.side,
                           each.reason ? static_cast<std::int32_t>(out.reasons.size()) : -1, each.at, each.weight});
      if (each.reason)
        out.reasons.push_back(*each.reason);
    }
  }

  profile::stored_profile profile(const profile::load_profile& query) const {
    const auto& image = database->image_;
    profile::stored_profile out{
      image.profiles.contains(query.profile), image.archived.contains(query.profile), image.last_seq, {}};
    for (const auto& [project, votes] : image.votes)
      for (const auto& each : votes)
        if (each.voter == query.profile && each.in == query.in)
          out.votes.push_back({project, each.in, each.side});
    return out;
  }

  profile::counted_votes counts(const profile::count_votes& query) const {
    profile::counted_votes out;
    for (const auto& voter : query.voters) {
      auto& count = out.counts.emplace_back();
      for (const auto& vote : profile({voter.who, voter.in}).votes)
        ++(vote.side == profile::sentiment::bullish ? count.bullish : count.bearish);
      if (database->mistake == planted::miscounts_votes)
        ++count.bearish;
    }
    return out;
  }

  profile::stored_xp xp(profile_id id) const {
    const auto& image = database->image_;
    const auto found = image.xp.find(id);
    return {found == image.xp.end() ? 0 : found->second, image.last_seq};
  }

  profile::stored_credentials credentials(profile_id id) const {
    const auto found = database->image_.credentials.find(id);
    auto out = found == database->image_.credentials.end() ? profile::stored_credentials{} : found->second;
    out.live = database->image_.profiles.contains(id) && !database->image_.archived.contains(id);
    out.api_access = true;
    return out;
  }

  idempotency::stored_record record(const idempotency::load_record& query) const {
    const auto found = database->image_.records.find(query.id);
    return found == database->image_.records.end() || found->second.at < query.since ? idempotency::stored_record{}
                                                                                     : found->second;
  }

  funds::stored_funds wallet(profile_id id) const {
    const auto found = database->image_.money.find(id);
    return {found == database->image_.money.end() ? wei{0} : found->second, database->image_.last_seq};
  }

  market::stored_window window(market_id id, timestamp from) const {
    const auto& book = database->image_.markets.at(id).book;
    market::stored_window out;
    out.before = {book.created_at, 0, market::lmsr_point::at(book.how, {}).value().trust_price(), 0};
    for (const auto& [number, each] : database->image_.trades)
      if (each.market == id) {
        const market::window_entry entry{each.at, each.volume_after, each.trust_price_after, each.bought_after};
        if (each.at > from)
          out.within.push_back(entry);
        else
          out.before = entry;
      }
    out.trades = book.trades;
    return out;
  }
  market::stored_market market(const market::load_market& query) const {
    market::stored_market out;
    const auto found = database->image_.markets.find(query.market);
    if (found == database->image_.markets.end())
      return out;
    out.book = found->second.book;
    for (const auto& [who, votes] : found->second.held)
      out.positions.push_back({who, votes.trust, votes.distrust});
    out.window = window(query.market, query.window_from);
    return out;
  }

  slash::stored_open_slashes open_slashes(const slash::load_open_slashes& query) const {
    slash::stored_open_slashes out;
    for (const auto& [id, each] : database->image_.slashes) {
      out.last = id;
      if (!each.record.closed)
        out.open.push_back({each.record, static_cast<entity_seq>(each.votes.size()), each.tally});
      else if (each.record.closed->how == slash::verdict::slashed && each.record.closed->at > query.slashed_after)
        out.slashed.push_back({each.record.subject, each.record.closed->at});
    }
    return out;
  }
  /// Two at a time, so that a slash takes several.
  slash::stored_ballots ballots(const slash::load_ballots& query) const {
    slash::stored_ballots out;
    const auto& all = database->image_.slashes.at(query.slash).ballots;
    for (auto each = all.upper_bound(query.after); each != all.end() && out.ballots.size() < 2; ++each)
      out.ballots.push_back(each->second);
    out.last = out.ballots.size() < 2;
    if (database->mistake == planted::forgets_a_ballot && !out.ballots.empty())
      out.ballots.pop_back();
    return out;
  }
  std::optional<slash::slash_record> slash(slash_id id) const {
    const auto found = database->image_.slashes.find(id);
    return found == database->image_.slashes.end() ? std::nullopt : std::optional{found->second.record};
  }
  slash::slash_page slashes(const slash::find_slashes& query) const {
    slash::slash_page out;
    out.slice = query.slice;
    for (auto each = database->image_.slashes.rbegin(); each != database->image_.slashes.rend(); ++each)
      if (const auto& record = each->second.record;
          (!query.author || record.author == *query.author) && (!query.open || *query.open == !record.closed)
          && (!query.subject || record.subject.same_as(*query.subject)) && ++out.total > query.slice.offset
          && out.values.size() < static_cast<std::size_t>(query.slice.limit))
        out.values.push_back(record);
    return out;
  }
  slash::stored_roles roles(const slash::load_roles& query) const {
    slash::stored_roles out;
    const auto found = database->image_.slashes.find(query.slash);
    out.exists = found != database->image_.slashes.end();
    if (!out.exists)
      return out;
    const auto& [value, votes, ballots, tally] = found->second;
    for (const auto who : query.profiles) {
      const auto ballot = ballots.find(who);
      if (who == value.author || who == value.subject.profile)
        out.roles.emplace_back(who, who == value.author ? slash::role::slasher : slash::role::defender);
      else if (ballot != ballots.end())
        out.roles.emplace_back(who, !value.closed && who != query.viewer             ? slash::role::voter
                                    : ballot->second.side == slash::vote_side::slash ? slash::role::voted_slash
                                                                                     : slash::role::voted_defend);
    }
    return out;
  }

  people::stored_people people(const people::load_people& query) const {
    people::stored_people page;
    for (const auto id : database->image_.profiles)
      if (query.named.empty() ? id > query.after && page.rows.size() < static_cast<std::size_t>(query.limit)
                              : std::find(query.named.begin(), query.named.end(), id) != query.named.end())
        page.rows.push_back({id, database->image_.scores.at(id), !database->image_.archived.contains(id)});
    return page;
  }

  listing::stored_listings listings() const {
    listing::stored_listings out;
    for (const auto& [id, votes] : database->image_.votes) {
      auto core = std::make_shared<listing::listing_core>();
      core->id = id;
      auto user = std::make_shared<people::user>();
      user->username = "project" + std::to_string(id.value);
      core->user = std::move(user);
      const auto tallied = database->image_.tallied.find(id);
      const auto days = database->image_.days.find(id);
      const auto periods = database->image_.tallied_periods.find(id);
      out.listings.push_back(
        {std::move(core),
         {},
         tallied == database->image_.tallied.end() ? 0 : tallied->second,
         static_cast<entity_seq>(votes.size()),
         days == database->image_.days.end() ? std::vector<project::day_tally>{} : days->second,
         periods == database->image_.tallied_periods.end() ? std::vector<project::period_tally>{} : periods->second});
    }
    return out;
  }

  // What is not named here is answered with nothing.
  auto on(const project::load_project& q) { return answer(project(q.project)); }
  auto on(const project::load_history& q) { return answer(history(q)); }
  auto on(const profile::load_profile& q) { return answer(profile(q)); }
  auto on(const profile::count_votes& q) { return answer(counts(q)); }
  auto on(const profile::load_xp& q) { return answer(xp(q.profile)); }
  auto on(const profile::load_credentials& q) { return answer(credentials(q.profile)); }
  auto on(const idempotency::load_record& q) { return answer(record(q)); }
  auto on(const idempotency::load_day&) { return answer(idempotency::stored_day{}); } // nobody there comes near a bound
  auto on(const people::load_people& q) { return answer(people(q)); }
  auto on(const people::find_people& q) {
    return answer(people::found_people{std::vector<people::found_person>(q.keys.size())});
  }
  auto on(const people::get_people& q) {
    return answer(people::people_by_key{std::vector<people::user_ptr>(q.keys.size())});
  }
  auto on(const period::load_periods&) { return answer(period::stored_periods{database->now().periods}); }
  auto on(const period::load_electorate&) {
    const auto live = database->now().profiles.size() - database->now().archived.size();
    return answer(
      period::electorate{static_cast<std::int64_t>(live), static_cast<std::int64_t>(database->now().votes.size())});
  }
  auto on(const listing::load_listings&) { return answer(listings()); }
  auto on(const funds::load_funds& q) { return answer(wallet(q.profile)); }
  auto on(const market::load_market& q) { return answer(market(q)); }
  auto on(const market::load_position& q) { return answer(market::position{q.who, 0, 0}); }
  auto on(const market::load_window& q) { return answer(window(q.market, q.from)); }
  auto on(const slash::load_open_slashes& q) { return answer(open_slashes(q)); }
  auto on(const slash::load_ballots& q) { return answer(ballots(q)); }
  auto on(const slash::get_slash& q) { return answer(slash(q.slash)); }
  auto on(const slash::find_slashes& q) { return answer(slashes(q)); }
  auto on(const slash::load_roles& q) { return answer(roles(q)); }
  auto on(const reputation::load_records& q) { return answer(database->now().book.load(q, database->now().profiles)); }
  auto on(const reputation::get_review& q) {
    const auto& all = database->now().book.reviews;
    const bool there = q.id.value >= 1 && q.id.value <= static_cast<std::int32_t>(all.size());
    return answer(std::optional<reputation::review_record>{
      there ? std::optional{all[static_cast<std::size_t>(q.id.value - 1)]} : std::nullopt});
  }
  auto on(const score::load_work& q) { return answer(database->now().book.work(q)); }
  auto on(const score::load_score& q) { return answer(database->now().book.score_of(q.user)); }
  void on(const ask<any_load>& load) {
    asked = load;
    answer_load(*this, load, all_loads{});
    asked = {};
  }
  void on(const straight_load& load) { load.asked.fail(failure::unavailable); } // clients here ask none
  void on(const answer_due& due) {
    const auto found = pending.find(due.number);
    if (found == pending.end())
      return;
    found->second();
    pending.erase(found);
  }
  template <class Load>
  auto on(const Load&) {
    return answer(answer_of<Load, all_loads>{});
  }
};

reader_handle simulated_database::spawn_reader(caf::actor_system& sys, const store_status& status) {
  return reader_handle{spawn<simulated_reader>(sys, this, &status)};
}

} // namespace credence::test
