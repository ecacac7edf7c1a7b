#pragma once

#include "actors/chain/chain_records.hpp"
#include "actors/chain/chain_rows.hpp"
#include "actors/chain/chain_storage.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The chain that is followed: its blocks and events, the rows that these make, texts that are read from contracts,
/// kinds that are added, and events that are tried again.
namespace credence::persistence {

// -- values, in the words of the fold -----------------------------------------------------------

template <>
struct detail::stored_as<chain::unix_time> : stored_as<timestamp> {
  static chain::unix_time from(std::string_view raw) {
    return {std::chrono::floor<std::chrono::seconds>(stored_as<timestamp>::from(raw).time_since_epoch()).count()};
  }
  static void put(auto& to, chain::unix_time at) { to.time(chain::time_of(at)); }
};
template <>
struct detail::stored_as<chain::contract_kind> : stored_as<std::string_view> {
  static chain::contract_kind from(std::string_view raw) {
    return chain::contract_named(raw).value_or(chain::contract_kind::any);
  }
  static void put(auto& to, chain::contract_kind contract) { to.text(chain::name_of(contract)); }
};
/// A subject by the bytes of its column (`chain::bytes_of`).
template <>
struct detail::stored_as<chain::subject_key> : stored_as<std::span<const std::byte>> {
  static chain::subject_key from(std::string_view raw);
  static void put(auto& to, const chain::subject_key& key) { to.bytes(chain::bytes_of(key)); }
};

// -- writing -----------------------------------------------------------------------------------

/// Puts rows that events made, a statement for each piece: its parameters are the block that they go with (0 unless
/// they are `undone` with it), their relations and their columns.
void put_images(batch_statements& to, const statement& which, const std::vector<chain::row_image>& rows, bool undone);

// -- reading -----------------------------------------------------------------------------------

/// Where following stands, of one snapshot.
chain::stored_follow read(connection& on, const chain::load_follow& query, steady_time deadline);

/// The rows of these keys that events made, beside those that are in `to`; of invitations those that are open.
void read_chain_rows(connection& on, const chain::row_keys& keys, chain::chain_rows& to, steady_time deadline);
/// All invitations to these addresses.
void read_invitations_to(connection& on, const std::set<address>& whom, chain::chain_rows& to, steady_time deadline);
/// Parameters of contracts and the last ids that were given out: all of them.
void read_chain_counters(connection& on, chain::chain_rows& to, steady_time deadline);
/// Stored events in their order, those with ids beyond `after`.
std::vector<chain::stored_event> read_events_after(connection& on, std::int64_t after, std::int32_t most,
                                                   steady_time deadline);
/// Events of rows with the columns of `chain_events`.
std::vector<chain::stored_event> events_in(const rows& found);

// -- texts of contracts --------------------------------------------------------------------------

/// How many texts there are of a kind, in a state and for a reason.
struct texts_counted {
  std::string kind, state, reason;
  std::int64_t texts = 0;
};
std::vector<texts_counted> count_texts(connection& on, steady_time deadline);
/// Has texts that could not be read tried again; how many.
std::int64_t retry_texts(connection& on, steady_time deadline);

// -- kinds that are added, and events that are tried again -------------------------------------

/// Kinds by the event after which they were added, in order.
std::vector<std::pair<std::int64_t, chain::record_kinds>> read_added_kinds(connection& on, steady_time deadline);

/// Has failed events tried again by the server; how many there are. Nothing where no chain is stored.
std::optional<std::int64_t> reprocess_failed(connection& on, steady_time deadline);

/// An event that was tried again: behind which one, by which kinds.
struct reprocessed_place {
  std::int64_t event = 0, after = 0;
  std::string kinds; // with commas between them
};
/// All of them, in the order in which they were tried.
std::vector<reprocessed_place> read_reprocessed(connection& on, steady_time deadline);

} // namespace credence::persistence
