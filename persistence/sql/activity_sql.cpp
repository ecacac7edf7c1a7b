#include "config/limits.hpp"
#include "persistence/sql/people_sql.hpp"
#include "persistence/sql/record_lists_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

namespace credence::persistence {

namespace {

using reputation::feed_kind;
using reputation::feed_order;
using reputation::feed_row;
using reputation::feed_side;
using reputation::vouch_contract;
using reputation::vouch_place;

static_assert(limits::list_depth_max == 10'000, "the texts below say so");

/// A run of rows for each kind, live or archived, each from an index in its order.
std::string runs_of(const std::string& from, const std::string& whose, const char* direction) {
  return "SELECT r.* FROM " + from + "kinds k CROSS JOIN LATERAL (SELECT a.kind, a.id, a.at FROM activities a WHERE "
         + whose
         + "a.kind = k.kind AND a.archived = k.archived AND a.at >= coalesce($9::timestamptz, '-infinity') ORDER BY "
           "a.at "
         + direction + ", a.id " + direction + " LIMIT 10000) r";
}

std::string runs_of(feed_side side, const char* direction) {
  const auto given = runs_of("", "a.author_user = $1::int4 AND ", direction);
  const auto received = runs_of("(SELECT key, generation FROM subjects WHERE user_id = $1::int4) s CROSS JOIN ",
                                "a.subject_key = s.key AND a.subject_generation = s.generation AND ", direction);
  switch (side) {
    case feed_side::everybody: return runs_of("", "", direction);
    case feed_side::given: return given;
    case feed_side::received: return received;
    case feed_side::both: break;
  }
  return given + " UNION " + received;
}

// A positive review that its subject voted down (EIP-6).
#define CREDENCE_IS_SPAM(kind, id, user)                                                                               \
  "(" kind " = 'review' AND (SELECT r.score = 2 FROM reviews r WHERE r.id = " id                                       \
  ") AND EXISTS (SELECT FROM activity_votes v WHERE"                                                                   \
  " v.kind = 'review' AND v.target_id = " id " AND v.voter = (SELECT p.id FROM profiles p WHERE p.user_id = " user ")" \
  " AND NOT v.upvote AND NOT v.archived))"

#define CREDENCE_TALLY(what)                                                                                           \
  "coalesce((SELECT " what " FROM activity_tallies t WHERE t.target_id = n.id AND t.kind ="                            \
  " CASE n.kind WHEN 'reply' THEN 'discussion' ELSE n.kind END), 0)"

/// What a feed is ranked by, for each pair of orders. That by time comes first, and is a rank of its own.
constexpr std::array<const char*, reputation::feed_orders / 2> ranks{
  "0",
  CREDENCE_TALLY("t.up - t.down"),
  CREDENCE_TALLY("t.up + t.down"),
  CREDENCE_TALLY("t.replies"),
  "coalesce((SELECT u.score FROM activities a JOIN users u ON u.id = a.author_user WHERE a.kind = n.kind AND a.id = "
  "n.id), 0)",
  "coalesce((SELECT u.score FROM activities a JOIN subjects s ON s.key = a.subject_key AND s.generation = "
  "a.subject_generation"
  " JOIN users u ON u.id = s.user_id WHERE a.kind = n.kind AND a.id = n.id), 0)",
  CREDENCE_TALLY("least(t.up, t.down)"),
  CREDENCE_TALLY("sign(t.up - t.down) * log(greatest(abs(t.up - t.down), 1))") " + extract(epoch FROM n.at) / 45000"};

std::string listing_sql(feed_side side, feed_order order) {
  const auto which = static_cast<std::size_t>(order);
  const char* direction = order == feed_order::oldest ? "ASC" : "DESC"; // what is ranked is ranked among the newest
  const std::string by_time = std::string{"at "} + direction + ", kind, id " + direction;
  const std::string by_rank = which < 2 ? "" : which % 2 == 0 ? "rank DESC, " : "rank, ";
  const std::string rank = ranks[which / 2];
  return "WITH given AS (SELECT $1::int4)," // used or not
         " kinds AS (SELECT * FROM unnest($2::text[], $3::boolean[]) k(kind, archived)),"
         " runs AS ("
         + runs_of(side, direction) + "), newest AS (SELECT * FROM runs ORDER BY " + by_time
         + " LIMIT 10000),"
           " matching AS MATERIALIZED (SELECT n.*, "
         + rank
         + " AS rank FROM newest n WHERE"
           " ($4::int4 IS NULL OR (SELECT u.score FROM activities a JOIN users u ON u.id = a.author_user WHERE a.kind "
           "= n.kind AND a.id = n.id) >= "
           "$4::int4)"
           " AND ($5::int4[] IS NULL OR (n.kind = 'review' AND (SELECT r.score::int4 FROM reviews r WHERE r.id = n.id) "
           "= ANY($5::int4[])))"
           " AND ($6::boolean OR NOT " CREDENCE_IS_SPAM("n.kind", "n.id",
                                                        "(SELECT s.user_id FROM activities a JOIN subjects s ON s.key "
                                                        "= a.subject_key"
                                                        " AND s.generation = a.subject_generation WHERE a.kind = "
                                                        "n.kind AND a.id = n.id)") ")),"
                                                                                   " page AS (SELECT kind, id, "
                                                                                   "row_number() OVER (ORDER "
                                                                                   "BY "
         + by_rank + by_time + ") AS place FROM matching ORDER BY " + by_rank + by_time
         + " LIMIT $7::int4 OFFSET $8::int4)"
           " SELECT t.n AS total, p.kind, p.id FROM (SELECT count(*) AS n FROM matching) t LEFT JOIN page p ON true "
           "ORDER BY p.place";
}

/// A text for every side and order, so that each finds its index.
const char* listing_sql(const reputation::list_feed& query) {
  static constexpr std::size_t orders = reputation::feed_orders;
  static const auto texts = [] {
    std::array<std::string, 4 * orders> out;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = listing_sql(static_cast<feed_side>(i / orders), static_cast<feed_order>(i % orders));
    return out;
  }();
  return texts[static_cast<std::size_t>(query.side) * orders + static_cast<std::size_t>(query.order)].c_str();
}

constexpr auto rows_sql =
  "SELECT k.place, a.kind, a.id, a.at, a.archived, a.author_user, s.user_id AS subject_user, coalesce(t.up, 0) AS up, "
  "coalesce(t.down, 0) AS down,"
  " coalesce(t.replies, 0) AS replies, (SELECT r.id FROM replies r WHERE r.author_profile = $3::int4"
  "  AND r.target_kind = CASE a.kind WHEN 'reply' THEN 'discussion' ELSE a.kind END AND r.target_id = a.id ORDER BY "
  "r.id + 0 LIMIT 1)"
  "  IS NOT NULL AS viewer_replied,"
  " " CREDENCE_IS_SPAM(
    "a.kind", "a.id",
    "s.user_id") " AS spam"
                 " FROM unnest($1::text[], $2::int4[]) WITH ORDINALITY k(kind, id, place)"
                 " CROSS JOIN LATERAL (SELECT * FROM activities a WHERE a.kind = k.kind AND a.id = k.id LIMIT 1) a"
                 " LEFT JOIN LATERAL (SELECT user_id FROM subjects s WHERE s.key = a.subject_key AND s.generation = "
                 "a.subject_generation LIMIT 1) s "
                 "ON true"
                 " LEFT JOIN LATERAL (SELECT * FROM activity_tallies t WHERE t.kind = CASE a.kind WHEN 'reply' THEN "
                 "'discussion' ELSE a.kind END"
                 "  AND t.target_id = a.id LIMIT 1) t ON true ORDER BY k.place";

/// As the database names what is shown.
std::string_view stored_kind_of(feed_kind kind) {
  return reputation::feed_kind_names[static_cast<std::size_t>(kind == feed_kind::unvouch ? feed_kind::vouch : kind)];
}

/// Records of one kind by their ids, to be put to their rows.
template <class Record>
std::map<std::int32_t, Record> by_id(std::vector<Record> found) {
  std::map<std::int32_t, Record> out;
  for (auto& each : found)
    out.emplace(each.id.value, std::move(each));
  return out;
}

/// The records behind the rows of a page, read kind by kind.
class records_behind {
public:
  records_behind(connection& on, const std::vector<reputation::feed_key>& keys, steady_time deadline) {
    std::set<review_id> reviews;
    std::set<vouch_place> vouches;
    std::set<reply_id> replies;
    std::set<reputation::bond_id> bonds;
    for (const auto& [kind, id] : keys)
      switch (kind) {
        case feed_kind::review: reviews.insert(review_id{id}); break;
        case feed_kind::vouch:
        case feed_kind::unvouch: vouches.insert({vouch_id{id}}); break;
        case feed_kind::vouch_v2: vouches.insert({vouch_id{id}, vouch_contract::vouch_v2}); break;
        case feed_kind::reply: replies.insert(reply_id{id}); break;
        case feed_kind::bond: bonds.insert(reputation::bond_id{id}); break;
      }
    reviews_ = by_id(read_reviews_here(on, reviews, deadline));
    for (auto& each : read_vouches_here(on, vouches, deadline))
      vouches_.emplace(each.place(), std::move(each));
    replies_ = by_id(read_replies_here(on, replies, deadline));
    bonds_ = by_id(read_bonds_here(on, bonds, deadline));
  }

  /// Puts the record, of a kind as keys name it, to its row; false when it is not there.
  bool put(feed_row& to, feed_kind kind, std::int32_t id) const {
    switch (kind) {
      case feed_kind::review: return put_from(reviews_, to, id);
      case feed_kind::vouch:
      case feed_kind::unvouch: return put_from(vouches_, to, vouch_place{vouch_id{id}});
      case feed_kind::vouch_v2: return put_from(vouches_, to, vouch_place{vouch_id{id}, vouch_contract::vouch_v2});
      case feed_kind::bond: return put_from(bonds_, to, id);
      case feed_kind::reply: break;
    }
    return put_from(replies_, to, id);
  }

private:
  template <class Key, class Record>
  static bool put_from(const std::map<Key, Record>& records, feed_row& to, const Key& id) {
    const auto found = records.find(id);
    if (found == records.end())
      return false;
    to.record = found->second;
    return true;
  }

  std::map<std::int32_t, reputation::review_record> reviews_;
  std::map<vouch_place, reputation::vouch_record> vouches_;
  std::map<std::int32_t, reputation::reply_record> replies_;
  std::map<std::int32_t, reputation::bond_record> bonds_;
};

/// What rows of that kind in the database are looked for by.
feed_kind key_kind(std::string_view stored) {
  if (stored == "review")
    return feed_kind::review;
  if (stored == "reply")
    return feed_kind::reply;
  if (stored == "bond")
    return feed_kind::bond;
  return stored == "vouchV2" ? feed_kind::vouch_v2 : feed_kind::vouch;
}
/// What they are shown as.
feed_kind shown_kind(feed_kind key, bool archived) {
  if (key != feed_kind::vouch && key != feed_kind::vouch_v2)
    return key;
  return archived ? feed_kind::unvouch : feed_kind::vouch;
}

/// Without its record.
constexpr auto feed_fields = joined_lists(CREDENCE_FIELDS(feed_row, at, (author_user, author), (subject_user, subject),
                                                          (up, upvotes), (down, downvotes), replies, viewer_replied),
                                          field{"spam", or_null(&feed_row::spam)});

/// Adds the rows with these keys, in their order, and the users they name.
void add_rows(reputation::feed_page& to, connection& on, const std::vector<reputation::feed_key>& keys,
              std::optional<profile_id> viewer, steady_time deadline) {
  const auto found = on.run(rows_sql,
                            with(array_of(keys, [](const auto& key) { return stored_kind_of(key.kind); }),
                                 array_of(keys, &reputation::feed_key::id), viewer),
                            deadline);
  const records_behind records{on, keys, deadline};
  const column<std::string_view> kind{found, "kind"};
  const column<std::int32_t> id{found, "id"};
  const column<bool> archived{found, "archived"};
  const auto feed_rows = records_in(found, feed_fields);
  for (int i = 0; i < found.count(); ++i) {
    const auto key = key_kind(kind[i]);
    auto row = feed_rows[i];
    row.kind = shown_kind(key, archived[i]);
    if (!records.put(row, key, id[i]))
      continue;
    to.rows.push_back(std::move(row));
  }
  to.users = users_of(on, to.rows, deadline, &feed_row::author, &feed_row::subject);
}

/// The contract of rows of that kind, and what its events call the row's number.
std::pair<std::string_view, std::string_view> told_by(feed_kind kind) {
  switch (kind) {
    case feed_kind::review: return {"review", "reviewId"};
    case feed_kind::reply: return {"discussion", "replyId"};
    case feed_kind::bond: return {"bond", "bondId"};
    case feed_kind::vouch_v2: return {"vouchV2", "vouchId"};
    case feed_kind::vouch:
    case feed_kind::unvouch: break;
  }
  return {"vouch", "vouchId"};
}

static_assert(reputation::get_feed_row_of::transaction_events_max == 100, "the text below says so");
constexpr auto rows_of_transaction_sql =
  "SELECT id::int4 AS id FROM (SELECT f.id_offset + (e.log_data::jsonb #>> ARRAY['args', $3::text])::numeric AS id,"
  "  e.id AS event FROM (SELECT id, chain_id, log_data FROM chain_events WHERE tx_hash = $1::bytea"
  "    AND contract = $2::text AND status = 'applied' ORDER BY id LIMIT 100) e"
  "  JOIN chain_follow f ON f.chain_id = e.chain_id) named"
  " WHERE id BETWEEN 0 AND 2147483647 GROUP BY id ORDER BY min(event)";

constexpr auto as_int4 = [](reputation::review_score score) { return static_cast<std::int32_t>(score); };

/// Which kinds are wanted, live and archived: pairs for the statement. A vouch is live, an unvouch archived.
void put_kinds(const reputation::list_feed& query, binary_array& kinds, binary_array& archived) {
  for (const auto key : {feed_kind::reply, feed_kind::review, feed_kind::vouch, feed_kind::vouch_v2, feed_kind::bond})
    for (const bool gone : {false, true}) {
      const auto is_wanted = [&](feed_kind kind) {
        return !query.kinds || std::find(query.kinds->begin(), query.kinds->end(), kind) != query.kinds->end();
      };
      const bool wanted = is_wanted(shown_kind(key, gone)) || (key == feed_kind::vouch_v2 && is_wanted(key));
      if (!wanted || (gone && (key == feed_kind::reply || !query.with_archived)))
        continue;
      kinds.text(stored_kind_of(key));
      archived.boolean(gone);
    }
}

} // namespace

reputation::named_users read_named_here(connection& on, std::vector<user_id> ids, steady_time deadline) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  reputation::named_users out;
  if (ids.empty())
    return out;
  for (auto& each : read_users_here(on, ids, deadline))
    out.emplace(each->id, std::move(each));
  return out;
}

reputation::feed_page read(connection& on, const reputation::list_feed& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  binary_array kinds{sql_type::text}, archived{sql_type::boolean};
  put_kinds(query, kinds, archived);
  const auto scores = query.scores ? std::optional{array_of(*query.scores, as_int4)} : std::nullopt;
  const auto found = on.run(listing_sql(query),
                            with(query.whose, kinds, archived, query.author_score_min, scores, query.with_spam,
                                 query.slice.limit, query.slice.offset, query.since),
                            deadline);
  const column<std::optional<std::string_view>> kind{found, "kind"};
  const column<std::optional<std::int32_t>> id{found, "id"};
  std::vector<reputation::feed_key> keys;
  for (int i = 0; i < found.count(); ++i)
    if (const auto which = kind[i])
      keys.push_back({key_kind(*which), id[i].value()});
  reputation::feed_page out;
  out.total = found.first<std::int64_t>("total");
  out.slice = query.slice;
  add_rows(out, on, keys, query.viewer, deadline);
  return out;
}
load_handler handler(asked<reputation::list_feed> it) { return reads<list_of_many, reputation::storage>(it); }

reputation::feed_page read(connection& on, const reputation::get_feed_rows& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  reputation::feed_page out;
  add_rows(out, on, query.which, query.viewer, deadline);
  out.total = static_cast<std::int64_t>(out.rows.size());
  out.slice = {static_cast<std::int32_t>(query.which.size()), 0};
  return out;
}
load_handler handler(asked<reputation::get_feed_rows> it) { return reads<list_a_page, reputation::storage>(it); }

reputation::feed_page read(connection& on, const reputation::get_feed_row_of& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  const auto [contract, member] = told_by(query.kind);
  std::vector<reputation::feed_key> keys;
  const auto found = on.run(rows_of_transaction_sql, with(query.transaction, contract, member), deadline);
  for (const auto id : found.all<std::int32_t>("id"))
    keys.push_back({query.kind, id});
  reputation::feed_page out;
  add_rows(out, on, keys, query.viewer, deadline);
  if (out.rows.size() > 1)
    out.rows.erase(out.rows.begin() + 1, out.rows.end());
  return out;
}
load_handler handler(asked<reputation::get_feed_row_of> it) { return reads<list_a_page, reputation::storage>(it); }

} // namespace credence::persistence
