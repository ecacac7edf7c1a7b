#include "tests/simulation/simulated_records.hpp"

namespace credence::test {

namespace {

using namespace reputation;

std::string named(review_id which) { return "review " + std::to_string(which.value); }
std::string named(vouch_id which) { return "vouch " + std::to_string(which.value); }
std::string named(reply_id which) { return "reply " + std::to_string(which.value); }

user_id user_of(profile_id who) { return user_id{who.value}; }
user_id user_of(const subject_ref& subject) { return user_of(subject.name.key.profile().value_or(profile_id{})); }

/// The record with that number, if there is one.
template <class Record>
auto* at(Record& records, std::int32_t number) {
  return number >= 1 && number <= static_cast<std::int32_t>(records.size())
           ? &records[static_cast<std::size_t>(number - 1)]
           : nullptr;
}

score::activity_id counted_id(const activity& activity) {
  return {activity.kind == activity_kind::review ? score::activity::review : score::activity::vouch, activity.id};
}

} // namespace

void record_book::open(int people, score::day newest) {
  kept = true;
  epoch = sums.today = newest;
  for (int i = 1; i <= people; ++i) {
    const user_id who{i};
    sums.all.people.push_back({who, true, people::neutral_score});
    sums.inputs[who].vouches.as_of = newest;
    scores[who];
  }
}

template <class Move>
void record_book::count(const std::string& cause, Move move) {
  const auto before = sums.inputs;
  move();
  for (const auto& [who, inputs] : sums.inputs)
    if (!(inputs == before.at(who)))
      marked[who] = {++last_mark_, cause};
}

// -- records ----------------------------------------------------------------------------------

std::string record_book::apply(const review_created& change) {
  const auto& record = change.record;
  const auto name = named(record.id);
  if (record.id.value != static_cast<std::int32_t>(reviews.size()) + 1)
    return name + " came after " + std::to_string(reviews.size());
  if (named_.insert(record.subject.name.key).second != change.subject.has_value())
    return "the subject of " + name + " was named twice, or never";
  if (user_of(record.author) == user_of(record.subject))
    return name + " is about its author";
  reviews.push_back(record);
  count("api " + name, [&] {
    sums.write(score::review{record.id.value, user_of(record.author), user_of(record.subject),
                             static_cast<score::sentiment>(record.score)});
  });
  return {};
}

std::string record_book::apply(const review_edited& change) {
  auto* found = at(reviews, change.id.value);
  if (!found || found->edits + 1 != change.edits)
    return "an edit of " + named(change.id) + " does not follow from the one before";
  found->comment = change.comment;
  found->edits = change.edits;
  return {};
}

std::string record_book::apply(const review_archived& change) {
  auto* found = at(reviews, change.id.value);
  if (!found || (found->archived == change.archived && found->taken_down == change.taken_down))
    return named(change.id) + " was archived or restored twice";
  found->archived = change.archived;
  found->taken_down = change.taken_down;
  count("api " + named(change.id), [&] {
    sums.edit_review(static_cast<std::size_t>(change.id.value - 1),
                     [&](score::review& each) { each.archived = change.archived; });
  });
  return {};
}

std::string record_book::apply(const vouch_created& change) {
  const auto& record = change.record;
  const auto name = named(record.id);
  if (record.id.value != static_cast<std::int32_t>(vouches.size()) + 1)
    return name + " came after " + std::to_string(vouches.size());
  if (named_.insert(record.subject.name.key).second != change.subject.has_value())
    return "the subject of " + name + " was named twice, or never";
  for (const auto& each : vouches)
    if (!each.archived && each.author == record.author && each.token == record.token
        && each.subject_user == record.subject_user)
      return name + " was made beside " + named(each.id);
  vouches.push_back(record);
  count("api " + name, [&] {
    sums.write(score::vouch{{score::activity::vouch, record.id.value},
                            user_of(record.author),
                            record.subject_user,
                            record.token == vouch_token::eth,
                            record.parts});
  });
  return {};
}

std::string record_book::apply(const vouch_moved& change) {
  auto* found = at(vouches, change.id.value);
  if (!found || found->archived)
    return named(change.id) + " was moved, and is not active";
  if (change.balance + change.withdrawn != change.deposited || change.archived != (change.balance == 0))
    return "the amounts of " + named(change.id) + " do not add up";
  wei parts = 0;
  for (const auto& each : change.parts)
    parts += each.amount;
  if (parts != change.balance)
    return "the parts of " + named(change.id) + " do not add up to its balance";
  found->staked = change.staked;
  found->deposited = change.deposited;
  found->balance = change.balance;
  found->withdrawn = change.withdrawn;
  found->parts = change.parts;
  found->archived = change.archived;
  if (change.archived)
    found->unvouched_at = change.at;
  count("api " + named(change.id), [&] {
    sums.edit_vouch(static_cast<std::size_t>(change.id.value - 1), [&](score::vouch& each) {
      each.parts = change.parts;
      each.archived = change.archived;
    });
  });
  return {};
}

std::string record_book::apply(const vouch_marked_unhealthy& change) {
  auto* found = at(vouches, change.id.value);
  if (!found || !found->archived || found->unhealthy)
    return named(change.id) + " was called unhealthy while it was active, or twice";
  found->unhealthy = true;
  found->unhealthy_at = change.at;
  count("api " + named(change.id), [&] {
    sums.edit_vouch(static_cast<std::size_t>(change.id.value - 1), [](score::vouch& each) { each.unhealthy = true; });
  });
  return {};
}

std::string record_book::apply(const reply_created& change) {
  if (change.record.id.value != static_cast<std::int32_t>(replies.size()) + 1)
    return named(change.record.id) + " came after " + std::to_string(replies.size());
  if (!find(change.record.on))
    return named(change.record.id) + " is to nothing";
  replies.push_back(change.record);
  return {};
}

std::string record_book::apply(const reply_edited& change) {
  auto* found = at(replies, change.id.value);
  if (!found || found->edits + 1 != change.edits)
    return "an edit of " + named(change.id) + " does not follow from the one before";
  found->content = change.content;
  found->edits = change.edits;
  return {};
}

std::string record_book::apply(const activity_voted& change) {
  const auto& record = change.vote;
  const auto name = "the vote of profile " + std::to_string(record.voter.value) + " on "
                    + std::string{name_of(record.on.kind)} + " " + std::to_string(record.on.id);
  const bool there = find(ballot_key{record.on, record.voter});
  if (there == change.first)
    return name + (there ? " was cast as if it were the first" : " takes the place of none");
  if (change.first && record.number != static_cast<std::int32_t>(votes.size()) + 1)
    return name + " came after " + std::to_string(votes.size());
  ++ballots[{record.on, record.voter}];
  if (change.first)
    votes.push_back(record);
  else
    votes[static_cast<std::size_t>(record.number - 1)] = record;
  if (record.on.kind == activity_kind::discussion)
    return {};
  const score::activity_vote counted{counted_id(record.on), user_of(record.voter), record.upvote, record.archived,
                                     record.number};
  count("api vote on " + std::string{name_of(record.on.kind)} + " " + std::to_string(record.on.id), [&] {
    if (change.first)
      return sums.write(counted);
    const auto place = std::find_if(sums.all.votes.begin(), sums.all.votes.end(),
                                    [&](const auto& each) { return each.number == record.number; });
    sums.edit_vote(static_cast<std::size_t>(place - sums.all.votes.begin()),
                   [&](score::activity_vote& each) { each = counted; });
  });
  return {};
}

// -- scores -----------------------------------------------------------------------------------

std::string record_book::apply(const score::score_changed& change) {
  const auto name = "the score of user " + std::to_string(change.user.value);
  scores[change.user] = {change.score, change.points};
  ++worked_out;
  const auto found = marked.find(change.user);
  if (found == marked.end() || (found->second.number > change.mark && !forgets_marks))
    return {};
  marked.erase(found);
  for (const auto& part : sums.parts_of(change.user))
    if (part.day > change.on)
      return name + " is not what its records come to, which hold ether of a later day";
  const auto right = breakdown_of(sums.inputs.at(change.user), change.on);
  return right.score == change.score && points_of(right) == change.points ? ""
                                                                          : name + " is not what its records come to";
}

std::string record_book::apply(const score::epoch_begun& change) {
  if (!begun && change.on > epoch)
    begun = score::open_epoch{change.on, 0};
  return {};
}

/// A user a piece; the last piece brings ether to its day.
std::string record_book::apply(const score::epoch_page_turned& change) {
  if (!begun || begun->on != change.on || begun->step != change.step)
    return {};
  const auto cause = "epoch " + iso_text(timestamp{change.on}).substr(0, 10);
  const user_id who{++begun->step};
  if (scores.contains(who)) {
    count(cause, [&] { sums.edit_standing(who, [&](score::person& each) { each.epoch_score = scores.at(who).now; }); });
    return {};
  }
  sums.today = epoch = change.on;
  begun.reset();
  for (auto& [user, inputs] : sums.inputs)
    if (inputs.vouches.young != 0) {
      advance(inputs, epoch, sums.parts_of(user));
      marked[user] = {++last_mark_, cause};
    }
  return {};
}

// -- reading ----------------------------------------------------------------------------------

const activity_vote* record_book::find(const ballot_key& which) const {
  const auto found = std::find_if(
    votes.begin(), votes.end(), [&](const auto& each) { return each.on == which.first && each.voter == which.second; });
  return found == votes.end() ? nullptr : &*found;
}

std::optional<activity_row> record_book::find(const activity& activity) const {
  if (activity.kind == activity_kind::review)
    if (const auto* found = at(reviews, activity.id))
      return activity_row{activity, found->archived};
  if (activity.kind == activity_kind::vouch)
    if (const auto* found = at(vouches, activity.id))
      return activity_row{activity, found->archived};
  if (activity.kind == activity_kind::discussion && at(replies, activity.id))
    return activity_row{activity, false};
  return std::nullopt;
}

void record_book::add_activities(const record_keys& keys, stored_records& to) const {
  for (const auto which : keys.reviews)
    if (const auto* found = at(reviews, which.value))
      to.reviews.push_back(*found);
  for (const auto which : keys.vouches)
    if (const auto* found = at(vouches, which.value))
      to.vouches.push_back(*found);
  for (const auto which : keys.replies)
    if (const auto* found = at(replies, which.value))
      to.replies.push_back(*found);
  for (const auto& which : keys.activities)
    if (const auto found = find(which))
      to.activities.push_back(*found);
  for (const auto& which : keys.votes)
    if (const auto* found = find(which))
      to.votes.push_back(*found);
}

stored_records record_book::load(const load_records& query, const std::set<profile_id>& profiles) const {
  const auto& keys = query.keys;
  stored_records out;
  out.last.user = user_id{1000};
  out.last.review = review_id{static_cast<std::int32_t>(reviews.size())};
  out.last.vouch = vouch_id{static_cast<std::int32_t>(vouches.size())};
  out.last.reply = reply_id{static_cast<std::int32_t>(replies.size())};
  out.last.vote = static_cast<std::int32_t>(votes.size());
  for (const auto who : keys.profiles)
    if (profiles.contains(who))
      out.profiles.push_back({who, user_of(who)});
  for (const auto& [key, name] : keys.subjects) {
    const auto owner = user_of(subject_ref{name});
    out.subjects.push_back({key, owner, named_.contains(key) ? 0 : -1, owner});
    out.vouched.push_back(
      {owner, static_cast<std::int32_t>(std::count_if(vouches.begin(), vouches.end(), [&](const auto& each) {
         return !each.archived && each.subject_user == owner;
       }))});
  }
  for (const auto& each : vouches)
    if (!each.archived && keys.vouchers.contains(each.author))
      out.active.push_back({each.id, each.author, each.subject.name.key, each.subject_user, each.token});
  add_activities(keys, out);
  return out;
}

score::stored_work record_book::work(const score::load_work& query) const {
  score::stored_work out;
  if (!kept)
    return out;
  out.epoch = epoch;
  out.begun = begun;
  out.last_mark = last_mark_;
  out.waiting = static_cast<std::int64_t>(marked.size());
  if (begun)
    return out;
  for (const auto& [who, its] : marked)
    if (const auto parts = sums.parts_of(who);
        std::all_of(parts.begin(), parts.end(), [&](const auto& each) { return each.day <= epoch; }))
      out.users.push_back({who, its.number, its.cause, sums.inputs.at(who)});
  std::sort(out.users.begin(), out.users.end(), [](const auto& a, const auto& b) { return a.mark < b.mark; });
  out.users.resize(std::min(out.users.size(), static_cast<std::size_t>(query.most)));
  return out;
}

score::stored_score record_book::score_of(user_id who) const {
  const auto found = sums.inputs.find(who);
  return found == sums.inputs.end() ? score::stored_score{}
                                    : score::stored_score{found->second, epoch, marked.contains(who), false};
}

} // namespace credence::test
