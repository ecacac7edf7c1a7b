#include "persistence/sql/chain_sql.hpp"

#include <deque>

namespace credence::persistence {

namespace {

using chain::block_mark;
using chain::stored_event;

const statement begin_chain{
  "begin_chain", "INSERT INTO chain_follow (chain_id, contracts, start_block, tip_number, tip_hash, tip_parent, tip_at,"
                 " kinds, id_offset)"
                 " VALUES ($1::int8, $2::text, $3::int8 + 1, $3::int8, $4::bytea, $5::bytea, $6::timestamptz,"
                 " $7::text, $8::int4)"};
const statement first_block{"first_chain_block", "INSERT INTO chain_blocks (chain_id, number, hash, parent_hash, at)"
                                                 " VALUES ($1::int8, $2::int8, $3::bytea, $4::bytea, $5::timestamptz)"};
const statement advance{
  "advance_chain",
  "SELECT advance_chain($1::int8, $2::bytea, $3::int8, $4::bytea, $5::bytea, $6::timestamptz, $7::int8,"
  " $8::int8, $9::int8, $10::timestamptz)"};
const statement settle{"settle_chain", "SELECT settle_chain($1::int8, $2::bytea, $3::int8)"};
// One chain is followed, so what comes after its tip has moved is of that one.
const statement insert_blocks{
  "insert_chain_blocks",
  insert_all<block_mark>("chain_blocks", {"chain_id, ", "(SELECT chain_id FROM chain_follow), "})};
const statement insert_events{
  "insert_chain_events",
  insert_all<stored_event>("chain_events", {"chain_id, created_at, updated_at, ",
                                            "(SELECT chain_id FROM chain_follow), (SELECT moved_at FROM chain_follow),"
                                            " (SELECT moved_at FROM chain_follow), "})};
const statement chain_put_rows{"put_chain_rows", "SELECT put_chain_rows($1::int8, $2::text[], $3::text[])"};
const statement try_rows{
  "try_chain_rows", "SELECT try_chain_rows($1::int8[], $2::text[], $3::text[], $4::int8[], $5::bytea[], $6::int4[])"};
const statement undo{"undo_blocks", "SELECT undo_blocks($1::int8, $2::bytea, $3::int8, $4::bytea, $5::timestamptz)"};

} // namespace

// -- writing -----------------------------------------------------------------------------------

namespace {

/// A step: it moves the tip, then writes blocks, events, and the rows of each block, at its place among others.
class steps final : public sql_of_kind<chain::blocks_applied> {
public:
  using sql_of_kind::sql_of_kind;
  void clear() override {
    blocks_.clear();
    events_.clear();
  }

private:
  void write(const chain::blocks_applied& step, global_seq, batch_statements& to) override {
    const auto& tip = step.tip;
    if (tip.hash != step.before || !step.events.empty())
      to.put(advance,
             with(step.chain, step.before, tip.number, tip.hash, tip.parent_hash, tip.at, step.finalized,
                  std::uint64_t{step.events.size()}, step.events.empty() ? 0 : step.events.back().id, step.at));
    to.put(settle, with(step.chain, tip.hash, step.authority));
    put_all(to, insert_blocks, step.blocks, blocks_.emplace_back());
    put_all(to, insert_events, step.events, events_.emplace_back());
    put_images(to, chain_put_rows, step.rows, true);
  }
  template <class Part>
  static void put_all(batch_statements& to, const statement& which, const std::vector<Part>& all,
                      fact_columns<Part>& rows) {
    for (const auto& each : all)
      rows.add(each);
    if (!rows.empty())
      to.borrow(which, rows.finish());
  }

  std::deque<fact_columns<block_mark>> blocks_;
  std::deque<fact_columns<stored_event>> events_;
};

} // namespace

void put_images(batch_statements& to, const statement& which, const std::vector<chain::row_image>& rows, bool undone) {
  for (auto row = rows.begin(); row != rows.end();) {
    const auto first = row;
    binary_array relations{sql_type::text}, images{sql_type::text};
    for (; row != rows.end() && row->piece == first->piece; ++row) {
      relations.text(row->relation);
      images.text(row->columns);
    }
    to.put(which, with(undone ? first->undo_block : 0, relations, images));
  }
}

fact_sql_ptr sql_of(kind<chain::chain_begun> it) {
  return written_by(it, {&begin_chain, &first_block}, [](const auto& begun, global_seq, batch_statements& to) {
    const auto& tip = begun.tip;
    to.put(begin_chain, with(begun.chain, begun.contracts, tip.number, tip.hash, tip.parent_hash, tip.at, begun.kinds,
                             begun.id_offset));
    to.put(first_block, with(begun.chain, tip.number, tip.hash, tip.parent_hash, tip.at));
  });
}
fact_sql_ptr sql_of(kind<chain::blocks_applied>) {
  return std::make_unique<steps>(statements_used{&advance, &settle, &insert_blocks, &insert_events, &chain_put_rows});
}
fact_sql_ptr sql_of(kind<chain::blocks_tried> it) {
  return written_by(it, {&try_rows}, [](const auto& change, global_seq, batch_statements& to) {
    using image = chain::row_image;
    using place = chain::log_place;
    to.put(try_rows, with(array_of(change.rows, &image::event), array_of(change.rows, &image::relation),
                          array_of(change.rows, &image::columns), array_of(change.places, &place::event),
                          array_of(change.places, &place::block_hash), array_of(change.places, &place::log_index)));
  });
}
fact_sql_ptr sql_of(kind<chain::blocks_undone> it) {
  return written_by(it, {&undo}, [](const auto& back, global_seq, batch_statements& to) {
    to.put(undo, with(back.chain, back.before, back.tip.number, back.tip.hash, back.at));
  });
}

// -- reading -----------------------------------------------------------------------------------

namespace {

constexpr auto chain_place_sql = "SELECT contracts, tip_number AS number, tip_hash AS hash, tip_parent AS parent_hash, "
                                 "tip_at AS at, finalized, last_event, authority,"
                                 " kinds, id_offset, replaying,"
                                 " EXISTS (SELECT FROM chain_undo WHERE block_number > tip_number) AS written_ahead"
                                 " FROM chain_follow WHERE chain_id = $1::int8";
constexpr auto blocks_sql =
  "SELECT number, hash, parent_hash, at FROM chain_blocks WHERE chain_id = $1::int8 ORDER BY number";
constexpr auto failed_sql = "SELECT count(*) FROM chain_events WHERE status = 'failed' AND chain_id = $1::int8";
constexpr auto chain_others_sql = "SELECT chain_id, contracts FROM chain_follow WHERE chain_id <> $1::int8";
constexpr auto within_sql =
  "SELECT id, block_hash, log_index FROM chain_events"
  " WHERE chain_id = $1::int8 AND block_number > (SELECT tip_number FROM chain_follow WHERE chain_id = $1::int8)"
  " ORDER BY block_number DESC, log_index DESC LIMIT 1";
constexpr auto refused_sql = "SELECT block_hash, log_index, reason FROM chain_refusals";
const auto events_sql = "SELECT " + column_list(part<stored_event>::fields)
                        + ", created_at, updated_at FROM chain_events"
                          " WHERE tx_hash = $2::bytea AND chain_id = $1::int8 ORDER BY block_number, log_index";

constexpr auto chain_places_sql = "SELECT block_number, block_hash, log_index FROM chain_events"
                                  " WHERE chain_id = $1::int8 AND block_number BETWEEN $2::int8 AND $3::int8 ORDER BY "
                                  "block_number, log_index LIMIT $4::int4";
const auto page_sql = "SELECT " + column_list(part<stored_event>::fields)
                      + " FROM chain_events WHERE id > $1::int8 ORDER BY id LIMIT $2::int4";

using chain::follow_place;
constexpr const auto& mark_fields = part<block_mark>::fields;
constexpr auto place_fields = joined_lists(within(&follow_place::tip, mark_fields),
                                           CREDENCE_FIELDS(follow_place, contracts, kinds, id_offset, finalized,
                                                           last_event, replaying, authority, written_ahead));

} // namespace

chain::stored_follow read(connection& on, const chain::load_follow& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  chain::stored_follow out;
  using chain::log_place;
  using chain::refused_event;
  const auto find = [&, of = with(query.chain)](const char* sql) { return on.run(sql, of, deadline); };
  out.place = first_of(find(chain_place_sql), place_fields);
  const auto other = find(chain_others_sql);
  if (!other.empty())
    out.other_chain = other.first<std::int64_t>("chain_id");
  out.blocks = all_of(find(blocks_sql), mark_fields);
  out.within = first_of(find(within_sql), CREDENCE_FIELDS(log_place, (id, event), block_hash, log_index));
  out.refused = all_of(on.run(refused_sql, deadline), CREDENCE_FIELDS(refused_event, block_hash, log_index, reason));
  out.failed = find(failed_sql).value<std::int64_t>();
  return out;
}
load_handler handler(asked<chain::load_follow> it) { return reads<load_in_pieces, chain::storage>(it); }

/// The events of a transaction in the chain as it is.
chain::events_of_transaction read(connection& on, const chain::load_events& query, steady_time deadline) {
  using of = chain::event_record;
  static constexpr auto fields =
    joined_lists(within(&of::event, part<stored_event>::fields), CREDENCE_FIELDS(of, created_at, updated_at));
  return {all_of(on.run(events_sql.c_str(), with(query.chain, query.tx), deadline), fields)};
}
load_handler handler(asked<chain::load_events> it) { return reads<load_by_key, chain::storage>(it); }

chain::events_between read(connection& on, const chain::load_event_places& query, steady_time deadline) {
  const auto found = on.run(
    chain_places_sql,
    with(query.chain, query.blocks.first, query.blocks.last, static_cast<std::int32_t>(chain::event_places_max) + 1),
    deadline);
  chain::events_between out;
  out.all = static_cast<std::size_t>(found.count()) <= chain::event_places_max;
  out.places = all_of(found, CREDENCE_FIELDS(chain::log_mark, (block_number, block), block_hash, log_index));
  return out;
}
load_handler handler(asked<chain::load_event_places> it) { return reads<load_in_pieces, chain::storage>(it); }

std::vector<stored_event> read_events_after(connection& on, std::int64_t after, std::int32_t most,
                                            steady_time deadline) {
  return events_in(on.run(page_sql.c_str(), with(after, most), deadline));
}

std::vector<stored_event> events_in(const rows& found) { return all_of(found, part<stored_event>::fields); }

} // namespace credence::persistence
