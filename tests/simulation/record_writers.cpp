#include "tests/simulation/record_writers.hpp"

#include <numeric>

namespace credence::test {

using namespace std::chrono_literals;
using namespace reputation;

namespace {

template <class Records>
int with_text(const Records& all, const std::string& text) {
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const auto& each) {
    if constexpr (requires { each.content; })
      return each.content == text;
    else
      return each.comment == text;
  }));
}

std::string named(user_id who) { return "user " + std::to_string(who.value); }

} // namespace

void record_writers::act() {
  if (waits() || !takes_stamps(world_.serving()))
    return;
  static constexpr std::array<std::pair<std::uint32_t, void (record_writers::*)()>, 9> deeds_of_everybody{{
    {25, &record_writers::review},
    {33, &record_writers::archive},
    {47, &record_writers::vouch},
    {60, &record_writers::move},
    {64, &record_writers::mark},
    {70, &record_writers::reply},
    {73, &record_writers::edit},
    {95, &record_writers::vote},
    {100, &record_writers::read},
  }};
  const auto dice = world_.chance().below(100);
  for (const auto& [below, deed] : deeds_of_everybody)
    if (dice < below)
      return (this->*deed)();
}

// -- asking -----------------------------------------------------------------------------------

named_subject record_writers::somebody_else(profile_id than) {
  const auto other = 1 + (than.value + static_cast<int>(world_.chance().below(world::profiles - 1))) % world::profiles;
  return {subject_key{profile_id{other}}, std::nullopt};
}

/// Mostly one that is there.
std::int32_t record_writers::some_of(std::size_t count) {
  return 1 + static_cast<std::int32_t>(world_.chance().below(static_cast<std::uint32_t>(count + 1)));
}

template <class Q>
void record_writers::make(std::deque<attempt>& among, Q question, std::function<int(const std::string&)> stored) {
  auto& what = among.emplace_back();
  what.text = "t" + std::to_string(++texts_);
  if constexpr (requires { question.content; })
    question.content = what.text;
  else
    question.comment = what.text;
  auto& op = begin(what.text + " is written by profile " + std::to_string(question.author.value));
  op.judge = [this, &op, &what, stored](envelope_base& answered) {
    if (const auto* record = answer_in<Q>(answered)) {
      op.outcome = what.outcome = told::yes;
      what.number = record->id.value;
      ++report_.records;
      if (stored(what.text) != 1)
        world_.violation(what.text + " was acknowledged and is not stored once");
    } else if (as<Q>(answered).refused()) {
      op.outcome = what.outcome = told::no;
    } else {
      op.outcome = what.outcome = told::unknown;
    }
  };
  put(&directory::records, std::move(question), op);
}

template <class Q>
void record_writers::change(const std::string& text, Q question, deeds& done) {
  auto& op = begin(text);
  op.judge = [this, &op, &done](envelope_base& answered) {
    if (const auto* record = answer_in<Q>(answered)) {
      op.outcome = told::yes;
      ++report_.records;
      ++done.acknowledged;
      if constexpr (std::is_same_v<Q, put_vote>)
        votes_told_[{record->on, record->voter}].emplace(record->upvote, record->archived, record->updated_at);
    } else if (as<Q>(answered).refused()) {
      op.outcome = told::no;
    } else {
      op.outcome = told::unknown;
      ++done.unknown;
    }
  };
  put(&directory::records, std::move(question), op);
}

void record_writers::review() {
  create_review question;
  question.author = profile_id{some_profile()};
  question.subject = somebody_else(question.author);
  question.score = static_cast<review_score>(world_.chance().below(3));
  make(reviews_, std::move(question), [this](const std::string& text) { return with_text(book().reviews, text); });
}

void record_writers::archive() {
  archive_review question;
  question.id = review_id{some_of(book().reviews.size())};
  question.as_admin = true;
  question.archived = world_.chance().chance(600);
  change((question.archived ? "archives review " : "restores review ") + std::to_string(question.id.value), question,
         switches_[question.id]);
}

void record_writers::vouch() {
  create_vouch question;
  question.author = profile_id{some_profile()};
  question.subject = somebody_else(question.author);
  question.token = world_.chance().chance(200) ? vouch_token::whuf : vouch_token::eth;
  question.amount = wei{1000};
  make(vouches_, std::move(question), [this](const std::string& text) { return with_text(book().vouches, text); });
}

void record_writers::move() {
  const auto number = some_of(book().vouches.size());
  if (number > static_cast<std::int32_t>(book().vouches.size()))
    return;
  const auto& of = book().vouches[static_cast<std::size_t>(number - 1)];
  move_vouch question{vouch_id{number}, of.author, vouch_move::increase, wei{1}, of.token, false};
  if (world_.chance().chance(300)) {
    question.way = world_.chance().chance(500) ? vouch_move::withdraw : vouch_move::decrease;
    question.amount = question.way == vouch_move::decrease ? wei{100} : wei{0};
    return change("takes from vouch " + std::to_string(number), question, others_);
  }
  change("adds 1 wei to vouch " + std::to_string(number), question, increases_[question.id]);
}

void record_writers::mark() {
  const auto number = some_of(book().vouches.size());
  if (number <= static_cast<std::int32_t>(book().vouches.size()))
    change("calls vouch " + std::to_string(number) + " unhealthy",
           mark_unhealthy{vouch_id{number}, book().vouches[static_cast<std::size_t>(number - 1)].author, false},
           others_);
}

void record_writers::reply() {
  create_reply question;
  question.author = profile_id{some_profile()};
  question.on = {activity_kind::review, some_of(book().reviews.size())};
  make(replies_, std::move(question), [this](const std::string& text) { return with_text(book().replies, text); });
}

void record_writers::edit() {
  const auto number = some_of(book().reviews.size());
  if (number <= static_cast<std::int32_t>(book().reviews.size()))
    change("edits review " + std::to_string(number),
           edit_review{review_id{number}, book().reviews[static_cast<std::size_t>(number - 1)].author, std::nullopt,
                       "m" + std::to_string(++texts_), false},
           others_);
}

void record_writers::vote() {
  put_vote question;
  question.voter = profile_id{some_profile()};
  const auto kind = world_.chance().below(3);
  question.on = kind == 0   ? activity{activity_kind::vouch, some_of(book().vouches.size())}
                : kind == 1 ? activity{activity_kind::discussion, some_of(book().replies.size())}
                            : activity{activity_kind::review, some_of(book().reviews.size())};
  question.upvote = world_.chance().chance(500);
  question.wish = world_.chance().chance(200) ? vote_wish::withdraw : vote_wish::stand;
  change("profile " + std::to_string(question.voter.value)
           + (question.wish == vote_wish::withdraw ? " withdraws its vote on " : " votes on ")
           + std::string{name_of(question.on.kind)} + " " + std::to_string(question.on.id),
         question, votes_[{question.on, question.voter}]);
}

/// What was acknowledged is there for whoever asks.
void record_writers::read() {
  std::vector<const attempt*> known;
  for (const auto& each : reviews_)
    if (each.outcome == told::yes)
      known.push_back(&each);
  if (known.empty())
    return;
  const auto& which = *known[world_.chance().below(static_cast<std::uint32_t>(known.size()))];
  auto& op = begin("reads " + which.text);
  op.judge = [this, &op, text = which.text](envelope_base& answered) {
    op.outcome = told::yes;
    if (const auto* found = answer_in<get_review>(answered); found && found->comment != text)
      world_.violation(op.text + ", and another review is shown under its number");
    if (as<get_review>(answered).refused())
      world_.violation(op.text + ", which was acknowledged, and it is not there");
  };
  put(&directory::records, get_review{review_id{which.number}}, op);
}

// -- comparing --------------------------------------------------------------------------------

void record_writers::compare() {
  // Marks are worked off by themselves once nothing fails.
  world_.pass_time(120s, [this] { return book().marked.empty() && !book().begun; });
  compare_attempts();
  compare_votes();
  compare_sums();
  compare_order();
  compare_scores();
  report_.scores = book().worked_out;
}

void record_writers::compare_attempts() {
  const auto judge = [this](const std::deque<attempt>& all, const auto& stored) {
    for (const auto& each : all) {
      const auto times = with_text(stored, each.text);
      const bool right = each.outcome == told::yes ? times == 1 : each.outcome == told::no ? times == 0 : times <= 1;
      if (!right)
        world_.violation(each.text + " is stored " + std::to_string(times) + " times");
    }
  };
  judge(reviews_, book().reviews);
  judge(vouches_, book().vouches);
  judge(replies_, book().replies);
  for (const auto& [id, done] : increases_) {
    if (id.value > static_cast<std::int32_t>(book().vouches.size()))
      continue;
    const auto& of = book().vouches[static_cast<std::size_t>(id.value - 1)];
    const wei more = of.staked - 1000;
    if (more < done.acknowledged || more > done.acknowledged + done.unknown)
      world_.violation("vouch " + std::to_string(id.value) + " was increased by " + decimal(more) + " wei, and "
                       + std::to_string(done.acknowledged) + " were acknowledged");
  }
}

/// The same direction again takes a vote back, so one that counts twice shows.
void record_writers::compare_votes() {
  for (const auto& [key, done] : votes_) {
    const auto found = book().ballots.find(key);
    const auto stored = found == book().ballots.end() ? 0 : found->second;
    const auto told = votes_told_.find(key);
    const auto least = told == votes_told_.end() ? 0 : static_cast<int>(told->second.size());
    if (stored < least || stored > done.acknowledged + done.unknown)
      world_.violation("profile " + std::to_string(key.second.value) + " voted " + std::to_string(stored) + " times on "
                       + std::string{name_of(key.first.kind)} + " " + std::to_string(key.first.id)
                       + ", and was told of " + std::to_string(least) + " votes in " + std::to_string(done.acknowledged)
                       + " answers");
  }
}

/// Sums moved record by record are those from nothing.
void record_writers::compare_sums() {
  const auto expected = inputs_from(book().sums.all, book().epoch);
  for (const auto& [who, inputs] : book().sums.settled())
    if (!(inputs == expected.at(who)))
      world_.violation("the sums of " + named(who) + " are not what its records come to");
}

/// The same records, as they are in the end, written in another order.
void record_writers::compare_order() {
  auto all = book().sums.all;
  const auto shuffle = [this](auto& value) {
    for (std::size_t i = value.size(); i > 1; --i)
      std::swap(value[i - 1], value[world_.chance().below(static_cast<std::uint32_t>(i))]);
  };
  shuffle(all.reviews);
  shuffle(all.vouches);
  shuffle(all.votes);
  score::score_ledger again;
  again.today = book().epoch;
  again.all.people = all.people;
  for (const auto& each : all.people)
    again.inputs[each.id].vouches.as_of = book().epoch;
  for (const auto& each : all.vouches)
    again.write(each);
  for (const auto& each : all.reviews)
    again.write(each);
  for (const auto& each : all.votes)
    again.write(each);
  const auto right = book().sums.settled();
  for (const auto& [who, inputs] : again.settled())
    if (!(inputs == right.at(who)))
      world_.violation("the sums of " + named(who) + " depend on the order of records");
}

void record_writers::compare_scores() {
  if (!book().marked.empty() || book().begun)
    world_.violation("scores are not worked out though nothing fails");
  const auto expected = inputs_from(book().sums.all, book().epoch);
  for (const auto& [who, shown] : book().scores) {
    const auto right = breakdown_of(expected.at(who), book().epoch);
    if (right.score != shown.now)
      world_.violation(named(who) + " shows a score of " + std::to_string(shown.now) + ", and its records come to "
                       + std::to_string(right.score));
    if (!shown.points.empty() && std::accumulate(shown.points.begin(), shown.points.end(), right.starting) != shown.now)
      world_.violation("the elements of " + named(who) + " do not add up to its score");
  }
}

} // namespace credence::test
