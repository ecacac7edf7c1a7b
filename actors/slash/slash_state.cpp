#include "actors/slash/slash_state.hpp"

#include "config/limits.hpp"

#include <algorithm>
#include <string>

namespace credence::slash {

namespace {

using standing = people::people_index::standing;

constexpr std::chrono::days cooldown{limits::slash_cooldown_days};

std::string name_of(slash_id which) {
  return "slash " + std::to_string(which.value);
}
std::string name_of(profile_id who) {
  return "profile " + std::to_string(who.value);
}

timestamp whole_seconds(timestamp when) {
  return std::chrono::floor<std::chrono::seconds>(when);
}

} // namespace

std::int32_t weight_of_score(std::int32_t score) noexcept {
  const auto level = static_cast<std::int32_t>(people::level_of(score));
  return std::max(0, level - static_cast<std::int32_t>(people::score_level::known) + 1);
}

verdict verdict_of(const weights& votes) noexcept {
  const auto all = votes.slash + votes.defend;
  if (votes.slash * 100 > all * limits::slash_percent_above)
    return verdict::slashed;
  return votes.slash * 100 < all * limits::slash_percent_below ? verdict::defended : verdict::inconclusive;
}

std::int64_t amount_max(std::int32_t author_score, std::int32_t subject_score) noexcept {
  return std::clamp<std::int64_t>(author_score - subject_score, limits::slash_amount_always,
                                  limits::slash_amount_max);
}

slash_state::slash_state(stored_open_slashes stored, const people::people_index& people)
    : people_(people), last_(stored.last), slashed_(std::move(stored.slashed)) {
  for (auto& each : stored.open) {
    auto& one = open_[each.what.id];
    one.what = std::move(each.what);
    one.last_number = each.last_number;
    for (const auto& vote : each.votes)
      one.count(vote);
  }
}

// -- rules -----------------------------------------------------------------------------------

std::optional<refusal> slash_state::not_live(profile_id who) const {
  if (people_.standing_of(who) == standing::live)
    return std::nullopt;
  return refusal{refusal_code::profile_not_live,
                 name_of(who) + " is archived or does not exist; only live profiles take part in slashes"};
}

std::int32_t slash_state::score_of(const open_slash& asked) const {
  const auto& who = asked.subject.profile;
  return who && people_.standing_of(*who) != standing::unknown ? people_.score_of(*who) : asked.subject_score;
}

std::optional<refusal> slash_state::in_the_way(const open_slash& asked, timestamp now) const {
  for (const auto& [id, each] : open_) {
    const bool by_author = each.what.author == asked.author;
    if (by_author || each.what.subject.same_as(asked.subject))
      return refusal{refusal_code::slash_open_already,
                     name_of(id) + (by_author ? " of " + name_of(asked.author) : " against this subject")
                       + " is open until " + iso_text(each.what.ends_at())
                       + "; an author and a subject have one open slash at a time"};
  }
  for (const auto& each : slashed_)
    if (each.who.same_as(asked.subject) && now < each.at + cooldown)
      return refusal{refusal_code::slash_cooldown, "this subject was slashed at " + iso_text(each.at)
                                                     + "; another slash may be opened from "
                                                     + iso_text(each.at + cooldown) + " on"};
  return std::nullopt;
}

outcome<slash_opened> slash_state::decide(const open_slash& asked, timestamp now) const {
  if (auto why = not_live(asked.author))
    return *std::move(why);
  const auto score = people_.score_of(asked.author);
  if (score < limits::slash_author_score_min)
    return refusal{refusal_code::score_too_low, name_of(asked.author) + " has a score of "
                                                  + std::to_string(score) + "; whoever slashes needs "
                                                  + std::to_string(limits::slash_author_score_min)};
  if (asked.subject.profile == asked.author)
    return refusal{refusal_code::cannot_slash_self,
                   name_of(asked.author) + " cannot slash itself; name another subject"};
  const auto most = amount_max(score, score_of(asked));
  if (asked.amount < 1 || asked.amount > most)
    return refusal{refusal_code::invalid_amount, "amount must be from 1 to " + std::to_string(most)
                                                   + " for these scores, not "
                                                   + std::to_string(asked.amount)};
  if (auto why = in_the_way(asked, now))
    return *std::move(why);
  return slash_opened{{slash_id{last_.value + 1}, asked.author, asked.subject, asked.type, asked.amount,
                       asked.lasts, asked.comment, asked.metadata, whole_seconds(now)}};
}

std::optional<refusal> slash_state::over(slash_id which, timestamp now) const {
  if (!which || which > last_)
    return refusal{refusal_code::not_found, "there is no " + name_of(which)};
  const auto found = open_.find(which);
  if (found == open_.end())
    return refusal{refusal_code::slash_closed, name_of(which) + " is closed; only an open one takes this"};
  if (now >= found->second.what.ends_at())
    return refusal{refusal_code::slash_closed, name_of(which) + " closed at "
                                                 + iso_text(found->second.what.ends_at())
                                                 + "; only an open one takes this"};
  return std::nullopt;
}

outcome<slash_voted> slash_state::decide(const cast_slash_vote& asked, timestamp now) const {
  if (auto why = over(asked.slash, now))
    return *std::move(why);
  const auto& on = open_.at(asked.slash);
  if (asked.voter == on.what.author || asked.voter == on.what.subject.profile)
    return refusal{refusal_code::cannot_vote_own_slash,
                   name_of(asked.voter) + " is the " + (asked.voter == on.what.author ? "author" : "subject")
                     + " of " + name_of(asked.slash) + "; all others may vote"};
  if (auto why = not_live(asked.voter))
    return *std::move(why);
  // A clock that was set back must not let a vote come before its slash.
  return slash_voted{asked.slash,
                     on.last_number + 1,
                     asked.voter,
                     asked.side,
                     weight_of_score(people_.score_of(asked.voter)),
                     std::max(now, on.what.created_at)};
}

outcome<slash_closed> slash_state::decide(const cancel_slash& asked, timestamp now) const {
  if (auto why = over(asked.slash, now))
    return *std::move(why);
  const auto& on = open_.at(asked.slash);
  return slash_closed{asked.slash,
                      {std::max(whole_seconds(now), on.what.created_at), verdict::cancelled, on.votes}};
}

std::vector<slash_closed> slash_state::due(timestamp now) const {
  std::vector<slash_closed> out;
  for (const auto& [id, each] : open_)
    if (now >= each.what.ends_at())
      out.push_back({id, {each.what.ends_at(), verdict_of(each.votes), each.votes}});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.end.at < b.end.at; });
  return out;
}

// -- changes ---------------------------------------------------------------------------------

void slash_state::open_one::count(const counted_vote& vote) {
  const auto side = [this](vote_side of) -> std::int64_t& {
    return of == vote_side::slash ? votes.slash : votes.defend;
  };
  const auto [known, fresh] = by_voter.try_emplace(vote.voter, vote);
  if (!fresh) {
    side(known->second.side) -= known->second.weight;
    known->second = vote;
  }
  side(vote.side) += vote.weight;
}

void slash_state::apply(const slash_opened& change) {
  last_ = change.what.id;
  open_[last_].what = change.what;
}

void slash_state::apply(const slash_voted& change) {
  auto& on = open_.at(change.slash);
  on.last_number = change.number;
  on.count({change.voter, change.side, change.weight});
}

void slash_state::apply(const slash_closed& change) {
  const auto found = open_.find(change.slash);
  if (change.end.how == verdict::slashed) {
    std::erase_if(slashed_, [&](const auto& each) { return each.at + cooldown <= change.end.at; });
    slashed_.push_back({found->second.what.subject, change.end.at});
  }
  open_.erase(found);
}

const slash_record* slash_state::find(slash_id which) const {
  const auto found = open_.find(which);
  return found == open_.end() ? nullptr : &found->second.what;
}

} // namespace credence::slash
