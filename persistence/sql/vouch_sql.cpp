#include "persistence/sql/reputation_sql.hpp"

#include <map>

/// Vouches.
namespace credence::persistence {

namespace {

using reputation::vouch_contract;
using reputation::vouch_record;
constexpr const auto& vouch_fields = part<vouch_record>::fields;

const statement insert_vouch{"insert_vouch",
                             insert_one<reputation::vouch_created>("vouches", {"contract, ", "'api', "})};
const statement move_vouch{"move_vouch",
                           "UPDATE vouches SET staked = $2::numeric, deposited = $3::numeric, balance = $4::numeric,"
                           " withdrawn = $5::numeric, archived = $6::boolean,"
                           " unvouched_at = CASE WHEN $6::boolean THEN $7::timestamptz END"
                           " WHERE contract = 'api' AND number = $1::int4"};
const statement put_parts{"put_vouch_parts",
                          "SELECT put_vouch_parts('api', $1::int4, $2::text::int4[], $3::text::numeric[])"};
const statement mark_unhealthy{"mark_unhealthy", "UPDATE vouches SET unhealthy = true, unhealthy_at = $2::timestamptz"
                                                 " WHERE contract = 'api' AND number = $1::int4"};

const auto vouches_sql =
  "SELECT " + column_list(vouch_fields, "v.") + select_account
  + ", s.user_id AS subject_user, v.contract = 'vouchV2' AS second"
    " FROM vouches v JOIN subjects s ON s.key = v.subject_key AND s.generation = v.subject_generation"
    " WHERE (v.contract IN ('api', 'vouch') AND v.number = ANY($1::int4[]))"
    " OR (v.contract = 'vouchV2' AND v.number = ANY($2::int4[]))";
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

/// The parts of a vouch, all of them.
parameters parts_with(vouch_id which, const std::vector<score::vouch_part>& parts) {
  std::string days, amounts;
  for (const auto& each : parts) {
    (days += days.empty() ? '{' : ',') += std::to_string(each.day.time_since_epoch().count());
    (amounts += amounts.empty() ? '{' : ',') += decimal(each.amount);
  }
  const auto closed = [](std::string list) { return list.empty() ? std::string{"{}"} : std::move(list) + '}'; };
  return with(which, closed(std::move(days)), closed(std::move(amounts)));
}

} // namespace

fact_sql_ptr sql_of(kind<reputation::vouch_created> it) {
  return written_by(it, {&open_subject, &insert_vouch, &put_parts},
                    [](const auto& fresh, global_seq seq, batch_statements& to) {
                      put_subject(to, fresh.subject, fresh.record.vouched_at);
                      to.put(insert_vouch, columns_of(fresh, seq));
                      to.put(put_parts, parts_with(fresh.record.id, fresh.record.parts));
                    });
}
number_column numbers_of(kind<reputation::vouch_created>) { return {"vouches"}; }
fact_sql_ptr sql_of(kind<reputation::vouch_moved> it) {
  return written_by(it, {&move_vouch, &put_parts}, [](const auto& change, global_seq, batch_statements& to) {
    to.put(move_vouch, columns_of(change));
    to.put(put_parts, parts_with(change.id, change.parts));
  });
}
fact_sql_ptr sql_of(kind<reputation::vouch_marked_unhealthy> it) { return written_in_turn(it, mark_unhealthy); }

std::vector<reputation::active_vouch> read_active_here(connection& on, const std::set<profile_id>& authors,
                                                       steady_time deadline) {
  static constexpr auto fields = CREDENCE_FIELDS(reputation::active_vouch, (number, id), (author_profile, author),
                                                 (subject_key, subject), subject_user, token);
  return all_with(on, active_sql, authors, fields, deadline);
}

std::vector<reputation::made_row> read_made_here(connection& on, const std::set<profile_id>& authors,
                                                 steady_time deadline) {
  return all_with(on, made_sql, authors, CREDENCE_FIELDS(reputation::made_row, (id, author), (made, count)), deadline);
}

std::vector<vouch_record> read_vouches_here(connection& on, const std::set<reputation::vouch_place>& which,
                                            steady_time deadline) {
  if (which.empty())
    return {};
  binary_array ids{sql_type::int4}, in_tokens{sql_type::int4};
  for (const auto& each : which)
    (each.contract == vouch_contract::vouch ? ids : in_tokens).int4(each.id.value);
  const auto found = on.run(vouches_sql.c_str(), with(ids, in_tokens), deadline);
  auto out = all_of(found, vouch_fields);
  add_accounts(out, found);
  const column<user_id> subject_user{found, "subject_user"};
  const column<bool> second{found, "second"};
  std::map<vouch_id, std::size_t> places;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto row = static_cast<int>(i);
    out[i].subject_user = subject_user[row];
    out[i].contract = second[row] ? vouch_contract::vouch_v2 : vouch_contract::vouch;
    if (out[i].contract == vouch_contract::vouch)
      places[out[i].id] = i;
  }
  const auto parts = on.run(vouch_parts_sql, with(ids), deadline);
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
  return all_of(on.run(vouched_sql, with(array_of(users)), deadline),
                CREDENCE_FIELDS(reputation::vouched_row, (id, user), active));
}

std::optional<reputation::vouch_record> read(connection& on, const reputation::get_vouch& query, steady_time deadline) {
  return first_in(read_vouches_here(on, {{query.id}}, deadline));
}
load_handler handler(asked<reputation::get_vouch> it) { return reads<load_by_key, reputation::storage>(it); }

} // namespace credence::persistence
