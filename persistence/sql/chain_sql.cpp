#include "persistence/sql/chain_sql.hpp"

#include "persistence/sql/chain_columns.hpp"

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
  fact_columns<block_mark>::insert_into("chain_blocks", {"chain_id, ", "(SELECT chain_id FROM chain_follow), "})};
const statement insert_events{
  "insert_chain_events", fact_columns<stored_event>::insert_into(
                           "chain_events", {"chain_id, created_at, updated_at, ",
                                            "(SELECT chain_id FROM chain_follow), (SELECT moved_at FROM chain_follow),"
                                            " (SELECT moved_at FROM chain_follow), "})};
const statement chain_put_rows{"put_chain_rows", "SELECT put_chain_rows($1::int8, $2::text[], $3::text[])"};
const statement try_rows{
  "try_chain_rows", "SELECT try_chain_rows($1::int8[], $2::text[], $3::text[], $4::int8[], $5::bytea[], $6::int4[])"};
const statement undo{"undo_blocks", "SELECT undo_blocks($1::int8, $2::bytea, $3::int8, $4::bytea, $5::timestamptz)"};

} // namespace

// -- writing -----------------------------------------------------------------------------------

statements_used sql_of<chain::chain_begun>::used() { return {&begin_chain, &first_block}; }
void sql_of<chain::chain_begun>::add(const chain::chain_begun& begun, global_seq, batch_statements& to) {
  const auto& tip = begun.tip;
  const auto number = chain::number_of(tip.number);
  const auto at = chain::time_of(tip.at);
  to.put(begin_chain, parameters{}
                        .int8(begun.chain)
                        .text(begun.contracts)
                        .int8(number)
                        .bytes(tip.hash)
                        .bytes(tip.parent_hash)
                        .time(at)
                        .text(begun.kinds)
                        .int4(begun.id_offset));
  to.put(first_block, parameters{}.int8(begun.chain).int8(number).bytes(tip.hash).bytes(tip.parent_hash).time(at));
}

statements_used sql_of<chain::blocks_applied>::used() {
  return {&advance, &settle, &insert_blocks, &insert_events, &chain_put_rows};
}
void sql_of<chain::blocks_applied>::clear() {
  blocks_.clear();
  events_.clear();
}
void sql_of<chain::blocks_applied>::add(const chain::blocks_applied& step, global_seq, batch_statements& to) {
  const auto& tip = step.tip;
  if (tip.hash != step.before || !step.events.empty())
    to.put(advance, parameters{}
                      .int8(step.chain)
                      .bytes(step.before)
                      .int8(chain::number_of(tip.number))
                      .bytes(tip.hash)
                      .bytes(tip.parent_hash)
                      .time(chain::time_of(tip.at))
                      .int8(chain::number_of(step.finalized))
                      .int8(static_cast<std::int64_t>(step.events.size()))
                      .int8(step.events.empty() ? 0 : step.events.back().id)
                      .time(step.at));
  to.put(settle, parameters{}.int8(step.chain).bytes(tip.hash).int8(chain::number_of(step.authority)));
  auto& blocks = blocks_.emplace_back();
  for (const auto& each : step.blocks)
    blocks.add(each);
  if (!blocks.empty())
    to.borrow(insert_blocks, blocks.finish());
  auto& events = events_.emplace_back();
  for (const auto& each : step.events)
    events.add(each);
  if (!events.empty())
    to.borrow(insert_events, events.finish());
  for (auto row = step.rows.begin(); row != step.rows.end();) {
    const auto block = row->undo_block;
    const auto piece = row->piece;
    binary_array relations{sql_type::text}, images{sql_type::text};
    for (; row != step.rows.end() && row->piece == piece; ++row) {
      relations.text(row->relation);
      images.text(row->columns);
    }
    to.put(chain_put_rows, parameters{}.int8(block).bytes(copied(relations)).bytes(copied(images)));
  }
}

statements_used sql_of<chain::blocks_tried>::used() { return {&try_rows}; }
void sql_of<chain::blocks_tried>::add(const chain::blocks_tried& change, global_seq, batch_statements& to) {
  binary_array events{sql_type::int8}, relations{sql_type::text}, images{sql_type::text};
  for (const auto& each : change.rows) {
    events.int8(each.event);
    relations.text(each.relation);
    images.text(each.columns);
  }
  binary_array ids{sql_type::int8}, hashes{sql_type::bytea}, logs{sql_type::int4};
  for (const auto& each : change.places) {
    ids.int8(each.event);
    hashes.bytes(each.block_hash);
    logs.int4(each.log_index);
  }
  to.put(try_rows, parameters{}
                     .bytes(copied(events))
                     .bytes(copied(relations))
                     .bytes(copied(images))
                     .bytes(copied(ids))
                     .bytes(copied(hashes))
                     .bytes(copied(logs)));
}

statements_used sql_of<chain::blocks_undone>::used() { return {&undo}; }
void sql_of<chain::blocks_undone>::add(const chain::blocks_undone& back, global_seq, batch_statements& to) {
  to.put(undo, parameters{}
                 .int8(back.chain)
                 .bytes(back.before)
                 .int8(chain::number_of(back.tip.number))
                 .bytes(back.tip.hash)
                 .time(back.at));
}

// -- reading -----------------------------------------------------------------------------------

namespace {

constexpr auto chain_place_sql = "SELECT contracts, tip_number AS number, tip_hash AS hash, tip_parent AS parent_hash, "
                                 "tip_at AS at, finalized, last_event, authority,"
                                 " kinds, id_offset, replaying"
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
constexpr auto events_sql = "SELECT id, block_number, block_hash, block_at, tx_hash, block_index, log_index, contract, "
                            "address, topics, data, event_name,"
                            " log_data, status, reason, created_at, updated_at FROM chain_events"
                            " WHERE tx_hash = $2::bytea AND chain_id = $1::int8 ORDER BY block_number, log_index";

constexpr auto chain_places_sql = "SELECT block_number, block_hash, log_index FROM chain_events"
                                  " WHERE chain_id = $1::int8 AND block_number BETWEEN $2::int8 AND $3::int8 ORDER BY "
                                  "block_number, log_index LIMIT $4::int4";
constexpr auto page_sql = "SELECT id, block_number, block_hash, block_at, tx_hash, block_index, log_index, contract, "
                          "address, topics, data, event_name,"
                          " log_data, status, reason FROM chain_events WHERE id > $1::int8 ORDER BY id LIMIT $2::int4";

struct mark_columns {
  const rows& in;
  column<std::int64_t> number{in, "number"};
  column<digest32> hash{in, "hash"};
  column<digest32> parent_hash{in, "parent_hash"};
  column<timestamp> at{in, "at"};

  block_mark mark(int row) const {
    return {static_cast<chain::block_number>(number[row]),
            hash[row],
            parent_hash[row],
            {std::chrono::floor<std::chrono::seconds>(at[row].time_since_epoch()).count()}};
  }
};

std::vector<std::byte> bytes_in(std::string_view raw) {
  const auto bytes = std::as_bytes(std::span{raw});
  return {bytes.begin(), bytes.end()};
}

struct event_columns {
  const rows& in;
  column<std::int64_t> id{in, "id"}, block{in, "block_number"};
  column<digest32> block_hash{in, "block_hash"}, tx_hash{in, "tx_hash"};
  column<timestamp> at{in, "block_at"};
  column<std::int32_t> tx_index{in, "block_index"}, log_index{in, "log_index"};
  column<std::string_view> contract{in, "contract"}, topics{in, "topics"}, data{in, "data"};
  column<address> from{in, "address"};
  column<std::optional<std::string>> name{in, "event_name"}, log_data{in, "log_data"}, reason{in, "reason"};
  column<chain::event_status> status{in, "status"};

  stored_event event(int row) const {
    return {id[row],
            static_cast<chain::block_number>(block[row]),
            block_hash[row],
            seconds_of(at[row]),
            tx_hash[row],
            tx_index[row],
            log_index[row],
            chain::contract_named(contract[row]).value_or(chain::contract_kind::any),
            from[row],
            bytes_in(topics[row]),
            bytes_in(data[row]),
            name[row],
            log_data[row],
            status[row],
            reason[row]};
  }
};

} // namespace

chain::stored_follow read(connection& on, const chain::load_follow& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  chain::stored_follow out;
  const auto place = on.run(chain_place_sql, parameters{}.int8(query.chain), deadline);
  if (!place.empty()) {
    const column<std::int64_t> finalized{place, "finalized"};
    out.place = {place.first<std::string>("contracts"),
                 place.first<std::string>("kinds"),
                 place.first<std::int32_t>("id_offset"),
                 mark_columns{place}.mark(0),
                 static_cast<chain::block_number>(finalized[0]),
                 place.first<std::int64_t>("last_event"),
                 place.first<std::string>("replaying"),
                 static_cast<chain::block_number>(place.first<std::int64_t>("authority"))};
  }
  const auto other = on.run(chain_others_sql, parameters{}.int8(query.chain), deadline);
  if (!other.empty())
    out.other_chain = other.first<std::int64_t>("chain_id");
  const auto blocks = on.run(blocks_sql, parameters{}.int8(query.chain), deadline);
  const mark_columns marks{blocks};
  out.blocks.reserve(static_cast<std::size_t>(blocks.count()));
  for (int i = 0; i < blocks.count(); ++i)
    out.blocks.push_back(marks.mark(i));
  const auto within = on.run(within_sql, parameters{}.int8(query.chain), deadline);
  if (!within.empty())
    out.within = {within.first<std::int64_t>("id"), within.first<digest32>("block_hash"),
                  within.first<std::int32_t>("log_index")};
  const auto refused = on.run(refused_sql, parameters{}, deadline);
  const column<digest32> refused_hash{refused, "block_hash"};
  const column<std::int32_t> refused_log{refused, "log_index"};
  const column<std::string> refused_why{refused, "reason"};
  for (int i = 0; i < refused.count(); ++i)
    out.refused.push_back({refused_hash[i], refused_log[i], refused_why[i]});
  out.failed = on.run(failed_sql, parameters{}.int8(query.chain), deadline).value<std::int64_t>();
  snapshot.commit(deadline);
  return out;
}

chain::events_of_transaction read(connection& on, const chain::load_events& query, steady_time deadline) {
  const auto found = on.run(events_sql, parameters{}.int8(query.chain).bytes(query.tx), deadline);
  const event_columns events{found};
  const column<timestamp> created_at{found, "created_at"}, updated_at{found, "updated_at"};
  chain::events_of_transaction out;
  for (int i = 0; i < found.count(); ++i)
    out.events.push_back({events.event(i), created_at[i], updated_at[i]});
  return out;
}

chain::events_between read(connection& on, const chain::load_event_places& query, steady_time deadline) {
  const auto found = on.run(chain_places_sql,
                            parameters{}
                              .int8(query.chain)
                              .int8(chain::number_of(query.blocks.first))
                              .int8(chain::number_of(query.blocks.last))
                              .int4(static_cast<std::int32_t>(chain::event_places_max) + 1),
                            deadline);
  const column<std::int64_t> block{found, "block_number"};
  const column<digest32> hash{found, "block_hash"};
  const column<std::int32_t> log{found, "log_index"};
  chain::events_between out;
  out.all = static_cast<std::size_t>(found.count()) <= chain::event_places_max;
  for (int i = 0; i < found.count(); ++i)
    out.places.push_back({static_cast<chain::block_number>(block[i]), hash[i], log[i]});
  return out;
}

std::vector<stored_event> read_events_after(connection& on, std::int64_t after, std::int32_t most,
                                            steady_time deadline) {
  return events_in(on.run(page_sql, parameters{}.int8(after).int4(most), deadline));
}

std::vector<stored_event> events_in(const rows& found) {
  const event_columns events{found};
  std::vector<stored_event> out;
  out.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    out.push_back(events.event(i));
  return out;
}

} // namespace credence::persistence
