#include "actors/score/score_facts.hpp"
#include "tests/actors/score/score_ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

namespace credence::score {
namespace {

using std::chrono::days;

constexpr day first_day{std::chrono::year{2026} / 3 / 1};
constexpr wei ether = wei_per_ether;

/// Somebody with a live profile.
person profile(std::int32_t id, std::int32_t epoch_score = 1400) { return {user_id{id}, true, epoch_score}; }

score_inputs inputs_of(std::int32_t id, const facts& all) { return inputs_from(all, first_day).at(user_id{id}); }

const facts two_people{{profile(1), profile(2, 1650)}, {}, {}, {}, {}};

// -- what records count for ---------------------------------------------------

TEST(ScoreFacts, AReviewCountsByItsAuthorsEpochScore) {
  auto all = two_people;
  all.reviews = {{0, user_id{2}, user_id{1}, sentiment::positive},
                 {1, user_id{2}, user_id{1}, sentiment::negative, true}};
  EXPECT_EQ(inputs_of(1, all).of(sentiment::positive), (review_sums{1, 1650}));
  EXPECT_EQ(inputs_of(1, all).of(sentiment::negative), review_sums{}) << "it is archived";
  all.people[1].live = false;
  EXPECT_EQ(inputs_of(1, all).of(sentiment::positive), (review_sums{1, 0})) << "counted, without weight";
  all.reviews[0].author = {};
  EXPECT_EQ(inputs_of(1, all).of(sentiment::positive), (review_sums{1, 0})) << "by an address of nobody";
}

TEST(ScoreFacts, APositiveReviewThatItsSubjectVotedDownIsNeutral) {
  auto all = two_people;
  all.people.push_back(profile(3));
  all.reviews = {{0, user_id{2}, user_id{1}, sentiment::positive}, {1, user_id{2}, user_id{1}, sentiment::negative}};
  all.votes = {{{activity::review, 0}, user_id{3}, false},
               {{activity::review, 1}, user_id{1}, false},
               {{activity::review, 0}, user_id{1}, true}};
  EXPECT_EQ(inputs_of(1, all).of(sentiment::positive).count, 1) << "others voted it down, the subject voted it up";
  EXPECT_EQ(inputs_of(1, all).of(sentiment::negative).count, 1) << "a bad one cannot be voted away";
  all.votes[2].up = false;
  EXPECT_EQ(inputs_of(1, all).of(sentiment::positive), review_sums{});
  EXPECT_EQ(inputs_of(1, all).of(sentiment::neutral), (review_sums{1, 1650}));
  all.votes[2].archived = true;
  EXPECT_EQ(inputs_of(1, all).of(sentiment::positive).count, 1);
}

TEST(ScoreFacts, RecordsThatAnEpochHasNotReachedWeighByTheScoreBefore) {
  auto all = two_people;
  all.people[1].epoch_in_progress = partially_processed{1000, 4, 70};
  all.reviews = {{4, user_id{2}, user_id{1}, sentiment::positive},
                 {5, user_id{2}, user_id{1}, sentiment::negative},
                 {6, user_id{1}, user_id{2}}};
  all.votes = {{{activity::review, 6}, user_id{2}, true, false, 70}};
  EXPECT_EQ(inputs_of(1, all).of(sentiment::positive), (review_sums{1, 1650}));
  EXPECT_EQ(inputs_of(1, all).of(sentiment::negative), (review_sums{1, 1000}));
  EXPECT_EQ(inputs_of(1, all).votes_up, 2);
  all.votes[0].number = 71;
  EXPECT_EQ(inputs_of(1, all).votes_up, 0) << "1000 is below the first level";
  all.people[1].live = false;
  EXPECT_EQ(inputs_of(1, all).of(sentiment::negative), (review_sums{1, 0}));
}

TEST(ScoreFacts, NobodyMovesTheirOwnScore) {
  auto all = two_people;
  all.reviews = {{0, user_id{1}, user_id{1}, sentiment::positive}, {1, user_id{1}, user_id{2}, sentiment::positive}};
  all.vouches = {{{activity::vouch, 0}, user_id{1}, user_id{1}, true, {{ether, first_day}}}};
  all.votes = {{{activity::review, 1}, user_id{1}, true}, {{activity::vouch, 0}, user_id{1}, true}};
  score_inputs nothing;
  nothing.vouches.as_of = first_day;
  EXPECT_EQ(inputs_of(1, all), nothing);
}

TEST(ScoreFacts, AVoucherCountsOnceForBothTokensAndAnEtherVouchByItsParts) {
  auto all = two_people;
  all.vouches = {{{activity::vouch, 0},
                  user_id{2},
                  user_id{1},
                  true,
                  {{2 * ether, first_day - days{200}}, {3 * ether, first_day - days{7}}}},
                 {{activity::vouch_v2, 0}, user_id{2}, user_id{1}, false, {{50 * ether, first_day}}},
                 {{activity::vouch, 1}, user_id{1}, user_id{2}, true, {}, true, true}};
  auto one = inputs_of(1, all);
  EXPECT_EQ(one.vouchers, 1);
  EXPECT_EQ(one.mutual_vouchers, 0) << "the way back has ended";
  EXPECT_EQ(one.vouches.mature, 2 * ether);
  EXPECT_EQ(one.vouches.young, 3 * ether) << "the other token is no ether";
  EXPECT_EQ(wei_days(one.vouches, first_day), ether * (2 * 180 + 3 * 7));
  EXPECT_EQ(inputs_of(2, all).unhealthy, 1);
  EXPECT_EQ(inputs_of(2, all).vouchers, 0);
  all.vouches[2].archived = all.vouches[2].unhealthy = false;
  EXPECT_EQ(inputs_of(1, all).mutual_vouchers, 1);
  EXPECT_EQ(inputs_of(2, all).mutual_vouchers, 1);
  all.vouches[0].archived = true;
  one = inputs_of(1, all);
  EXPECT_EQ(one.vouchers, 1) << "by the other token";
  EXPECT_EQ(wei_days(one.vouches, first_day), 0);
}

TEST(ScoreFacts, VotesWeighByTheLevelOfTheVoter) {
  auto all = two_people;
  all.people.push_back(profile(3, 2600));
  all.people.push_back(profile(4, 1399));
  all.reviews = {{0, user_id{1}, user_id{2}, sentiment::positive}};
  all.vouches = {{{activity::vouch, 0}, user_id{1}, user_id{2}, true, {{ether, first_day}}}};
  all.votes = {{{activity::review, 0}, user_id{2}, true},
               {{activity::vouch, 0}, user_id{3}, false},
               {{activity::vouch, 0}, user_id{4}, true}};
  EXPECT_EQ(inputs_of(1, all).votes_up, 2); // 1650 is the second level that weighs anything
  EXPECT_EQ(inputs_of(1, all).votes_down, 7);
  all.vouches[0].archived = true;
  EXPECT_EQ(inputs_of(1, all).votes_down, 0) << "votes on what has ended count no more";
  all.people[1].live = false;
  EXPECT_EQ(inputs_of(1, all).votes_up, 0);
}

TEST(ScoreFacts, TellWhatIsKnownOfAPerson) {
  auto all = two_people;
  all.people[0].human_verified = true;
  all.people[0].inviter = user_id{2};
  all.people[0].addresses_seen = {first_day, first_day - days{900}, first_day - days{3}};
  all.people[0].x_accounts = {"1541815603606036480", "not an id", "12345"};
  const auto inputs = inputs_of(1, all);
  EXPECT_TRUE(inputs.human_verified);
  EXPECT_EQ(inputs.inviter_score, 1650);
  EXPECT_EQ(inputs.first_seen, first_day - days{900});
  EXPECT_EQ(inputs.x_account, 12345U);
}

TEST(ScoreFacts, ThatNameSomebodyUnknownAreRefused) {
  auto review_of_nobody = two_people;
  review_of_nobody.reviews = {{0, user_id{1}, user_id{9}, sentiment::positive}};
  EXPECT_THROW(inputs_from(review_of_nobody, first_day), std::invalid_argument);
  auto vote_on_nothing = two_people;
  vote_on_nothing.votes = {{{activity::review, 0}, user_id{1}, true}};
  EXPECT_THROW(inputs_from(vote_on_nothing, first_day), std::invalid_argument);
  auto penalty_of_nobody = two_people;
  penalty_of_nobody.penalties = {{user_id{9}, {slash_id{1}, penalty_reason::subject, 5}}};
  EXPECT_THROW(inputs_from(penalty_of_nobody, first_day), std::invalid_argument);
}

// -- parts of a vouch ---------------------------------------------------------

TEST(VouchParts, AreOneADayAndTheNewestGoFirst) {
  std::vector<vouch_part> parts;
  put(parts, {5 * ether, first_day});
  put(parts, {2 * ether, first_day + days{9}});
  put(parts, {1 * ether, first_day + days{4}});
  put(parts, {3 * ether, first_day});
  EXPECT_EQ(parts, (std::vector<vouch_part>{
                     {8 * ether, first_day}, {1 * ether, first_day + days{4}}, {2 * ether, first_day + days{9}}}));
  EXPECT_THROW(take(parts, 11 * ether + 1), std::out_of_range);
  EXPECT_EQ(parts.size(), 3U);
  take(parts, ether * 5 / 2);
  EXPECT_EQ(parts, (std::vector<vouch_part>{{8 * ether, first_day}, {ether / 2, first_day + days{4}}}));
  take(parts, 0);
  take(parts, ether / 2);
  EXPECT_EQ(parts, (std::vector<vouch_part>{{8 * ether, first_day}}));
  take(parts, 8 * ether);
  EXPECT_TRUE(parts.empty());
}

// -- change by change, and from nothing ---------------------------------------

/// People who review, vouch, vote, slash, come and go for a while; epochs go from person to person in between.
class bustle {
public:
  explicit bustle(std::uint64_t seed) : random_(seed) {
    ledger.today = first_day;
    for (std::int32_t id = 1; id <= 9; ++id) {
      ledger.all.people.push_back(profile(id, 1000 + 180 * id));
      ledger.all.people.back().inviter = user_id{id / 2};
      ledger.inputs[user_id{id}].vouches.as_of = first_day;
    }
    for (const auto& each : ledger.all.people)
      if (each.inviter)
        apply(ledger.inputs[each.id], inviter_rescored{ledger.who(each.inviter).epoch_score});
  }

  void step() {
    switch (random_() % 10) {
      case 0: return ledger.write(review{number_++, someone(), someone(), static_cast<sentiment>(random_() % 3)});
      case 1: return edit_review();
      case 2: return open_vouch();
      case 3:
      case 4: return edit_vouch();
      case 5: return vote();
      case 6: return edit_vote();
      case 7: return slash_somebody();
      case 8: return ledger.edit_standing(someone(), [](person& who) { who.live = !who.live; });
      default: return epoch();
    }
  }
  /// Begins a day: the scores of all until now are those of the epoch, person by person from now on.
  void next_day(days later) {
    finish_epoch();
    ledger.today += later;
    for (auto& [id, inputs] : ledger.inputs) {
      advance(inputs, ledger.today - days{1}, ledger.parts_of(id));
      waiting_.emplace_back(id, breakdown_of(inputs, ledger.today).score);
    }
    std::shuffle(waiting_.begin(), waiting_.end(), random_);
  }
  void finish_epoch() {
    while (!waiting_.empty())
      epoch();
  }

  score_ledger ledger;

private:
  user_id someone() { return user_id{static_cast<std::int32_t>(random_() % 9 + 1)}; }
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  wei amount() { return ether * (random_() % 300 + 1) / 17; }

  void edit_review() {
    if (!ledger.all.reviews.empty())
      ledger.edit_review(below(ledger.all.reviews.size()), [&](review& review) {
        if (random_() % 2 == 0)
          review.archived = !review.archived;
        else
          review.subject = someone(); // an account was claimed
      });
  }
  void open_vouch() {
    vouch made{{random_() % 2 == 0 ? activity::vouch : activity::vouch_v2, number_++}, someone(), someone()};
    made.in_ether = made.id.kind == activity::vouch;
    put(made.parts, {amount(), ledger.today - days{random_() % 5 == 0 ? random_() % 250 : 0}});
    ledger.write(made);
  }
  void edit_vouch() {
    if (!ledger.all.vouches.empty())
      ledger.edit_vouch(below(ledger.all.vouches.size()), [&](vouch& vouch) {
        if (vouch.archived)
          vouch.unhealthy = true;
        else if (const auto how = random_() % 4; how == 0)
          vouch.archived = true, vouch.parts.clear();
        else if (how == 1)
          vouch.subject = someone();
        else if (how == 2)
          put(vouch.parts, {amount(), ledger.today});
        else if (!vouch.parts.empty())
          take(vouch.parts, vouch.parts.back().amount * (random_() % 101) / 100);
      });
  }
  void vote() {
    if (ledger.all.reviews.empty() || ledger.all.vouches.empty())
      return;
    const auto& review = ledger.all.reviews[below(ledger.all.reviews.size())];
    const auto on = random_() % 2 == 0 ? activity_id{activity::review, review.number}
                                       : ledger.all.vouches[below(ledger.all.vouches.size())].id;
    const auto voter = random_() % 2 == 0 ? review.subject : someone();
    if (std::none_of(ledger.all.votes.begin(), ledger.all.votes.end(),
                     [&](const auto& each) { return each.target == on && each.voter == voter; }))
      ledger.write(activity_vote{on, voter, random_() % 2 == 0});
  }
  void edit_vote() {
    if (!ledger.all.votes.empty())
      ledger.edit_vote(below(ledger.all.votes.size()),
                       [&](activity_vote& vote) { (random_() % 2 == 0 ? vote.up : vote.archived) ^= true; });
  }
  void slash_somebody() {
    if (slashes_ > 0 && random_() % 4 == 0) // extended after its end
      return ledger.open_again(slash_id{static_cast<std::int32_t>(below(static_cast<std::size_t>(slashes_)) + 1)});
    const slash_id closed{++slashes_};
    const auto points = static_cast<std::int32_t>(random_() % 300);
    if (random_() % 2 == 0) // the subject is defended
      return ledger.close({user_id{4}, {closed, penalty_reason::author, points}});
    ledger.close({user_id{3}, {closed, penalty_reason::subject, points}});
    ledger.close({user_id{1}, {closed, penalty_reason::vouch, points / 5}});
    ledger.close({user_id{2}, {closed, penalty_reason::review, points / 10}});
  }
  void epoch() {
    if (waiting_.empty())
      return;
    const auto [id, score] = waiting_.back();
    waiting_.pop_back();
    ledger.edit_standing(id, [&, now = score](person& who) { who.epoch_score = now; });
    advance(ledger.inputs[id], ledger.today, ledger.parts_of(id));
  }

  std::mt19937_64 random_;
  std::int64_t number_ = 0;
  std::int32_t slashes_ = 0;
  std::vector<std::pair<user_id, std::int32_t>> waiting_; // for the epoch, with their new scores
};

TEST(ScoreFacts, ChangeByChangeAndFromNothingGiveTheSameInputs) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    bustle world{seed};
    for (int i = 0; i < 600; ++i) {
      if (i % 40 == 39)
        world.next_day(days{1});
      world.step();
      ASSERT_EQ(world.ledger.settled(), inputs_from(world.ledger.all, world.ledger.today))
        << "seed " << seed << ", step " << i;
    }
    world.finish_epoch();
    for (const auto& [id, inputs] : inputs_from(world.ledger.all, world.ledger.today))
      EXPECT_EQ(breakdown_of(inputs, world.ledger.today).score,
                breakdown_of(world.ledger.inputs[id], world.ledger.today).score);
  }
}

TEST(ScoreFacts, GiveTheSameInputsInWhateverOrderAnEpochGoesThroughPeople) {
  std::mt19937_64 random{12};
  bustle world{5};
  for (int i = 0; i < 500; ++i)
    world.step();
  const auto before = world.ledger;
  std::vector<std::pair<user_id, std::int32_t>> scores; // of the moment at which the epoch begins
  for (const auto& [id, inputs] : before.inputs)
    scores.emplace_back(id, breakdown_of(inputs, before.today).score);
  std::vector<std::map<user_id, score_inputs>> results;
  for (int i = 0; i < 10; ++i) {
    auto ledger = before;
    std::shuffle(scores.begin(), scores.end(), random);
    for (const auto& [id, score] : scores)
      ledger.edit_standing(id, [now = score](person& who) { who.epoch_score = now; });
    EXPECT_NE(ledger.inputs, before.inputs);
    results.push_back(ledger.inputs);
  }
  EXPECT_EQ(std::count(results.begin(), results.end(), results.front()), 10);
}

TEST(ScoreFacts, GiveTheSameInputsInWhateverOrderTheRecordsAreRead) {
  std::mt19937_64 random{3};
  bustle world{77};
  for (int i = 0; i < 800; ++i)
    world.step();
  auto all = world.ledger.all;
  const auto expected = inputs_from(all, first_day);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(all.people.begin(), all.people.end(), random);
    std::shuffle(all.reviews.begin(), all.reviews.end(), random);
    std::shuffle(all.vouches.begin(), all.vouches.end(), random);
    std::shuffle(all.votes.begin(), all.votes.end(), random);
    std::shuffle(all.penalties.begin(), all.penalties.end(), random);
    ASSERT_EQ(inputs_from(all, first_day), expected);
  }
}

using enum direction;

constexpr day today{std::chrono::year{2026} / 11 / 22};

score_inputs after(std::initializer_list<input_change> changes) {
  score_inputs out;
  for (const auto& each : changes)
    apply(out, each);
  return out;
}

/// Changes of one user that do not depend on each other: each begins something of its own.
std::vector<input_change> independent(std::mt19937_64& random, int count) {
  std::vector<input_change> out;
  const auto below = [&](std::uint64_t end) { return static_cast<std::int32_t>(random() % end); };
  for (int i = 0; i < count; ++i)
    switch (random() % 7) {
      case 0: out.push_back(review_counted{in, static_cast<sentiment>(below(3)), below(2801)}); break;
      case 1:
        out.push_back(vouch_part_counted{in, {ether * (below(500) + 1) / 7, today - days{below(400)}}, today});
        break;
      case 2: out.push_back(voucher_counted{in}); break;
      case 3: out.push_back(mutual_voucher_counted{in}); break;
      case 4: out.push_back(unhealthy_counted{in}); break;
      case 5: out.push_back(vote_counted{in, random() % 2 == 0, below(8)}); break;
      default:
        out.push_back(penalty_counted{in, {slash_id{i + 1}, static_cast<penalty_reason>(below(4)), below(2801)}});
    }
  out.push_back(human_verification_set{true});
  out.push_back(first_seen_set{today - days{below(3000)}});
  out.push_back(x_account_set{random()});
  out.push_back(inviter_rescored{below(2801)});
  return out;
}

TEST(ScoreChanges, GiveTheSameInputsInAnyOrder) {
  std::mt19937_64 random{4};
  for (int round = 0; round < 200; ++round) {
    auto changes = independent(random, 60);
    score_inputs expected;
    for (const auto& each : changes)
      apply(expected, each);
    const auto score = breakdown_of(expected, today).score;
    for (int i = 0; i < 5; ++i) {
      std::shuffle(changes.begin(), changes.end(), random);
      score_inputs shuffled;
      for (const auto& each : changes)
        apply(shuffled, each);
      ASSERT_EQ(shuffled, expected) << "round " << round;
      ASSERT_EQ(breakdown_of(shuffled, today).score, score);
    }
  }
}

TEST(ScoreChanges, TakenBackLeaveWhatWasBefore) {
  const vouch_part part{3 * ether, today - days{10}};
  const penalty lost{slash_id{2}, penalty_reason::vouch, 20};
  auto inputs =
    after({review_counted{in, sentiment::positive, 1400}, vouch_part_counted{in, {ether, today - days{200}}, today},
           voucher_counted{in}, mutual_voucher_counted{in}, unhealthy_counted{in}, vote_counted{in, true, 3},
           penalty_counted{in, {slash_id{1}, penalty_reason::subject, 100}}});
  const auto before = inputs;
  const auto both_ways = [&](auto change) {
    apply(inputs, change);
    EXPECT_NE(inputs, before);
    change.way = change.way == direction::in ? direction::out : direction::in;
    apply(inputs, change);
    EXPECT_EQ(inputs, before);
  };
  both_ways(review_counted{in, sentiment::negative, 900});
  both_ways(vouch_part_counted{in, part, today});
  both_ways(vouch_part_counted{in, {ether, today - days{180}}, today});
  both_ways(voucher_counted{in});
  both_ways(mutual_voucher_counted{in});
  both_ways(unhealthy_counted{in});
  both_ways(vote_counted{in, false, 7});
  both_ways(penalty_counted{in, lost});
}

TEST(ScoreChanges, OfAnAuthorsScoreMoveTheReviewsOfThatAuthor) {
  auto inputs = after({review_counted{in, sentiment::positive, 1400}, review_counted{in, sentiment::positive, 1400},
                       review_counted{in, sentiment::positive, 900}});
  apply(inputs, reviewer_rescored{sentiment::positive, 2, 1400, 1650});
  EXPECT_EQ(inputs, after({review_counted{in, sentiment::positive, 1650}, review_counted{in, sentiment::positive, 1650},
                           review_counted{in, sentiment::positive, 900}}));
  apply(inputs, reviewer_rescored{sentiment::positive, 2, 1650, 0}); // archived
  EXPECT_EQ(inputs.of(sentiment::positive), (review_sums{3, 900}));
}

TEST(ScoreChanges, ThatCannotBeTrueAreRefusedAndChangeNothing) {
  const auto start =
    after({review_counted{in, sentiment::positive, 1400}, vouch_part_counted{in, {ether, today}, today},
           vote_counted{in, true, 3}, penalty_counted{in, {slash_id{1}, penalty_reason::subject, 100}}});
  const auto refuses = [&]<class Error>(const input_change& change, const Error&) {
    auto inputs = start;
    EXPECT_THROW(apply(inputs, change), Error) << "alternative " << change.index();
    EXPECT_EQ(inputs, start) << "alternative " << change.index();
  };
  const std::out_of_range range{""};
  const std::invalid_argument argument{""};
  refuses(review_counted{out, sentiment::neutral, 1400}, range);
  refuses(review_counted{out, sentiment::positive, 1401}, range); // the count would be right, the sum is not
  refuses(review_counted{in, sentiment::positive, -1}, range);
  refuses(review_counted{in, sentiment::positive, 2801}, range);
  refuses(reviewer_rescored{sentiment::positive, 2, 1400, 1500}, range);
  refuses(reviewer_rescored{sentiment::positive, 1, 1500, 0}, range);
  refuses(vouch_part_counted{in, {wei{}, today}, today}, range);
  refuses(vouch_part_counted{in, {vouch_part_max + 1, today}, today}, range);
  refuses(vouch_part_counted{in, {std::numeric_limits<wei>::max(), today}, today}, range);
  refuses(vouch_part_counted{in, {ether, day{} - days{1}}, today}, range);
  refuses(vouch_part_counted{out, {ether + 1, today}, today}, range);
  refuses(vouch_part_counted{out, {ether, today + days{1}}, today}, range); // the amount would be right, the day is not
  refuses(vouch_part_counted{out, {ether, today - days{300}}, today}, range);
  refuses(voucher_counted{out}, range);
  refuses(mutual_voucher_counted{out}, range);
  refuses(unhealthy_counted{out}, range);
  refuses(vote_counted{out, false, 3}, range);
  refuses(vote_counted{in, true, 8}, range);
  refuses(vote_counted{in, true, -1}, range);
  refuses(inviter_rescored{2801}, range);
  refuses(penalty_counted{in, {slash_id{2}, penalty_reason::author, 2801}}, range);
  refuses(penalty_counted{in, {slash_id{1}, penalty_reason::vouch, 20}}, argument);
  refuses(penalty_counted{out, {slash_id{1}, penalty_reason::subject, 99}}, argument);
  refuses(penalty_counted{out, {slash_id{2}, penalty_reason::subject, 100}}, argument);
  EXPECT_TRUE(is_countable({vouch_part_max, today}));
  auto full = start;
  full.of(sentiment::positive) = {std::numeric_limits<std::int64_t>::max(), 0};
  EXPECT_THROW(apply(full, review_counted{in, sentiment::positive, 0}), std::out_of_range) << "beyond 64 bits";
}

// -- days that go by ----------------------------------------------------------

TEST(VouchedEther, MaturesOnTheHundredAndEightiethDayWhateverItLiesBeside) {
  const std::vector<vouch_part> parts{
    {ether, today - days{180}}, {2 * ether, today - days{179}}, {4 * ether, today}, {8 * ether, today - days{900}}};
  score_inputs inputs;
  for (const auto& each : parts)
    apply(inputs, vouch_part_counted{in, each, today - days{1}});
  EXPECT_EQ(inputs.vouches.mature, 8 * ether) << "as of yesterday";
  advance(inputs, today, parts);
  EXPECT_EQ(inputs.vouches.mature, 9 * ether);
  EXPECT_EQ(inputs.vouches.young, 6 * ether);
  advance(inputs, today, parts);
  advance(inputs, today - days{5}, parts);
  EXPECT_EQ(inputs.vouches.mature, 9 * ether) << "a day is gone through once";
  advance(inputs, today + days{180}, parts);
  EXPECT_EQ(inputs.vouches, (vouch_sums{0, 0, 15 * ether, today + days{180}}));
}

TEST(VouchedEther, ThatBeginsLaterNeedsNoVisitForTheDaysWithoutAny) {
  score_inputs inputs; // no epoch has visited it: there was nothing young
  apply(inputs, vouch_part_counted{in, {ether, today}, today});
  EXPECT_EQ(inputs.vouches.as_of, today);
  EXPECT_EQ(wei_days(inputs.vouches, today + days{1}), ether);
}

/// Parts begin and end at any time, before and after the epoch has visited the sums of the day.
TEST(VouchedEther, IsTheSumOverItsPartsOnEveryDayAndWhenTheEpochComesLate) {
  std::mt19937_64 random{9};
  for (int round = 0; round < 20; ++round) {
    score_inputs inputs;
    std::vector<vouch_part> parts;
    for (day now = today; now < today + days{400}; now += days{1}) {
      const bool late = random() % 2 == 0;
      if (!late)
        advance(inputs, now, parts);
      for (auto changes = random() % 3; changes > 0; --changes)
        if (parts.empty() || random() % 3 != 0) {
          parts.push_back({ether * (random() % 90 + 1) / 13, now - days{random() % 8 == 0 ? random() % 300 : 0}});
          apply(inputs, vouch_part_counted{in, parts.back(), now});
        } else {
          const auto gone = parts.begin() + static_cast<std::ptrdiff_t>(random() % parts.size());
          apply(inputs, vouch_part_counted{out, *gone, now});
          parts.erase(gone);
        }
      wei expected;
      for (const auto& each : parts)
        expected += each.amount * std::min<std::int64_t>((now - each.day).count(), 180);
      ASSERT_EQ(wei_days(inputs.vouches, now), expected)
        << "round " << round << ", day " << (now - today).count() << (late ? ", before" : ", after");
      advance(inputs, now, parts);
      ASSERT_EQ(wei_days(inputs.vouches, now), expected);
    }
  }
}

} // namespace
} // namespace credence::score
