#include "actors/score/influence.hpp"
#include "actors/score/score_state.hpp"
#include "persistence/sql/score_sql.hpp"
#include "persistence/verify/verify.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace credence::persistence {

namespace {

/// What is gathered of differences: all are counted, the first are shown.
class difference_list {
public:
  void add(std::string text) {
    if (++found.differences <= shown_max)
      found.examples.push_back(std::move(text));
  }
  verified found{"scores",
                 "the sums of every user, and the score and the influence they give, are what the records and the "
                 "epoch scores come to",
                 0,
                 {}};

private:
  static constexpr std::int64_t shown_max = 10;
};

/// Nobody while percentiles are behind: an epoch, or a recount, has yet to work them out.
constexpr auto influence_ranks_sql =
  "SELECT user_id, percentile, reach, lower_percentile, lower_reach FROM (SELECT i.user_id, i.reach, "
  "u.influence_percentile AS percentile,"
  " lag(i.reach) OVER w AS lower_reach, lag(u.influence_percentile) OVER w AS lower_percentile"
  " FROM influences i JOIN users u ON u.id = i.user_id WINDOW w AS (ORDER BY i.reach, i.user_id)) each"
  " WHERE (percentile < lower_percentile OR (reach = lower_reach AND percentile <> lower_percentile))"
  " AND (SELECT through >= moved FROM influence_percentiles)";

/// A larger reach has no smaller percentile, and equal ones have the same.
void compare_percentiles(difference_list& to, connection& on, steady_time deadline) {
  const auto wrong = on.exec_params(influence_ranks_sql, deadline);
  const column<user_id> user{wrong, "user_id"};
  const column<double> percentile{wrong, "percentile"}, lower{wrong, "lower_percentile"};
  const column<std::int64_t> reach{wrong, "reach"}, lower_reach{wrong, "lower_reach"};
  for (int i = 0; i < wrong.count(); ++i)
    to.add("user " + std::to_string(user[i].value) + " has a percentile of " + std::to_string(percentile[i])
           + " for a reach of " + std::to_string(reach[i]) + ", and somebody with a reach of "
           + std::to_string(lower_reach[i]) + " has " + std::to_string(lower[i]));
}

// What a score is made of, straight from the records, for the users in a range (from above $1 up to $2). The standing
// of a record's author is the author's, not what was counted.
constexpr auto next_sql =
  "SELECT max(id) AS last FROM (SELECT id FROM users WHERE id > $1::int4 ORDER BY id LIMIT $2::int4) next";
constexpr auto sums_sql = "SELECT * FROM full_score_inputs WHERE user_id > $1::int4 AND user_id <= $2::int4";
/// `epoch` and `mark` narrow the rows that are joined to those of the chosen users, which the planner does not do by
/// itself.
std::string people_sql(const std::string& chosen, const std::string& epoch = "", const std::string& mark = "") {
  return "SELECT u.id, coalesce(NOT p.archived AND NOT p.orphaned, false) AS live, coalesce(e.score, 1200) AS "
         "epoch_score, u.score AS shown,"
         " e.before, e.reviews_through, e.votes_through, (SELECT o.user_id FROM profiles o WHERE o.id = p.invited_by) "
         "AS inviter,"
         " d.user_id IS NOT NULL AS dirty, u.influence_factor AS influence, coalesce((SELECT reach FROM influences i "
         "WHERE i.user_id = u.id), 0) AS"
         " reach, EXISTS (SELECT FROM influence_due n WHERE n.user_id = u.id) AS reach_due FROM users u LEFT JOIN "
         "profiles p ON p.user_id = u.id "
         "LEFT JOIN epoch_scores e ON e.user_id = u.id"
         + epoch + " LEFT JOIN score_dirty d ON d.user_id = u.id" + mark + " WHERE " + chosen;
}
const std::string in_range_sql =
  people_sql("u.id > $1::int4 AND u.id <= $2::int4", " AND e.user_id > $1::int4 AND e.user_id <= $2::int4",
             " AND d.user_id > $1::int4 AND d.user_id <= $2::int4");
const std::string others_sql = people_sql("u.id = ANY ($1::int4[])");
constexpr auto score_reviews_sql =
  "SELECT r.id, p.user_id AS author, s.user_id AS subject, r.score, r.archived FROM ("
  "  SELECT o.id FROM subjects s JOIN reviews o ON o.subject_key = s.key AND o.subject_generation = s.generation"
  "   WHERE s.user_id > $1::int4 AND s.user_id <= $2::int4"
  "  UNION SELECT o.id FROM profiles a JOIN reviews o ON o.author_profile = a.id WHERE a.user_id > $1::int4 AND "
  "a.user_id <= $2::int4) found"
  " JOIN reviews r ON r.id = found.id JOIN subjects s ON s.key = r.subject_key AND s.generation = r.subject_generation"
  " LEFT JOIN profiles p ON p.id = r.author_profile";
constexpr auto score_vouches_sql =
  "SELECT v.contract = 'vouchV2' AS second, v.number, p.user_id AS author, s.user_id AS subject, v.token = 'eth' AS "
  "in_ether, v.archived,"
  " v.unhealthy FROM ("
  "  SELECT o.contract, o.number FROM subjects s JOIN vouches o ON o.subject_key = s.key AND o.subject_generation = "
  "s.generation"
  "   WHERE s.user_id > $1::int4 AND s.user_id <= $2::int4"
  "  UNION SELECT o.contract, o.number FROM profiles a JOIN vouches o ON o.author_profile = a.id"
  "   WHERE a.user_id > $1::int4 AND a.user_id <= $2::int4) found"
  " JOIN vouches v ON v.contract = found.contract AND v.number = found.number"
  " JOIN subjects s ON s.key = v.subject_key AND s.generation = v.subject_generation JOIN profiles p ON p.id = "
  "v.author_profile";
constexpr auto parts_sql = "SELECT p.contract = 'vouchV2' AS second, p.number, p.day, p.amount FROM subjects s"
                           " JOIN vouches o ON o.subject_key = s.key AND o.subject_generation = s.generation"
                           " JOIN vouch_parts p ON p.contract = o.contract AND p.number = o.number WHERE s.user_id > "
                           "$1::int4 AND s.user_id <= $2::int4 ORDER BY 1, 2, 3";
// On what these users wrote; and their own on reviews about themselves.
constexpr auto votes_sql =
  "SELECT found.kind, found.target_id, p.user_id AS voter, found.upvote, found.archived, found.number FROM ("
  "  SELECT v.* FROM profiles a JOIN reviews r ON r.author_profile = a.id"
  "   JOIN activity_votes v ON v.kind = 'review' AND v.target_id = r.id WHERE a.user_id > $1::int4 AND a.user_id <= "
  "$2::int4"
  "  UNION SELECT v.* FROM profiles a JOIN vouches o ON o.author_profile = a.id"
  "   JOIN activity_votes v ON v.kind = CASE o.contract WHEN 'vouchV2' THEN 'vouchV2' ELSE 'vouch' END AND v.target_id "
  "= o.number"
  "   WHERE a.user_id > $1::int4 AND a.user_id <= $2::int4"
  "  UNION SELECT v.* FROM profiles a JOIN activity_votes v ON v.voter = a.id AND v.kind = 'review'"
  "   JOIN reviews r ON r.id = v.target_id JOIN subjects s ON s.key = r.subject_key AND s.generation = "
  "r.subject_generation"
  "    AND s.user_id = a.user_id WHERE a.user_id > $1::int4 AND a.user_id <= $2::int4) found JOIN profiles p ON p.id = "
  "found.voter";

/// What a user shows, and the sums that are stored of that user.
struct stored_person {
  std::int32_t shown = 0;
  bool dirty = false;
  double influence = 0;
  std::int64_t reach = 0;
  bool reach_due = false;
  std::optional<score::score_inputs> inputs;
  std::optional<score::day> newest_part;
};
using stored_people = std::map<user_id, stored_person>;

/// Users from above `after` up to `last`, and what their scores rest on: records that they wrote or received, and the
/// people in these.
class checked_range {
public:
  checked_range(connection& on, std::int32_t after, std::int32_t last, steady_time deadline)
    : on_(on), range_(parameters{}.int4(after).int4(last)), deadline_(deadline) {
    read_people();
    read_reviews();
    read_vouches();
    read_parts();
    read_votes();
    read_others();
  }

  score::facts from;
  stored_people stored;

private:
  void read_people() {
    const auto sums = on_.exec_params(sums_sql, range_, deadline_);
    auto inputs = score_inputs_in(sums);
    const column<user_id> user{sums, "user_id"};
    const column<std::optional<score::day>> newest_part{sums, "newest_part"};
    for (int i = 0; i < sums.count(); ++i) {
      stored[user[i]].inputs = std::move(inputs[static_cast<std::size_t>(i)]);
      stored[user[i]].newest_part = newest_part[i];
    }
    add_people(on_.exec_params(in_range_sql.c_str(), range_, deadline_), true);
  }

  /// Of the others only what they weigh is known.
  void add_people(const rows& found, bool checked) {
    const column<user_id> id{found, "id"};
    const column<bool> live{found, "live"}, dirty{found, "dirty"}, reach_due{found, "reach_due"};
    const column<double> influence{found, "influence"};
    const column<std::int64_t> reach{found, "reach"};
    const column<std::int32_t> epoch_score{found, "epoch_score"}, shown{found, "shown"};
    const column<std::optional<std::int32_t>> before{found, "before"}, reviews_through{found, "reviews_through"},
      votes_through{found, "votes_through"};
    const column<std::optional<user_id>> inviter{found, "inviter"};
    for (int i = 0; i < found.count(); ++i) {
      score::person who{id[i], live[i], epoch_score[i]};
      if (before[i])
        who.epoch_in_progress =
          score::partially_processed{*before[i], reviews_through[i].value_or(0), votes_through[i].value_or(0)};
      if (checked) {
        auto& its = stored[id[i]];
        its.shown = shown[i];
        its.dirty = dirty[i];
        its.influence = influence[i];
        its.reach = reach[i];
        its.reach_due = reach_due[i];
        who.inviter = inviter[i].value_or(user_id{});
        mention(who.inviter);
        look_up(its, who);
      }
      from.people.push_back(std::move(who));
    }
  }

  /// What is looked up and not added.
  void look_up(const stored_person& its, score::person& who) {
    if (!its.inputs)
      return;
    who.starting = its.inputs->starting;
    who.human_verified = its.inputs->human_verified;
    if (its.inputs->first_seen)
      who.addresses_seen = {*its.inputs->first_seen};
    if (its.inputs->x_account)
      who.x_accounts = {std::to_string(*its.inputs->x_account)};
    for (const auto& each : its.inputs->penalties)
      from.penalties.push_back({who.id, each});
  }

  void read_reviews() {
    using of = score::review;
    static constexpr auto fields =
      joined_lists(CREDENCE_FIELDS(of, subject, archived), field{"id", as_number<std::int32_t>(&of::number)},
                   field{"author", or_null(&of::author)}, field{"score", as_number<std::int16_t>(&of::how)});
    from.reviews = all_of(on_.exec_params(score_reviews_sql, range_, deadline_), fields);
    for (const auto& each : from.reviews) {
      mention(each.author);
      mention(each.subject);
    }
  }

  static score::activity_id vouch_id(bool second, std::int32_t number) {
    return {second ? score::activity::vouch_v2 : score::activity::vouch, number};
  }

  void read_vouches() {
    const auto found = on_.exec_params(score_vouches_sql, range_, deadline_);
    const column<bool> second{found, "second"}, in_ether{found, "in_ether"}, archived{found, "archived"},
      unhealthy{found, "unhealthy"};
    const column<std::int32_t> number{found, "number"};
    const column<user_id> author{found, "author"}, subject{found, "subject"};
    for (int i = 0; i < found.count(); ++i) {
      from.vouches.push_back(
        {vouch_id(second[i], number[i]), author[i], subject[i], in_ether[i], {}, archived[i], unhealthy[i]});
      mention(author[i]);
      mention(subject[i]);
    }
  }

  void read_parts() {
    std::map<score::activity_id, std::size_t> places;
    for (std::size_t i = 0; i < from.vouches.size(); ++i)
      places[from.vouches[i].id] = i;
    const auto parts = on_.exec_params(parts_sql, range_, deadline_);
    const column<bool> second{parts, "second"};
    const column<std::int32_t> number{parts, "number"};
    const column<score::day> day{parts, "day"};
    const column<wei> amount{parts, "amount"};
    for (int i = 0; i < parts.count(); ++i)
      from.vouches[places.at(vouch_id(second[i], number[i]))].parts.push_back({amount[i], day[i]});
  }

  void read_votes() {
    const auto found = on_.exec_params(votes_sql, range_, deadline_);
    const column<std::string> kind{found, "kind"};
    const column<std::int32_t> target{found, "target_id"}, number{found, "number"};
    const column<user_id> voter{found, "voter"};
    const column<bool> up{found, "upvote"}, archived{found, "archived"};
    for (int i = 0; i < found.count(); ++i) {
      const auto on = kind[i] == "review"  ? score::activity::review
                      : kind[i] == "vouch" ? score::activity::vouch
                                           : score::activity::vouch_v2;
      from.votes.push_back({{on, target[i]}, voter[i], up[i], archived[i], number[i]});
      mention(voter[i]);
    }
  }

  void mention(user_id who) {
    if (who)
      mentioned_.insert(who);
  }
  void read_others() {
    binary_array others{sql_type::int4};
    for (const auto who : mentioned_)
      if (!stored.contains(who))
        others.int4(who.value);
    add_people(on_.exec_params(others_sql.c_str(), parameters{}.array(others), deadline_), false);
  }

  connection& on_;
  parameters range_;
  steady_time deadline_;
  std::set<user_id> mentioned_;
};

/// Sums of ether are of the day that the stored ones are of.
void bring_to_their_days(std::map<user_id, score::score_inputs>& expected, const score::facts& from,
                         const stored_people& stored) {
  for (auto& [user, inputs] : expected) {
    const auto its = stored.find(user);
    inputs.vouches = {};
    if (its != stored.end() && its->second.inputs)
      inputs.vouches.as_of = its->second.inputs->vouches.as_of;
  }
  for (const auto& vouch : from.vouches)
    for (const auto& change : score::counted(score::direction::in, vouch, score::day{}))
      if (std::holds_alternative<score::vouch_part_counted>(change.change))
        apply(expected.at(change.user), change.change);
}

using figures = std::vector<std::pair<const char*, std::string>>;
figures figures_of(const score::score_inputs& of) {
  const auto reviews = [&](score::sentiment how) {
    return std::to_string(of.of(how).count) + " of weight " + std::to_string(of.of(how).author_scores);
  };
  return {{"negative reviews", reviews(score::sentiment::negative)},
          {"neutral reviews", reviews(score::sentiment::neutral)},
          {"positive reviews", reviews(score::sentiment::positive)},
          {"young wei", decimal(of.vouches.young)},
          {"young wei times day", decimal(of.vouches.young_days)},
          {"mature wei", decimal(of.vouches.mature)},
          {"vouchers", std::to_string(of.vouchers)},
          {"mutual vouchers", std::to_string(of.mutual_vouchers)},
          {"weight of votes up", std::to_string(of.votes_up)},
          {"weight of votes down", std::to_string(of.votes_down)},
          {"unhealthy vouches", std::to_string(of.unhealthy)},
          {"inviter's score", of.inviter_score ? std::to_string(*of.inviter_score) : "none"}};
}

void compare_sums(difference_list& to, user_id who, const score::score_inputs& stored,
                  const score::score_inputs& expected) {
  const auto has = figures_of(stored);
  const auto should = figures_of(expected);
  for (std::size_t i = 0; i < has.size(); ++i)
    if (has[i] != should[i])
      to.add("user " + std::to_string(who.value) + " has " + has[i].first + " " + has[i].second
             + ", and its records come to " + should[i].second);
}

/// The day that scores are of, whether an epoch is under way, and how ether counts.
struct epoch_state {
  score::day on{};
  bool during = false;
  bool model_in_progress = false; // not everybody is marked yet for the model
  score::score_options options;
};

/// A score that waits to be worked out is not compared, nor any during an epoch or a turn to another model.
void compare_score(difference_list& to, user_id who, const stored_person& its, const score::score_inputs& expected,
                   const epoch_state& epoch) {
  const bool waits =
    epoch.during || epoch.model_in_progress || its.dirty || (its.newest_part && *its.newest_part > epoch.on);
  if (waits)
    return;
  const auto score = breakdown_of(expected, epoch.on, epoch.options).score;
  if (score != its.shown)
    to.add("user " + std::to_string(who.value) + " shows a score of " + std::to_string(its.shown)
           + ", and its elements come to " + std::to_string(score));
}

/// A reach that waits for the next epoch is not compared.
void compare_influence(difference_list& to, user_id who, const stored_person& its, std::int64_t expected) {
  constexpr double rounding = 0.0015; // the database rounds a decimal, this program a binary fraction
  if (its.reach_due)
    return;
  if (its.reach != expected)
    to.add("user " + std::to_string(who.value) + " has a reach of " + std::to_string(its.reach)
           + ", and its followers come to " + std::to_string(expected));
  if (std::abs(its.influence - score::influence_factor_of(expected)) > rounding)
    to.add("user " + std::to_string(who.value) + " shows an influence of " + std::to_string(its.influence)
           + ", and its followers come to " + std::to_string(score::influence_factor_of(expected)));
}

} // namespace

namespace {

void check_range(difference_list& to, const checked_range& range, const epoch_state& epoch) {
  auto expected = inputs_from(range.from, epoch.on);
  bring_to_their_days(expected, range.from, range.stored);
  const auto reaches = score::reaches_from(range.from);
  for (const auto& [who, its] : range.stored) {
    const auto& inputs = expected.at(who);
    // Nothing is kept of users without any record.
    auto kept = its.inputs.value_or(score::score_inputs{});
    if (!its.inputs)
      kept.inviter_score = inputs.inviter_score;
    compare_sums(to, who, kept, inputs);
    if (its.inputs)
      compare_score(to, who, its, inputs, epoch);
    if (!epoch.during)
      compare_influence(to, who, its, reaches.at(who));
  }
}

} // namespace

std::int32_t last_user(connection& on, steady_time deadline) {
  return on.exec_params("SELECT coalesce(max(id), 0) FROM users", deadline).value<std::int32_t>();
}

verified check_scores(connection& on, steady_time deadline, std::int32_t together, ops::progress& told) {
  const auto state = on.exec_params("SELECT max(day) FILTER (WHERE finished_at IS NOT NULL) AS day, count(*) FILTER "
                                    "(WHERE finished_at IS NULL) AS open,"
                                    " (SELECT vouches FROM score_model) AS model, (SELECT marked_through IS NOT NULL "
                                    "FROM score_model) AS turning FROM score_epochs",
                                    deadline);
  const epoch_state epoch{state.first<std::optional<score::day>>("day").value_or(score::day{}),
                          state.first<std::int64_t>("open") > 0,
                          state.first<bool>("turning"),
                          {state.first<score::vouch_model>("model")}};
  difference_list out;
  // Records that a change has left to be counted anew come to other sums until that is done, and nobody is told whose.
  if (const auto due = on.exec_params("SELECT count(*) FROM recounts_due", deadline).value<std::int64_t>(); due > 0) {
    const auto failing =
      on.exec_params("SELECT count(*) FROM recounts_due WHERE error IS NOT NULL", deadline).value<std::int64_t>();
    for (std::int64_t i = 0; i < failing; ++i)
      out.add("records that a change left to be counted anew cannot be counted: table recounts_due, column error");
    out.found.examples.push_back(
      "not compared: " + std::to_string(due) + (due == 1 ? " change has" : " changes have")
      + " left records that the server still counts anew; check again when they are counted");
    return std::move(out.found);
  }
  const auto users = last_user(on, deadline);
  told.begin("scores, by the ids of users", checked_user_weight * users, users);
  for (std::int32_t after = 0;;) {
    const auto next = on.exec_params(next_sql, parameters{}.int4(after).int4(together), deadline)
                        .first<std::optional<std::int32_t>>("last");
    if (!next)
      break;
    check_range(out, checked_range{on, after, *next, deadline}, epoch);
    told.at(after = *next);
  }
  if (!epoch.during)
    compare_percentiles(out, on, deadline);
  return std::move(out.found);
}

} // namespace credence::persistence
