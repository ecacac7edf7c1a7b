#include "persistence/sql/vouch_sql.hpp"

#include "persistence/sql/in_order.hpp"

#include <map>

namespace credence::persistence {

namespace {

using reputation::vouch_record;

const statement insert_vouch{
  "insert_vouch",
  "INSERT INTO vouches (contract, number, author_profile, author_address, subject_key, subject_generation, "
  "subject_profile,"
  " token, staked, deposited, balance, comment, metadata, vouched_at, seq) VALUES ('api', $1::int4, $2::int4,"
  " $3::bytea, $4::bytea, $5::int4, $6::int4, $7::text, $8::numeric, $8::numeric, $8::numeric, $9::text,"
  " $10::text, $11::timestamptz, $12::int8)"};
const statement move_vouch{"move_vouch",
                           "UPDATE vouches SET staked = $2::numeric, deposited = $3::numeric, balance = $4::numeric,"
                           " withdrawn = $5::numeric, archived = $6::boolean,"
                           " unvouched_at = CASE WHEN $6::boolean THEN $7::timestamptz END"
                           " WHERE contract = 'api' AND number = $1::int4"};
const statement put_parts{"put_vouch_parts",
                          "SELECT put_vouch_parts('api', $1::int4, $2::text::int4[], $3::text::numeric[])"};
const statement mark_unhealthy{"mark_unhealthy", "UPDATE vouches SET unhealthy = true, unhealthy_at = $2::timestamptz"
                                                 " WHERE contract = 'api' AND number = $1::int4"};

constexpr auto vouches_sql =
  "SELECT v.number, v.author_profile, v.author_address, v.subject_key, v.subject_generation, coalesce(s.service, "
  "s.read_service) AS subject_service,"
  " coalesce(s.account, s.read_account) AS subject_account, s.user_id AS subject_user, v.subject_profile, v.token, "
  "v.staked, v.deposited, v.balance, "
  "v.withdrawn,"
  " v.comment, v.metadata, v.archived, v.unhealthy, v.vouched_at, v.unvouched_at, v.unhealthy_at, v.contract = "
  "'vouchV2' AS second"
  " FROM vouches v JOIN subjects s ON s.key = v.subject_key AND s.generation = v.subject_generation"
  " WHERE (v.contract IN ('api', 'vouch') AND v.number = ANY($1::int4[])) OR (v.contract = 'vouchV2' AND v.number = "
  "ANY($2::int4[]))";
constexpr auto vouch_parts_sql = "SELECT number, day, amount FROM vouch_parts WHERE contract = 'api' AND number = "
                                 "ANY($1::int4[]) ORDER BY number, day";
constexpr auto active_sql =
  "SELECT v.number, v.author_profile, v.subject_key, s.user_id AS subject_user, v.token FROM vouches v"
  " JOIN subjects s ON s.key = v.subject_key AND s.generation = v.subject_generation"
  " WHERE v.author_profile = ANY($1::int4[]) AND NOT v.archived AND v.contract = 'api'";
constexpr auto made_sql = "SELECT k.id, ((SELECT count(*) FROM reviews r WHERE r.author_profile = k.id AND "
                          "r.created_at > now() - interval '1 day')"
                          " + (SELECT count(*) FROM vouches v WHERE v.author_profile = k.id AND v.vouched_at > now() - "
                          "interval '1 day'))::int4 AS made"
                          " FROM unnest($1::int4[]) k(id)";

constexpr auto vouched_sql =
  "SELECT k.id, coalesce((SELECT sum(s.eth_count + s.whuf_count) FROM subjects s WHERE s.user_id = k.id), 0)::int4"
  " AS active FROM unnest($1::int4[]) k(id)";

struct vouch_columns {
  const rows& in;
  column<vouch_id> number{in, "number"};
  column<profile_id> author{in, "author_profile"};
  column<std::optional<address>> author_address{in, "author_address"};
  named_subject_columns subject{in};
  column<user_id> subject_user{in, "subject_user"};
  column<std::optional<profile_id>> subject_profile{in, "subject_profile"};
  column<reputation::vouch_token> token{in, "token"};
  column<wei> staked{in, "staked"};
  column<wei> deposited{in, "deposited"};
  column<wei> balance{in, "balance"};
  column<wei> withdrawn{in, "withdrawn"};
  column<std::string> comment{in, "comment"};
  column<std::string> metadata{in, "metadata"};
  column<bool> archived{in, "archived"};
  column<bool> unhealthy{in, "unhealthy"};
  column<timestamp> vouched_at{in, "vouched_at"};
  column<std::optional<timestamp>> unvouched_at{in, "unvouched_at"};
  column<std::optional<timestamp>> unhealthy_at{in, "unhealthy_at"};
  column<bool> second{in, "second"};

  vouch_record record(int row) const {
    return {
      number[row],         author[row],
      author_address[row], subject.subject(row),
      subject_user[row],   subject_profile[row],
      token[row],          staked[row],
      deposited[row],      balance[row],
      withdrawn[row],      {},
      comment[row],        metadata[row],
      archived[row],       unhealthy[row],
      vouched_at[row],     unvouched_at[row],
      unhealthy_at[row],   second[row] ? reputation::vouch_contract::vouch_v2 : reputation::vouch_contract::vouch};
  }
};

/// The parts of a vouch, all of them.
parameters parts_with(vouch_id which, const std::vector<score::vouch_part>& parts) {
  std::string days, amounts;
  for (const auto& each : parts) {
    (days += days.empty() ? '{' : ',') += std::to_string(each.day.time_since_epoch().count());
    (amounts += amounts.empty() ? '{' : ',') += decimal(each.amount);
  }
  const auto closed = [](std::string list) { return list.empty() ? std::string{"{}"} : std::move(list) + '}'; };
  return std::move(parameters{}.int4(which.value).text(closed(std::move(days))).text(closed(std::move(amounts))));
}

} // namespace

statements_used sql_of<reputation::vouch_created>::used() { return {&open_subject, &insert_vouch, &put_parts}; }
void sql_of<reputation::vouch_created>::add(const reputation::vouch_created& fresh, global_seq seq,
                                            batch_statements& to) {
  const auto& record = fresh.record;
  if (fresh.subject)
    to.put(open_subject, open_subject_with(*fresh.subject, record.vouched_at));
  parameters with;
  with.int4(record.id.value).int4(record.author.value);
  put_if_any(with, record.author_address).bytes(record.subject.name.key.bytes()).int4(record.subject.generation);
  put_if_any(with, record.subject_profile).text(reputation::vouch_token_names[static_cast<std::size_t>(record.token)]);
  to.put(insert_vouch,
         with.numeric(record.staked).text(record.comment).text(record.metadata).time(record.vouched_at).int8(seq));
  to.put(put_parts, parts_with(record.id, record.parts));
}

statements_used sql_of<reputation::vouch_moved>::used() { return {&move_vouch, &put_parts}; }
void sql_of<reputation::vouch_moved>::add(const reputation::vouch_moved& change, global_seq, batch_statements& to) {
  to.put(move_vouch, parameters{}
                       .int4(change.id.value)
                       .numeric(change.staked)
                       .numeric(change.deposited)
                       .numeric(change.balance)
                       .numeric(change.withdrawn)
                       .boolean(change.archived)
                       .time(change.at));
  to.put(put_parts, parts_with(change.id, change.parts));
}

statements_used sql_of<reputation::vouch_marked_unhealthy>::used() { return {&mark_unhealthy}; }
void sql_of<reputation::vouch_marked_unhealthy>::add(const reputation::vouch_marked_unhealthy& change, global_seq,
                                                     batch_statements& to) {
  to.put(mark_unhealthy, parameters{}.int4(change.id.value).time(change.at));
}

std::vector<reputation::active_vouch> read_active_here(connection& on, const std::set<profile_id>& authors,
                                                       steady_time deadline) {
  std::vector<reputation::active_vouch> out;
  if (authors.empty())
    return out;
  auto whose = ids_of(authors);
  const auto found = on.run(active_sql, parameters{}.array(whose), deadline);
  const column<vouch_id> number{found, "number"};
  const column<profile_id> author{found, "author_profile"};
  const column<std::string_view> key{found, "subject_key"};
  const column<user_id> user{found, "subject_user"};
  const column<reputation::vouch_token> token{found, "token"};
  for (int i = 0; i < found.count(); ++i)
    out.push_back({number[i], author[i], reputation::subject_key{std::as_bytes(std::span{key[i]})}, user[i], token[i]});
  return out;
}

std::vector<reputation::made_row> read_made_here(connection& on, const std::set<profile_id>& authors,
                                                 steady_time deadline) {
  std::vector<reputation::made_row> out;
  if (authors.empty())
    return out;
  auto whose = ids_of(authors);
  const auto found = on.run(made_sql, parameters{}.array(whose), deadline);
  const column<profile_id> author{found, "id"};
  const column<std::int32_t> made{found, "made"};
  for (int i = 0; i < found.count(); ++i)
    out.push_back({author[i], made[i]});
  return out;
}

std::vector<vouch_record> read_vouches_here(connection& on, const std::set<reputation::vouch_place>& which,
                                            steady_time deadline) {
  std::vector<vouch_record> out;
  if (which.empty())
    return out;
  binary_array ids{sql_type::int4}, in_tokens{sql_type::int4};
  for (const auto& each : which)
    (each.contract == reputation::vouch_contract::vouch ? ids : in_tokens).int4(each.id.value);
  const auto found = on.run(vouches_sql, parameters{}.array(ids).array(in_tokens), deadline);
  const vouch_columns vouches{found};
  std::map<vouch_id, std::size_t> places;
  for (int i = 0; i < found.count(); ++i) {
    out.push_back(vouches.record(i));
    if (out.back().contract == reputation::vouch_contract::vouch)
      places[out.back().id] = out.size() - 1;
  }
  const auto parts = on.run(vouch_parts_sql, parameters{}.array(ids), deadline);
  const column<vouch_id> number{parts, "number"};
  const column<score::day> day{parts, "day"};
  const column<wei> amount{parts, "amount"};
  for (int i = 0; i < parts.count(); ++i)
    if (const auto place = places.find(number[i]); place != places.end())
      out[place->second].parts.push_back({amount[i], day[i]});
  return out;
}

std::vector<reputation::vouched_row> read_vouched_here(connection& on, const std::vector<reputation::subject_row>& of,
                                                       steady_time deadline) {
  std::set<user_id> users;
  for (const auto& each : of)
    for (const auto who : {each.owner, each.user})
      if (who)
        users.insert(who);
  auto ids = ids_of(users);
  const auto found = on.run(vouched_sql, parameters{}.array(ids), deadline);
  const column<user_id> user{found, "id"};
  const column<std::int32_t> active{found, "active"};
  std::vector<reputation::vouched_row> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({user[i], active[i]});
  return out;
}

reputation::found_vouch read(connection& on, const reputation::load_vouch& query, steady_time deadline) {
  auto found = read_vouches_here(on, {{query.id}}, deadline);
  return {found.empty() ? std::nullopt : std::optional{std::move(found.front())}};
}

} // namespace credence::persistence
