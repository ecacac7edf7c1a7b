#include "actors/people/people_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/period/period_state.hpp"
#include "actors/profile/profile_family.hpp"

#include <algorithm>
#include <iterator>

namespace credence::profile {

/// Each part is read when somebody first asks for it.
void profile_actor::load() {
  if (const auto* periods = with_->calendar->get())
    rules_ = profile_state{periods->current().id};
}

// -- votes ---------------------------------------------------------------------------------

/// Runs `then`, with whether they are there, once the votes of that period have been read.
template <class F>
void profile_actor::with_votes(period_id in, F then) {
  if (rules_.knows(in))
    return then(true);
  const bool first =
    std::none_of(waiting_for_votes_.begin(), waiting_for_votes_.end(), [&](const auto& each) { return each.in == in; });
  if (first && rules_.begin(in))
    return then(true);
  waiting_for_votes_.push_back({in, std::move(then)});
  if (!first)
    return;
  storage_.read(*this, load_profile{id_, in})
    .then(
      [this, in](stored_profile& stored) {
        rules_.take_in(in, std::move(stored));
        on_votes(in, true);
      },
      [this, in](failure) { on_votes(in, false); });
}

void profile_actor::on_votes(period_id in, bool there) {
  const auto theirs = std::stable_partition(waiting_for_votes_.begin(), waiting_for_votes_.end(),
                                            [&](const auto& each) { return each.in != in; });
  std::vector<waiting_for_votes> now{std::make_move_iterator(theirs),
                                     std::make_move_iterator(waiting_for_votes_.end())};
  waiting_for_votes_.erase(theirs, waiting_for_votes_.end());
  for (const auto& each : now)
    each.then(there && !failed_);
  leave_when_done();
}

void profile_actor::on(const ask<get_balance>& question) {
  read(question, [&] {
    if (!with_->calendar->get())
      return question.fail(failure::unavailable);
    const auto period = profile_state::period_of(*question, around());
    if (!period)
      return question.answer(period.why());
    with_votes(*period, [this, question](bool there) {
      if (!there)
        return question.fail(failure::unavailable);
      question.answer(rules_.balance(*question, around()));
    });
  });
}

void profile_actor::on(const ask<get_own_votes>& question) {
  read(question, [&] {
    with_votes(question->in, [this, question](bool there) {
      if (!there)
        return question.fail(failure::unavailable);
      question.answer(rules_.votes_in(question->in));
    });
  });
}

/// The vote is committed whatever happens here: a balance that cannot be read is left out.
void profile_actor::on(const vote_landed& landed) {
  const handling here{kind, {}};
  if (failed_)
    return landed.question.answer(project::vote_receipt{landed.vote.side, std::nullopt});
  with_votes(landed.vote.in, [this, landed](bool there) {
    project::vote_receipt receipt{landed.vote.side, std::nullopt};
    rules_.learn(landed.vote); // that the rows read hold it already changes nothing
    const auto* period = with_->calendar->get() ? with_->calendar->get()->find(landed.vote.in) : nullptr;
    if (there && period)
      receipt.new_balance = balance_after_vote(rules_.count(landed.vote.in), *period);
    landed.question.answer(receipt);
  });
}

// -- changes -------------------------------------------------------------------------------

void profile_actor::take_back() {
  others_->clear();
  if (xp_)
    xp_->take_back();
  if (credentials_)
    credentials_->take_back();
}

/// Memory may differ from the database: everybody who waits is told so, and the router
/// starts this profile afresh from committed rows.
void profile_actor::start_afresh() {
  ask_for_another_life();
  take_back();
  send(with_->others->people.to(), people::invalidate{{id_}}); // perhaps it is archived since
  lose_writes();
  for (const auto& each : std::exchange(waiting_for_credentials_, {}))
    each(false);
  for (const auto& each : std::exchange(waiting_for_xp_, {}))
    each(false);
  for (const auto& each : std::exchange(waiting_for_votes_, {}))
    each.then(false);
  leave_when_done();
}

std::vector<figure> profile_actor::in_memory() const {
  const auto add = [](std::vector<figure>& to, std::string_view called, std::optional<std::int64_t> value) {
    to.push_back(value ? figure{called, *value} : figure{called});
  };
  const auto score = with_->people->score_of(id_);
  std::vector<figure> out{
    {"score", score},
    {"level", std::string{people::level_names[static_cast<std::size_t>(people::level_of(score))]}},
    {"pendingChanges", writes_.size()},
    {"periodsInMemory", rules_.periods_kept()}};
  const auto* periods = with_->calendar->get();
  const auto cast = periods ? rules_.count_if_kept(periods->current().id) : std::nullopt;
  add(out, "bullishCast", cast ? std::optional{cast->bullish} : std::nullopt);
  add(out, "bearishCast", cast ? std::optional{cast->bearish} : std::nullopt);
  add(out, "xp", xp_ ? std::optional{xp_->balance()} : std::nullopt);
  add(out, "xpAvailable", xp_ ? std::optional{xp_->available()} : std::nullopt);
  const auto count = [this](auto list) {
    return credentials_ ? std::optional{static_cast<std::int64_t>(list(*credentials_).size())} : std::nullopt;
  };
  add(out, "keys", count([](const credentials& of) { return of.keys(); }));
  add(out, "sessions", count([this](const credentials& of) { return of.sessions(with_->now()); }));
  add(out, "partners", count([](const credentials& of) { return of.of_partners().list(); }));
  return out;
}

bool profile_actor::at_rest() const noexcept {
  return waiting_for_votes_.empty() && waiting_for_xp_.empty() && waiting_for_credentials_.empty();
}

} // namespace credence::profile
