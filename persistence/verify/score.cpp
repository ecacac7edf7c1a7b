#include "actors/score/score_state.hpp"
#include "persistence/sql/score_rows.hpp"
#include "persistence/sql/score_sql.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace credence::persistence {

namespace {

constexpr promise all[] = {
  {"score_parts", "the parts of a vouch add up to its balance, and count for whom they should",
   "SELECT format('%s vouch %s holds %s wei, and its parts %s', v.contract, v.number, v.balance, coalesce(p.amount, 0)) FROM vouches v"
   "  LEFT JOIN (SELECT contract, number, sum(amount) AS amount FROM vouch_parts GROUP BY contract, number) p"
   "  ON p.contract = v.contract AND p.number = v.number WHERE v.balance <> coalesce(p.amount, 0)"
   " UNION ALL SELECT format('the part of %s of %s vouch %s counts for user %s, not for user %s', p.day, p.contract, p.number, p.counts_for,"
   "   s.user_id) FROM vouch_parts p LEFT JOIN score_vouches s ON s.contract = p.contract AND s.number = p.number AND s.active AND s.in_ether"
   "  WHERE p.counts_for IS DISTINCT FROM s.user_id"},
  {"score_counts", "every review, vouch and vote counts in scores as its rule says",
   "SELECT format('review %s counts as %s', coalesce(a.review_id, b.review_id), a) FROM score_reviews a"
   "  FULL JOIN counted_reviews b ON b.review_id = a.review_id WHERE ROW(a.*) IS DISTINCT FROM ROW(b.*)"
   " UNION ALL SELECT format('%s vouch %s counts as %s', coalesce(a.contract, b.contract), coalesce(a.number, b.number), a) FROM score_vouches a"
   "  FULL JOIN counted_vouches b ON b.contract = a.contract AND b.number = a.number WHERE ROW(a.*) IS DISTINCT FROM ROW(b.*)"
   " UNION ALL SELECT format('the vote of profile %s on %s %s counts as %s', coalesce(a.voter, b.voter), coalesce(a.kind, b.kind),"
   "   coalesce(a.target_id, b.target_id), a) FROM score_votes a FULL JOIN counted_votes b ON b.kind = a.kind AND b.target_id = a.target_id"
   "   AND b.voter = a.voter WHERE ROW(a.*) IS DISTINCT FROM ROW(b.*)"
   " UNION ALL SELECT format('user %s vouches for user %s %s times', author_user, user_id, vouches) FROM (SELECT * FROM score_pairs EXCEPT"
   "  SELECT author_user, user_id, count(*)::int FROM score_vouches WHERE active GROUP BY 1, 2) wrong"},
};

// What a score is made of, straight from the records. The standing of a record's author is the author's, not what was counted.
constexpr auto people_sql =
  "SELECT u.id, coalesce(NOT p.archived AND NOT p.orphaned, false) AS live, coalesce(e.score, 1200) AS epoch_score, u.score AS shown,"
  " (SELECT o.user_id FROM profiles o WHERE o.id = p.invited_by) AS inviter, d.user_id IS NOT NULL AS dirty"
  " FROM users u LEFT JOIN profiles p ON p.user_id = u.id LEFT JOIN epoch_scores e ON e.user_id = u.id"
  " LEFT JOIN score_dirty d ON d.user_id = u.id ORDER BY u.id";
constexpr auto reviews_sql = "SELECT r.id, p.user_id AS author, s.user_id AS subject, r.score, r.archived FROM reviews r"
                             " JOIN subjects s ON s.key = r.subject_key AND s.generation = r.subject_generation"
                             " LEFT JOIN profiles p ON p.id = r.author_profile";
constexpr auto vouches_sql =
  "SELECT v.contract = 'vouchV2' AS second, v.number, p.user_id AS author, s.user_id AS subject, v.token = 'eth' AS in_ether, v.archived,"
  " v.unhealthy FROM vouches v JOIN subjects s ON s.key = v.subject_key AND s.generation = v.subject_generation"
  " JOIN profiles p ON p.id = v.author_profile";
constexpr auto parts_sql = "SELECT contract = 'vouchV2' AS second, number, day, amount FROM vouch_parts ORDER BY 1, 2, 3";
constexpr auto votes_sql =
  "SELECT v.kind, v.target_id, p.user_id AS voter, v.upvote, v.archived FROM activity_votes v JOIN profiles p ON p.id = v.voter"
  " WHERE v.kind = 'review' AND EXISTS (SELECT FROM reviews r WHERE r.id = v.target_id)"
  " OR v.kind = 'vouch' AND EXISTS (SELECT FROM vouches o WHERE o.number = v.target_id AND o.contract IN ('vouch', 'api'))"
  " OR v.kind = 'vouchV2' AND EXISTS (SELECT FROM vouches o WHERE o.number = v.target_id AND o.contract = 'vouchV2')";

/// What a user shows, and the sums that are stored of that user.
struct stored_person {
  std::int32_t shown = 0;
  bool dirty = false;
  std::optional<score::score_inputs> inputs;
  std::optional<score::day> newest_part;
};
using stored_people = std::map<user_id, stored_person>;

void read_people(connection& on, score::facts& to, stored_people& stored, steady_time deadline) {
  const auto sums = on.exec_params("SELECT * FROM full_score_inputs", deadline);
  const score_columns row{sums};
  for (int i = 0; i < sums.count(); ++i) {
    stored[row.user[i]].inputs = row.inputs(i);
    stored[row.user[i]].newest_part = row.newest_part[i];
  }
  const auto found = on.exec_params(people_sql, deadline);
  const column<user_id> id{found, "id"};
  const column<bool> live{found, "live"}, dirty{found, "dirty"};
  const column<std::int32_t> epoch_score{found, "epoch_score"}, shown{found, "shown"};
  const column<std::optional<user_id>> inviter{found, "inviter"};
  for (int i = 0; i < found.count(); ++i) {
    auto& its = stored[id[i]];
    its.shown = shown[i];
    its.dirty = dirty[i];
    score::person who{id[i], live[i], epoch_score[i]};
    who.inviter = inviter[i].value_or(user_id{});
    if (its.inputs) { // what is looked up and not added
      who.starting = its.inputs->starting;
      who.human_verified = its.inputs->human_verified;
      if (its.inputs->first_seen)
        who.addresses_seen = {*its.inputs->first_seen};
      if (its.inputs->x_account)
        who.x_accounts = {std::to_string(*its.inputs->x_account)};
      for (const auto& each : its.inputs->penalties)
        to.penalties.push_back({id[i], each});
    }
    to.people.push_back(std::move(who));
  }
}

void read_reviews(connection& on, score::facts& to, steady_time deadline) {
  const auto found = on.exec_params(reviews_sql, deadline);
  const column<std::int32_t> id{found, "id"};
  const column<std::optional<user_id>> author{found, "author"};
  const column<user_id> subject{found, "subject"};
  const column<std::int16_t> how{found, "score"};
  const column<bool> archived{found, "archived"};
  for (int i = 0; i < found.count(); ++i)
    to.reviews.push_back({id[i], author[i].value_or(user_id{}), subject[i], static_cast<score::sentiment>(how[i]), archived[i]});
}

void read_vouches(connection& on, score::facts& to, steady_time deadline) {
  const auto found = on.exec_params(vouches_sql, deadline);
  const column<bool> second{found, "second"}, in_ether{found, "in_ether"}, archived{found, "archived"}, unhealthy{found, "unhealthy"};
  const column<std::int32_t> number{found, "number"};
  const column<user_id> author{found, "author"}, subject{found, "subject"};
  std::map<score::activity_id, std::size_t> places;
  for (int i = 0; i < found.count(); ++i) {
    const score::activity_id id{second[i] ? score::activity::vouch_v2 : score::activity::vouch, number[i]};
    places[id] = to.vouches.size();
    to.vouches.push_back({id, author[i], subject[i], in_ether[i], {}, archived[i], unhealthy[i]});
  }
  const auto parts = on.exec_params(parts_sql, deadline);
  const column<bool> of_second{parts, "second"};
  const column<std::int32_t> of{parts, "number"};
  const column<score::day> day{parts, "day"};
  const column<wei> amount{parts, "amount"};
  for (int i = 0; i < parts.count(); ++i)
    to.vouches[places.at({of_second[i] ? score::activity::vouch_v2 : score::activity::vouch, of[i]})].parts.push_back({amount[i], day[i]});
}

void read_votes(connection& on, score::facts& to, steady_time deadline) {
  const auto found = on.exec_params(votes_sql, deadline);
  const column<std::string> kind{found, "kind"};
  const column<std::int32_t> target{found, "target_id"};
  const column<user_id> voter{found, "voter"};
  const column<bool> up{found, "upvote"}, archived{found, "archived"};
  for (int i = 0; i < found.count(); ++i) {
    const auto what = kind[i] == "review" ? score::activity::review : kind[i] == "vouch" ? score::activity::vouch : score::activity::vouch_v2;
    to.votes.push_back({{what, target[i]}, voter[i], up[i], archived[i]});
  }
}

/// Sums of ether are of the day that the stored ones are of.
void bring_to_their_days(std::map<user_id, score::score_inputs>& expected, const score::facts& from, const stored_people& stored) {
  for (auto& [user, inputs] : expected) {
    const auto& its = stored.at(user).inputs;
    inputs.vouches = {};
    if (its)
      inputs.vouches.as_of = its->vouches.as_of;
  }
  for (const auto& vouch : from.vouches)
    for (const auto& change : counted(score::direction::in, vouch, score::day{}))
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

/// What is gathered of differences: all are counted, the first are shown.
class difference_list {
public:
  void add(std::string what) {
    if (++found.differences <= shown_max)
      found.examples.push_back(std::move(what));
  }
  verified found{"scores", "the sums of every user, and the score they give, are what the records and the epoch scores come to", 0, {}};

private:
  static constexpr std::int64_t shown_max = 10;
};

void compare_sums(difference_list& to, user_id who, const score::score_inputs& stored, const score::score_inputs& expected) {
  const auto has = figures_of(stored);
  const auto should = figures_of(expected);
  for (std::size_t i = 0; i < has.size(); ++i)
    if (has[i] != should[i])
      to.add("user " + std::to_string(who.value) + " has " + has[i].first + " " + has[i].second + ", and its records come to " + should[i].second);
}

/// A score that waits to be worked out is not compared, nor any during an epoch.
void compare_score(difference_list& to, user_id who, const stored_person& its, const score::score_inputs& expected, score::day on) {
  const bool waits = its.dirty || (its.newest_part && *its.newest_part > on);
  if (waits)
    return;
  const auto score = breakdown_of(expected, on).score;
  if (score != its.shown)
    to.add("user " + std::to_string(who.value) + " shows a score of " + std::to_string(its.shown) + ", and its elements come to "
           + std::to_string(score));
}

} // namespace

template <>
std::span<const promise> promises_of<score::storage>() {
  return all;
}

verified check_scores(connection& on, steady_time deadline) {
  score::facts from;
  stored_people stored;
  read_people(on, from, stored, deadline);
  read_reviews(on, from, deadline);
  read_vouches(on, from, deadline);
  read_votes(on, from, deadline);
  const auto state =
    on.exec_params("SELECT max(day) FILTER (WHERE finished_at IS NOT NULL) AS day, count(*) FILTER (WHERE finished_at IS NULL) AS open"
                   " FROM score_epochs",
                   deadline);
  const auto day = state.first<std::optional<score::day>>("day").value_or(score::day{});
  const bool during_epoch = state.first<std::int64_t>("open") > 0;
  auto expected = inputs_from(from, day);
  bring_to_their_days(expected, from, stored);
  difference_list out;
  for (const auto& [who, inputs] : expected) {
    const auto& its = stored.at(who);
    // Nothing is kept of users without any record.
    auto kept = its.inputs.value_or(score::score_inputs{});
    if (!its.inputs)
      kept.inviter_score = inputs.inviter_score;
    compare_sums(out, who, kept, inputs);
    if (its.inputs && !during_epoch)
      compare_score(out, who, its, inputs, day);
  }
  return std::move(out.found);
}

recomputed recompute_scores(connection& on, steady_time deadline) {
  transaction whole{on, deadline};
  on.exec("SELECT FROM shard_owners FOR UPDATE", deadline); // no batch is under way while sums are written
  recomputed out;
  out.sums = on.exec_params("SELECT recount_scores()", deadline).value<std::int64_t>();
  out.marked = on.exec_params("SELECT count(*) FROM score_inputs", deadline).value<std::int64_t>();
  on.exec("SELECT mark_scores(ARRAY(SELECT user_id FROM score_inputs), 'recompute')", deadline);
  whole.commit(deadline);
  return out;
}

} // namespace credence::persistence
