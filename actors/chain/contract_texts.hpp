#pragma once

#include "actors/chain/chain_node.hpp"
#include "actors/chain/chain_records.hpp"
#include "actors/chain/follow_types.hpp"
#include "actors/domain/words.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Texts of records that are followed, and what else events leave out: it is read from the contracts. The rows of the
/// queue are kept by triggers (`0013_chain_reads.sql`).
namespace credence::chain {

/// By the numbers of `text_kind`: the word in rows.
CREDENCE_WORDS(text_kind, text_kind_names, "review", "reply", "inviter", "vouch", "bond", "balance");
constexpr std::string_view name_of(text_kind kind) { return text_kind_names[static_cast<std::size_t>(kind)]; }

enum class text_state : std::uint8_t { wanted, here, failed };
CREDENCE_WORDS(text_state, text_state_names, "wanted", "here", "failed");
constexpr std::string_view name_of(text_state state) { return text_state_names[static_cast<std::size_t>(state)]; }

/// A text that is to be read now.
struct due_text {
  wanted_text of;
  std::int64_t stamp = 0;    // of this wish; the next edit has another one
  std::int32_t attempts = 0; // so far
  std::int32_t refusals = 0; // those of which the contract itself said that there is no text
  address holder = {};       // of a balance
  timestamp next_at = {};    // not before
  friend bool operator==(const due_text&, const due_text&) = default;
};

/// The account that a review is about, as its contract told it, and the hash that events name it by.
struct read_account {
  std::string service, account;
  digest32 hash{};
  friend bool operator==(const read_account&, const read_account&) = default;
};

/// What reading a text came to.
struct text_reading {
  wanted_text of;
  std::int64_t stamp = 0;
  text_state state = text_state::wanted;
  std::optional<std::string> reason; // why it is not here; `cut` where it is, without its end
  std::string text, metadata;        // where it is here; of a bond its statement
  std::optional<std::int32_t> parent;
  bool parent_is_target = false;      // of a reply: its parent is a record of the target's contract, no other reply
  timestamp next_at{};                // wanted: not before
  std::optional<address> wallet = {}; // of a vouch: its author's
  std::optional<read_account> account = {}; // of a review that is about one
  std::optional<wei> amount = {};           // a balance: of a vouch, of a wallet
  std::optional<profile_id> person = {};    // of a bond: whom it is about; of a profile: its inviter
  std::optional<timestamp> expires_at = {}; // of a bond, where it was told and could be read
  friend bool operator==(const text_reading&, const text_reading&) = default;
};

// -- changes -------------------------------------------------------------------------------------

/// Results of reading texts. One whose row was edited since (another stamp) is dropped. The change also puts some
/// waiting replies into their threads, even with no result.
struct texts_read {
  std::vector<text_reading> texts;
  std::optional<block_mark> at = {}; // whose state was read; none: the newest of the node
};

// -- questions to the database -------------------------------------------------------------------

/// The texts to read next, and how many there are.
struct text_queue {
  std::vector<due_text> due;     // the oldest first
  std::optional<block_mark> tip; // of the chain; none: nothing of it is stored
  std::int64_t wanted = 0;       // also those that are not tried yet; counted to 100,000
  std::int64_t failed = 0;       // likewise
  std::int64_t differing = 0;    // vouches whose balance the contract tells otherwise; likewise
  std::optional<timestamp>
    oldest;             // since when the oldest is wanted, but for balances: these wait until the tip is near the head
  bool joining = false; // replies wait to come into threads that are known
  bool counted = false; // else the four figures above are left out
};
/// A tip that is older is too far behind for nodes to keep its state.
inline constexpr std::chrono::seconds young_tip = std::chrono::minutes{2};
struct load_text_queue {
  using answer_type = text_queue;
  chain_number chain = 0;
  timestamp now{};
  std::int32_t most = 0;
  std::vector<text_kind> unread =
    {}; // that nobody can be asked for; balances neither, while blocks are applied that are older than `young_tip`
  std::optional<due_text> after =
    {}; // those behind it alone: what was read before it lies in the way until it is tidied up
  bool counted = true;
};

/// Whether records that a transaction made or edited wait for their texts.
struct texts_of_transaction {
  bool wanted = false;
};
struct load_texts_of {
  using answer_type = texts_of_transaction;
  chain_number chain = 0;
  digest32 tx{};
  std::vector<text_kind> unread = {}; // that nobody can be asked for, or waits for
};

// -- questions of clients ------------------------------------------------------------------------

/// Whether records of a transaction wait for their texts; answers when none does, or when `timeout` is over.
struct await_texts {
  using answer_type = texts_of_transaction;
  digest32 tx{};
  std::chrono::milliseconds timeout{0};
};

// What contracts are asked for texts of records and the like, and what their answers mean. Pure.

/// A contract that reverts or returns what makes no sense is asked so often before the text counts as failed.
inline constexpr std::int32_t text_tries_max = 3;

/// The call that returns what is wanted; nothing where the settings name no such contract or function.
std::optional<contract_call> call_for(const due_text& due, const follow_settings& how);
/// What nobody can be asked for, by these settings.
std::vector<text_kind> unread_kinds(const follow_settings& how);

/// What an answer to that call comes to. A node's failure leaves the text wanted, however often; what a contract says
/// is taken for its word when it says so `text_tries_max` times.
text_reading reading_of(const due_text& due, const call_answer& answer, const follow_settings& how, timestamp now);

/// Until the next attempt after so many: a second, doubling, up to an hour.
std::chrono::seconds pause_after(std::int32_t attempts);

} // namespace credence::chain
