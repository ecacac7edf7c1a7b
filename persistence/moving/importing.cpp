#include "persistence/moving/importing.hpp"

#include "actors/people/people_index.hpp"
#include "actors/reputation/record_rules.hpp"
#include "persistence/migrations/migrate.hpp"

#include <chrono>
#include <random>

namespace credence::persistence {

namespace {

constexpr auto project_timeout = std::chrono::minutes{1};

batch_id random_batch_id() {
  std::random_device random;
  batch_id out;
  for (auto& each : out)
    each = static_cast<std::byte>(random());
  return out;
}

/// Runs a look-up of ids over `k (author, about, at, place)`.
std::vector<std::int32_t> ids_found(import_run& run, const char* sql, const std::vector<record_mark>& which) {
  using of = record_mark;
  const auto found = run.on().exec_params(
    sql, with(array_of(which, &of::author), array_of(which, &of::about), array_of(which, &of::at)), run.deadline());
  std::vector<std::int32_t> out(which.size(), 0);
  const places place{found};
  const column<std::int32_t> id{found, "id"};
  for (int row = 0; row < found.count(); ++row)
    out.at(place[row]) = id[row];
  return out;
}

} // namespace

// -- the transaction ---------------------------------------------------------------------------

import_run::import_run(connection& on, steady_time deadline) : on_(on), deadline_(deadline), all_(on, deadline) {
  on_.exec("SET LOCAL lock_timeout = '10s'", deadline_);
  // Batches, and whoever takes the data over, lock these rows first.
  on_.exec("SELECT FROM shard_owners ORDER BY shard FOR UPDATE", deadline_);
  const auto owned = on_.exec_params("SELECT owner, epoch, sequence, last_seq FROM shard_owners WHERE shard = $1::int4",
                                     parameters{}.int4(static_cast<std::int32_t>(shard::service)), deadline_);
  before_ = {owned.first<std::string>("owner"), owned.first<std::int64_t>("epoch"), shard::service};
  batch_ = {random_batch_id(), owned.first<std::int64_t>("sequence") + 1, owned.first<global_seq>("last_seq") + 1, 0};
  last_seq_ = batch_.first_seq - 1;
  was_empty_ = !on_.exec_params("SELECT EXISTS (SELECT FROM users)", deadline_).value<bool>();
}

std::optional<std::string> import_run::hindrance() {
  if (const auto* why = what_to_do(check_schema(on_, deadline_)))
    return why;
  if (on_
        .exec_params("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()"
                     " AND application_name IN ('credence-writer', 'credence-chain-writer'))",
                     deadline_)
        .value<bool>())
    return "a server is running on this database; stop it, and start it again behind the import";
  if (on_.exec_params("SELECT EXISTS (SELECT FROM chain_follow)", deadline_).value<bool>())
    return "this service follows a chain, whose events say what its records are";
  return std::nullopt;
}

void import_run::commit() {
  // The last batch before it is kept, as a takeover keeps it: its server may be in doubt about it.
  const claim mine{claim::new_owner(), before_.epoch + 1, shard::service};
  on_.exec_params("UPDATE shard_owners SET owner = $1::text, epoch = epoch + 1", parameters{}.text(mine.owner),
                  deadline_);
  on_.exec(
    "INSERT INTO takeovers (shard, epoch, batch) SELECT shard, epoch, batch FROM shard_owners ON CONFLICT DO NOTHING",
    deadline_);
  batch_.last_seq = last_seq_;
  parameters fence;
  fence_sql::fill(fence, mine, batch_);
  on_.exec_params(fence_sql::begin.sql.c_str(), fence, deadline_);
  all_.commit(deadline_);
}

// -- records that are there ------------------------------------------------------------------------

#define CREDENCE_IMPORT_MARKS                                                                                          \
  "unnest($1::int4[], $2::text[], $3::timestamptz[]) WITH ORDINALITY AS k (author, about, at, place)"

std::vector<std::int32_t> stored_reviews(import_run& run, const std::vector<record_mark>& which) {
  return ids_found(
    run,
    "SELECT k.place, r.id FROM " CREDENCE_IMPORT_MARKS
    " JOIN reviews r ON r.author_profile = k.author AND r.subject_key = decode(k.about, 'hex') AND r.created_at = k.at",
    which);
}

std::vector<std::int32_t> stored_vouches(import_run& run, const std::vector<record_mark>& which) {
  return ids_found(
    run,
    "SELECT k.place, v.number AS id FROM " CREDENCE_IMPORT_MARKS
    " JOIN vouches v ON v.author_profile = k.author AND v.subject_key = decode(split_part(k.about, '/', 1), 'hex')"
    " AND v.token = split_part(k.about, '/', 2) AND v.vouched_at = k.at AND v.contract = 'api'",
    which);
}

std::vector<std::int32_t> stored_replies(import_run& run, const std::vector<record_mark>& which) {
  return ids_found(run,
                   "SELECT k.place, r.id FROM " CREDENCE_IMPORT_MARKS
                   " JOIN replies r ON r.author_profile = k.author AND r.created_at = k.at AND r.target_kind || '/' || "
                   "r.target_id = k.about",
                   which);
}

#undef CREDENCE_IMPORT_MARKS

// -- votes -------------------------------------------------------------------------------------

imported_votes::imported_votes(import_run& run) : run_(run) {
  periods_.periods = read(run_.on(), period::load_periods{}, run_.deadline()).periods;
  any_before_ = run_.on().exec_params("SELECT EXISTS (SELECT FROM votes)", run_.deadline()).value<bool>();
  know_people();
}

void imported_votes::know_people() {
  constexpr int page = 10000;
  profile_id last{};
  for (bool more = true; more;) {
    const auto found = run_.on().exec_params(
      "SELECT p.id, u.score::int2 AS score, NOT (p.archived OR p.orphaned) AS live FROM profiles p"
      " JOIN users u ON u.id = p.user_id WHERE p.id > $1::int4 ORDER BY p.id LIMIT $2::int4",
      parameters{}.int4(last.value).int4(page), run_.deadline());
    const column<profile_id> id{found, "id"};
    const column<std::int16_t> score{found, "score"};
    const column<bool> live{found, "live"};
    for (int row = 0; row < found.count(); ++row) {
      last = id[row];
      people_.publish({last, score[row], live[row]});
    }
    more = found.count() == page;
  }
}

void imported_votes::open(const period::voting_period& fresh) {
  period::period_advanced change;
  const auto who = read(run_.on(), period::load_electorate{}, run_.deadline());
  change.closes = periods_.periods.empty() ? period_id{} : periods_.current().id;
  change.opened = fresh;
  change.opened.closed_at.reset();
  change.opened.live_profiles = who.live_profiles;
  change.opened.active_projects = who.active_projects;
  run_.write(std::span<const period::period_advanced>{&change, 1});
  if (!periods_.periods.empty())
    periods_.periods.back().closed_at = fresh.starts_at;
  periods_.periods.push_back(change.opened);
}

imported_votes::voted& imported_votes::project_of(project_id which) {
  const auto [found, fresh] = projects_.try_emplace(which);
  auto& out = found->second;
  if (!fresh)
    return out;
  if (auto stored = read(run_.on(), project::load_project{which}, project_timeout); stored.exists) {
    out.had_votes = stored.base > 0 || !stored.votes.empty();
    out.state = std::make_unique<project::project_state>(which, std::move(stored), people_);
  }
  return out;
}

outcome<project::vote_cast> imported_votes::decide(const imported_vote& vote) {
  const auto& asked = vote.vote;
  if (people_.status_of(asked.voter) != people::people_index::status::live)
    return people::not_live(asked.voter);
  const auto& state = project_of(asked.project).state;
  if (!state)
    return reputation::no_project(asked.project);
  if (periods_.periods.empty() || vote.in != periods_.current().id)
    return refusal{refusal_code::period_closed,
                   "voting period " + std::to_string(vote.in.value) + " is closed here and takes no votes"};
  if (vote.at < periods_.current().starts_at)
    return refusal{refusal_code::invalid_input,
                   "castAt is before the voting period, which began at " + iso_text(periods_.current().starts_at)};
  auto cast = state->decide(asked, vote.in, vote.at);
  if (cast && cast->at != vote.at)
    return refusal{refusal_code::invalid_input,
                   "the vote before it on project " + std::to_string(asked.project.value) + " was cast at "
                     + iso_text(cast->at)
                     + ", later than this one; votes of a project come in the order of their moments"};
  if (cast && vote.weight)
    cast->weight = *vote.weight;
  return cast;
}

std::vector<bool> imported_votes::there(const std::vector<imported_vote>& all) {
  std::vector<bool> out(all.size(), false);
  if (!any_before_)
    return out;
  const auto found = run_.on().exec_params(
    "SELECT k.place, v.bullish FROM unnest($1::int4[], $2::int4[], $3::int4[]) WITH ORDINALITY AS k (project, voter, "
    "period, place)"
    " JOIN votes v ON v.voter_id = k.voter AND v.period_id = k.period AND v.project_id = k.project",
    with(array_of(all, [](const auto& each) { return each.vote.project; }),
         array_of(all, [](const auto& each) { return each.vote.voter; }), array_of(all, &imported_vote::in)),
    run_.deadline());
  const places place{found};
  const column<bool> bullish{found, "bullish"};
  for (int row = 0; row < found.count(); ++row)
    out.at(place[row]) = bullish[row] == (all[place[row]].vote.side == project::sentiment::bullish);
  return out;
}

std::vector<outcome<bool>> imported_votes::cast(const std::vector<imported_vote>& all) {
  const auto known = there(all);
  std::vector<outcome<bool>> out;
  std::vector<project::vote_cast> changes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (known[i]) {
      out.emplace_back(false);
      continue;
    }
    auto cast = decide(all[i]);
    if (!cast) {
      out.emplace_back(cast.why());
      continue;
    }
    auto& state = *project_of(all[i].vote.project).state;
    state.apply(*cast);
    state.commit(1);
    changes.push_back(*std::move(cast));
    out.emplace_back(true);
  }
  if (!changes.empty())
    run_.write(std::span<const project::vote_cast>{changes});
  return out;
}

void imported_votes::finish() {
  std::vector<project::project_tallied> tallies;
  for (const auto& [which, each] : projects_)
    if (each.state && !each.had_votes && each.state->through() > 0)
      tallies.push_back({which, each.state->through(), each.state->days_since(0), each.state->periods_since(0)});
  if (!tallies.empty())
    run_.write(std::span<const project::project_tallied>{tallies});
}

} // namespace credence::persistence
