#include "actors/slash/slash_state.hpp"

#include "config/limits.hpp"

#include <algorithm>
#include <string>

namespace credence::slash {

namespace {

using status = people::people_index::status;

constexpr std::chrono::days slash_state_cooldown{limits::slash_cooldown_days};

std::string name_of(slash_id which) { return "slash " + std::to_string(which.value); }
std::string name_of(profile_id who) { return "profile " + std::to_string(who.value); }

timestamp whole_seconds(timestamp when) { return std::chrono::floor<std::chrono::seconds>(when); }

/// A ballot in the 32 bits that the table has for it: a slash may have a million voters.
std::uint32_t packed(vote_side side, std::int32_t weight, std::int32_t votes) noexcept {
  return static_cast<std::uint32_t>(std::min(votes, limits::slash_votes_per_profile_max)) << 4
         | static_cast<std::uint32_t>(weight) << 1 | (side == vote_side::slash ? 1 : 0);
}
vote_side side_of(std::uint32_t ballot) noexcept { return ballot & 1 ? vote_side::slash : vote_side::defend; }
std::int32_t weight_of(std::uint32_t ballot) noexcept { return static_cast<std::int32_t>(ballot >> 1 & 7); }
std::int32_t votes_of(std::uint32_t ballot) noexcept { return static_cast<std::int32_t>(ballot >> 4); }

} // namespace

verdict verdict_of(const weights& votes) noexcept {
  const auto all = votes.slash + votes.defend;
  if (votes.slash * 100 > all * limits::slash_percent_above)
    return verdict::slashed;
  return votes.slash * 100 < all * limits::slash_percent_below ? verdict::defended : verdict::inconclusive;
}

std::int64_t amount_max(std::int32_t author_score, std::int32_t subject_score) noexcept {
  return std::clamp<std::int64_t>(author_score - subject_score, limits::slash_amount_always, limits::slash_amount_max);
}

slash_state::slash_state(stored_open_slashes stored, const people::people_index& people)
  : people_(people), last_(stored.last), slashed_(std::move(stored.slashed)) {
  for (auto& each : stored.open) {
    auto& one = open_[each.record.id];
    one.record = std::move(each.record);
    one.last_number = each.last_number;
    one.votes = each.votes;
    if (one.last_number > 0)
      one.known_to = profile_id{};
  }
}

// -- ballots ---------------------------------------------------------------------------------

std::optional<load_ballots> slash_state::wanted() const {
  for (const auto& [id, each] : open_)
    if (each.known_to)
      return load_ballots{id, *each.known_to};
  return std::nullopt;
}

void slash_state::take(const load_ballots& query, const stored_ballots& came) {
  const auto found = open_.find(query.slash);
  if (found == open_.end() || found->second.known_to != query.after) // closed meanwhile
    return;
  auto& on = found->second;
  for (const auto& each : came.ballots)
    on.ballots.set(each.voter, packed(each.side, each.weight, each.votes));
  if (came.last || came.ballots.empty())
    on.known_to.reset();
  else
    on.known_to = came.ballots.back().voter;
}

bool slash_state::knows(slash_id which, profile_id voter) const {
  const auto found = open_.find(which);
  return found == open_.end() || !found->second.known_to || voter <= *found->second.known_to;
}

// -- rules -----------------------------------------------------------------------------------

std::optional<refusal> slash_state::not_live(profile_id who) const {
  const auto now = people_.status_of(who);
  if (now == status::live)
    return std::nullopt;
  if (now == status::unsettled) // since the front looked
    return people::not_yet_settled(who, std::nullopt);
  return refusal{refusal_code::profile_not_live,
                 name_of(who) + " is archived or does not exist; only live profiles take part in slashes"};
}

std::int32_t slash_state::score_of(const open_slash& command) const {
  const auto& who = command.subject.profile;
  return who && people_.status_of(*who) != status::unknown ? people_.score_of(*who) : command.subject_score;
}

std::optional<refusal> slash_state::in_the_way(const open_slash& command, timestamp now) const {
  for (const auto& [id, each] : open_) {
    const bool by_author = each.record.author == command.author;
    if (by_author || each.record.subject.same_as(command.subject))
      return refusal{refusal_code::slash_open_already,
                     name_of(id) + (by_author ? " of " + name_of(command.author) : " against this subject")
                       + " is open until " + iso_text(each.record.ends_at())
                       + "; an author and a subject have one open slash at a time"};
  }
  for (const auto& each : slashed_)
    if (each.who.same_as(command.subject) && now < each.at + slash_state_cooldown)
      return refusal{refusal_code::slash_cooldown, "this subject was slashed at " + iso_text(each.at)
                                                     + "; another slash may be opened from "
                                                     + iso_text(each.at + slash_state_cooldown) + " on"};
  return std::nullopt;
}

std::optional<refusal> slash_state::out_of_bounds(const open_slash& command, const xp_at_hand& xp,
                                                  std::int32_t author_score) const {
  const bool in_xp = command.type == slash_type::xp;
  if (in_xp && !command.subject.profile)
    return refusal{refusal_code::not_found, "the subject has no profile, so it has no XP; slash its score instead"};
  if (in_xp && command.amount > xp.author && command.amount <= limits::slash_xp_amount_max)
    return refusal{refusal_code::insufficient_xp, name_of(command.author) + " has " + std::to_string(xp.author)
                                                    + " XP and would have to put aside "
                                                    + std::to_string(command.amount)};
  const auto most =
    in_xp ? std::min(xp.subject, limits::slash_xp_amount_max) : amount_max(author_score, score_of(command));
  if (command.amount >= 1 && command.amount <= most)
    return std::nullopt;
  if (most < 1)
    return refusal{refusal_code::invalid_amount,
                   "the subject has no XP that could be put aside; slash its score instead"};
  return refusal{refusal_code::invalid_amount, "amount must be from 1 to " + std::to_string(most)
                                                 + (in_xp ? " for this subject" : " for these scores") + ", not "
                                                 + std::to_string(command.amount)};
}

outcome<slash_opened> slash_state::decide(const open_slash& command, timestamp now, const xp_at_hand& xp) const {
  if (auto why = not_live(command.author))
    return *std::move(why);
  const auto score = people_.score_of(command.author);
  if (score < limits::slash_author_score_min)
    return refusal{refusal_code::score_too_low, name_of(command.author) + " has a score of " + std::to_string(score)
                                                  + "; whoever slashes needs "
                                                  + std::to_string(limits::slash_author_score_min)};
  if (command.subject.profile == command.author)
    return refusal{refusal_code::cannot_slash_self,
                   name_of(command.author) + " cannot slash itself; name another subject"};
  if (auto why = out_of_bounds(command, xp, score))
    return *std::move(why);
  if (auto why = in_the_way(command, now))
    return *std::move(why);
  return slash_opened{{slash_id{last_.value + 1}, command.author, command.subject, command.type, command.amount,
                       command.lasts, command.comment, command.metadata, whole_seconds(now)}};
}

std::optional<refusal> slash_state::over(slash_id which, timestamp now) const {
  if (!which || which > last_)
    return refusal{refusal_code::not_found, "there is no " + name_of(which)};
  const auto found = open_.find(which);
  if (found == open_.end())
    return refusal{refusal_code::slash_closed, name_of(which) + " is closed; only an open one takes this"};
  if (now >= found->second.record.ends_at())
    return refusal{refusal_code::slash_closed, name_of(which) + " closed at " + iso_text(found->second.record.ends_at())
                                                 + "; only an open one takes this"};
  return std::nullopt;
}

outcome<vote_decision> slash_state::decide(const cast_slash_vote& command, timestamp now) const {
  if (auto why = over(command.slash, now))
    return *std::move(why);
  const auto& on = open_.at(command.slash);
  if (command.voter == on.record.author || command.voter == on.record.subject.profile)
    return refusal{refusal_code::cannot_vote_own_slash, name_of(command.voter) + " is the "
                                                          + (command.voter == on.record.author ? "author" : "subject")
                                                          + " of " + name_of(command.slash) + "; all others may vote"};
  if (auto why = not_live(command.voter))
    return *std::move(why);
  const auto weight = people::vote_weight_of(people_.score_of(command.voter));
  vote_decision out{{command.slash, command.side, weight}, std::nullopt};
  if (const auto before = on.ballots.find(command.voter); before != project::voter_table::none) {
    if (side_of(before) == command.side && weight_of(before) == weight)
      return out;
    if (votes_of(before) >= limits::slash_votes_per_profile_max)
      return refusal{refusal_code::vote_limit_reached,
                     name_of(command.voter) + " has voted " + std::to_string(votes_of(before)) + " times on "
                       + name_of(command.slash) + "; its last vote, to "
                       + std::string{side_names[static_cast<std::size_t>(side_of(before))]} + ", stands"};
  }
  // A clock that was set back must not let a vote come before its slash.
  out.change = slash_voted{
    command.slash, on.last_number + 1, command.voter, command.side, weight, std::max(now, on.record.created_at)};
  return out;
}

outcome<slash_closed> slash_state::decide(const cancel_slash& command, timestamp now) const {
  if (auto why = over(command.slash, now))
    return *std::move(why);
  const auto& on = open_.at(command.slash);
  return slash_closed{command.slash,
                      {std::max(whole_seconds(now), on.record.created_at), verdict::cancelled, on.votes}};
}

std::vector<slash_closed> slash_state::due(timestamp now) const {
  std::vector<slash_closed> out;
  for (const auto& [id, each] : open_)
    if (now >= each.record.ends_at())
      out.push_back({id, {each.record.ends_at(), verdict_of(each.votes), each.votes}});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.end.at < b.end.at; });
  return out;
}

// -- changes ---------------------------------------------------------------------------------

void slash_state::apply(const slash_opened& change) {
  last_ = change.record.id;
  open_[last_].record = change.record;
}

void slash_state::apply(const slash_voted& change) {
  auto& on = open_.at(change.slash);
  on.last_number = change.number;
  const auto sum = [&on](vote_side of) -> std::int64_t& {
    return of == vote_side::slash ? on.votes.slash : on.votes.defend;
  };
  std::int32_t votes = 1;
  if (const auto before = on.ballots.find(change.voter); before != project::voter_table::none) {
    sum(side_of(before)) -= weight_of(before);
    votes += votes_of(before);
  }
  sum(change.side) += change.weight;
  on.ballots.set(change.voter, packed(change.side, change.weight, votes));
}

void slash_state::apply(const slash_closed& change) {
  const auto found = open_.find(change.slash);
  if (change.end.how == verdict::slashed) {
    std::erase_if(slashed_, [&](const auto& each) { return each.at + slash_state_cooldown <= change.end.at; });
    slashed_.push_back({found->second.record.subject, change.end.at});
  }
  open_.erase(found);
}

const slash_record* slash_state::find(slash_id which) const {
  const auto found = open_.find(which);
  return found == open_.end() ? nullptr : &found->second.record;
}

} // namespace credence::slash
