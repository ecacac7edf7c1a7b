#include "persistence/sql/chain_sql.hpp"

#include <algorithm>

namespace credence::persistence {

namespace {

using chain::record_kind;
using chain::record_kinds;

const statement add_kinds{"add_chain_kinds",
                          "SELECT add_chain_kinds($1::int8, $2::bytea, $3::text, $4::text, $5::int4)"};
const statement replay_events{
  "replay_chain_events", "SELECT replay_chain_events($1::int8, $2::int8, $3::int8, $4::boolean, $5::int8[], $6::text[],"
                         " $7::text[], $8::timestamptz)"};
const statement put_replayed_rows{"put_replayed_rows", "SELECT put_chain_rows($1::int8, $2::text[], $3::text[])"};

constexpr auto place_sql = "SELECT replay_place FROM chain_follow WHERE chain_id = $1::int8";
// Some whole events, and no more than a megabyte unless one is larger.
const auto chain_kinds_next_sql = "SELECT * FROM (SELECT " + column_list(part<chain::stored_event>::fields)
                                  + ", sum(octet_length(data)) OVER (ORDER BY id) - "
                                    "octet_length(data) AS bytes_before FROM chain_events"
                                    "  WHERE id > $1::int8 AND id <= $2::int8 AND status = 'ignored' AND reason = "
                                    "'kind_not_followed' AND contract = ANY($3::text[])"
                                    "  ORDER BY id LIMIT $4::int4) page WHERE bytes_before < 1048576 ORDER BY id";
constexpr std::int64_t looked_at_once = 20'000; // events, most of which may be of other kinds

/// The last record of a kind that the API made, each by an index of those.
struct kind_of_api {
  record_kind kind;
  std::int64_t first; // id that a contract gives
  const char* last_sql;
};
constexpr kind_of_api kinds_of_api[]{
  {record_kind::identity, 1,
   "SELECT greatest((SELECT max(id) FROM profiles WHERE source = 'api'), (SELECT max(id) FROM attestations WHERE "
   "source = 'api')) AS last"},
  {record_kind::review, 0, "SELECT max(id) AS last FROM reviews WHERE source = 'api'"},
  {record_kind::vote, 1, "SELECT max(number) AS last FROM activity_votes WHERE source = 'api'"},
  {record_kind::reply, 0, "SELECT max(id) AS last FROM replies WHERE source = 'api'"},
  // Their rows have keys of their own, but feeds and votes know both by the same kind.
  {record_kind::vouch, 0, "SELECT max(number) AS last FROM vouches WHERE source = 'api'"},
  {record_kind::bond, 1, "SELECT max(id) AS last FROM bonds WHERE source = 'api'"},
  {record_kind::project, 1, "SELECT max(id) AS last FROM projects WHERE source = 'api'"},
  {record_kind::slash, 0,
   "SELECT max(id) AS last FROM slashes WHERE source = 'api'"}, // from 0 or 1: its contract is not public
};
// Money lies in them, and nobody would see them any more.
constexpr auto own_markets_sql = "SELECT count(*) AS n FROM markets";
constexpr auto added_sql = "SELECT kind, after_event FROM chain_kinds ORDER BY after_event, kind";

binary_array contracts_of(const record_kinds& kinds) {
  binary_array out{sql_type::text};
  for (std::size_t i = 0; i < chain::contract_names.size(); ++i)
    if (kinds.contains(static_cast<chain::contract_kind>(i)))
      out.text(chain::contract_names[i]);
  return out;
}

/// Why kinds cannot be added, in words that follow "chain.kinds adds".
std::optional<std::string> conflict_of(connection& on, const record_kinds& added, std::int32_t id_offset,
                                       steady_time deadline) {
  for (const auto& each : kinds_of_api) {
    if (!added.contains(each.kind))
      continue;
    const auto last = on.run(each.last_sql, deadline).first<std::optional<std::int32_t>>("last");
    if (last && *last >= id_offset + each.first)
      return std::string{chain::name_of(each.kind)} + ", of which the API has made records with ids up to "
             + std::to_string(*last) + ", and chain.id_offset is " + std::to_string(id_offset)
             + ": ids of the chain would meet them";
  }
  if (added.contains(record_kind::market))
    if (const auto own = on.run(own_markets_sql, deadline).first<std::int64_t>("n"); own > 0)
      return "market, and " + std::to_string(own)
             + " markets were made over the API: markets are local or of the chain, never both";
  return std::nullopt;
}

} // namespace

fact_sql_ptr sql_of(kind<chain::kinds_added> it) {
  return written_by(it, {&add_kinds}, [](const auto& change, global_seq, batch_statements& to) {
    to.put(add_kinds, with(change.chain, change.tip, change.kinds, change.added, change.id_offset));
  });
}
fact_sql_ptr sql_of(kind<chain::events_replayed> it) {
  return written_by(it, {&replay_events, &put_replayed_rows}, [](const auto& piece, global_seq, batch_statements& to) {
    using event = chain::event_outcome;
    to.put(replay_events,
           with(piece.chain, piece.before, piece.place, piece.done, array_of(piece.events, &event::id),
                array_of(piece.events, &event::status), array_of(piece.events, &event::reason), piece.at));
    put_images(to, put_replayed_rows, piece.rows, false);
  });
}

chain::stored_replay read(connection& on, const chain::load_replay& question, steady_time deadline) {
  chain::stored_replay out;
  auto follow = read(on, chain::load_follow{question.chain}, deadline);
  out.place = std::move(follow.place);
  if (!out.place)
    return out;
  out.blocks = std::move(follow.blocks);
  if (out.place->replaying.empty()) {
    const auto added = chain::kinds_beyond(chain::kinds_in(out.place->kinds), question.added);
    out.conflict = conflict_of(on, added, question.id_offset, deadline);
    return out;
  }
  out.applied_to = on.run(place_sql, with(question.chain), deadline).first<std::int64_t>("replay_place");
  out.looked_to = std::max(out.applied_to, std::min(out.applied_to + looked_at_once, out.place->last_event));
  const auto contracts = contracts_of(chain::kinds_in(out.place->kinds));
  out.next = events_in(
    on.run(chain_kinds_next_sql.c_str(), with(out.applied_to, out.looked_to, contracts, question.most), deadline));
  return out;
}
load_handler handler(asked<chain::load_replay> it) { return reads<load_in_pieces, chain::storage>(it); }

std::vector<std::pair<std::int64_t, record_kinds>> read_added_kinds(connection& on, steady_time deadline) {
  const auto found = on.run(added_sql, deadline);
  const column<std::string> kind{found, "kind"};
  const column<std::int64_t> after{found, "after_event"};
  std::vector<std::pair<std::int64_t, record_kinds>> out;
  for (int i = 0; i < found.count(); ++i) {
    if (out.empty() || out.back().first != after[i])
      out.push_back({after[i], {}});
    if (const auto known = chain::record_kind_named(kind[i]))
      out.back().second.add(*known);
  }
  return out;
}

} // namespace credence::persistence
