#include "persistence/sql/chain_replay.hpp"

#include "actors/chain/apply.hpp"
#include "actors/chain/chain_records.hpp"
#include "actors/domain/hash.hpp"
#include "persistence/sql/chain_sql.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace credence::persistence {

namespace {

using namespace chain;

constexpr std::int32_t events_at_once = 100; // each may hold a megabyte
constexpr std::size_t chain_replay_examples_max = 20;

constexpr double reading_share = 0.2; // of the time that folding takes

constexpr auto follow_sql =
  "SELECT coalesce(max(replaying), '') AS replaying, coalesce(max(tip_at), 'epoch') AS tip_at FROM chain_follow";

/// Tables of `chain_rows` that are compared: their name there, what one row is called, and those that events made.
#define CREDENCE_REPLAYED(TABLE)                                                                                       \
  TABLE(profiles, "profile", "profiles WHERE source = 'chain' AND NOT orphaned")                                       \
  TABLE(addresses, "address", "addresses WHERE source = 'chain'")                                                      \
  TABLE(attestations, "attestation", "attestations WHERE source = 'chain'")                                            \
  /* what a bond is about may have been named before a vouch was for it */                                             \
  TABLE(subjects, "subject",                                                                                           \
        "subjects s WHERE source = 'chain' OR (octet_length(key) = 4 AND EXISTS (SELECT FROM vouches v"                \
        " WHERE v.subject_key = s.key AND v.subject_generation = s.generation AND v.source = 'chain'))")               \
  TABLE(placeholders, "placeholder", "placeholders WHERE source = 'chain'")                                            \
  TABLE(invitations, "invitation", "invitations WHERE source = 'chain'")                                               \
  TABLE(reviews, "review", "reviews WHERE source = 'chain'")                                                           \
  TABLE(votes, "vote", "activity_votes WHERE source = 'chain'")                                                        \
  TABLE(replies, "reply", "replies WHERE source = 'chain'")                                                            \
  TABLE(vouches, "vouch", "vouches WHERE source = 'chain'")                                                            \
  TABLE(vouch_rewards, "rewards of profile", "vouch_rewards")                                                          \
  TABLE(bonds, "bond", "bonds WHERE source = 'chain'")                                                                 \
  TABLE(posts, "broker post", "broker_posts WHERE source = 'chain'")                                                   \
  TABLE(post_fees, "fee of broker post", "broker_fees WHERE source = 'chain'")                                         \
  TABLE(credits, "credit", "broker_credits WHERE source = 'chain'")                                                    \
  TABLE(projects, "project", "chain_projects")                                                                         \
  TABLE(balances, "balance", "token_balances WHERE source = 'chain'")                                                  \
  TABLE(rewards, "reward", "reward_balances WHERE source = 'chain'")                                                   \
  TABLE(slashes, "slash", "slashes WHERE source = 'chain'")                                                            \
  TABLE(markets, "market", "chain_markets")                                                                            \
  TABLE(market_trades, "trade", "chain_trades")                                                                        \
  TABLE(market_prices, "prices", "chain_prices")                                                                       \
  TABLE(market_positions, "position", "chain_positions")                                                               \
  TABLE(market_accounts, "trades", "chain_market_accounts")

template <class Tag>
std::string text(id<Tag> of) {
  return std::to_string(of.value);
}
std::string text(const address& of) { return lower_text(of); }
std::string text(const parameter_key& of) { return std::string{chain::name_of(of.contract)} + " " + of.name; }
std::string text(const activity_vote_key& of) {
  return "of " + text(of.voter) + " on " + std::string{chain::name_of(of.target.kind)} + " "
         + std::to_string(of.target.id);
}
std::string text(const vouch_key& of) { return std::string{chain::name_of(of.contract)} + " " + text(of.number); }
std::string text(const credit_key& of) { return "of " + text(of.holder) + " in " + text(of.token); }
std::string text(const token_key& of) { return "of " + text(of.holder); }
std::string text(const reward_key& of) { return "of " + text(of.holder) + " from " + text(of.contract); }
std::string text(std::int64_t event) { return "of event " + std::to_string(event); }
std::string text(const market_key& of) { return std::string{chain::name_of(of.contract)} + " " + text(of.number); }
std::string text(const market_position_key& of) { return "of " + text(of.account) + " in " + text(of.market); }
std::string text(const market_account_key& of) {
  return "of " + text(of.account) + " at " + std::string{chain::name_of(of.contract)};
}
std::string text(const subject_place& of) {
  std::string out = "0x";
  append_hex(out, bytes_of(of.key));
  return out + " (" + std::to_string(of.generation) + ")";
}

class comparing {
public:
  comparing(connection& on, const follow_settings& how, steady_time deadline, ops::progress& told)
    : on_(on), how_(how), deadline_(deadline), told_(told) {}

  replayed run() {
    const auto follow = on_.run(follow_sql, deadline_);
    const auto replaying = kinds_in(follow.first<std::string>("replaying"));
    replaying_ = !replaying.empty();
    fold_all();
    if (!replaying.contains(record_kind::slash)) // else they are closed with the last of the events that are applied
      close_due_slashes(folded_, follow.first<unix_time>("tip_at"));
    told_.begin("stored rows", reading_share * passes_);
    read_stored();
    compare_rows();
    compare_users();
    compare_counts();
    return std::move(out_);
  }

private:
  void differ(std::string text) {
    ++out_.differences;
    if (out_.examples.size() < chain_replay_examples_max)
      out_.examples.push_back(std::move(text));
  }

  /// Events of kinds that were added come in when their kind did, and those that were tried again where they were tried
  /// last.
  void fold_all() {
    const auto added = read_added_kinds(on_, deadline_);
    tried_again_ = read_reprocessed(on_, deadline_);
    for (const auto& each : tried_again_)
      skipped_.insert(each.event);
    count_passes(added);
    auto followed = how_.kinds;
    for (const auto& each : added)
      followed = kinds_beyond(each.second, followed);
    std::int64_t last = 0;
    for (const auto& [after, kinds] : added) {
      fold_events(last, after, followed);
      fold_tried_again(after, followed);
      fold_events(0, after, kinds);
      followed = kinds_in(text_of(followed) + "," + text_of(kinds));
      last = after;
    }
    fold_events(last, std::numeric_limits<std::int64_t>::max(), followed);
    fold_tried_again(std::numeric_limits<std::int64_t>::max(), followed);
  }

  /// Those that came behind an event up to that one, while these kinds were followed.
  void fold_tried_again(std::int64_t up_to, const record_kinds& followed) {
    const auto how = folding_by(how_);
    for (; again_ < tried_again_.size() && tried_again_[again_].after <= up_to
           && tried_again_[again_].kinds == text_of(followed);
         ++again_) {
      const auto stored = read_events_after(on_, tried_again_[again_].event - 1, 1, deadline_);
      if (!stored.empty() && stored.front().id == tried_again_[again_].event)
        fold(stored.front(), how, followed);
    }
  }

  /// Over all events once, and over those before each kind that was added once more.
  void count_passes(const std::vector<std::pair<std::int64_t, record_kinds>>& added) {
    auto events = on_.run("SELECT coalesce(max(id), 0)::int8 FROM chain_events", deadline_).value<std::int64_t>();
    for (const auto& each : added)
      events += each.first;
    passes_ = static_cast<double>(events);
    told_.expect((1 + reading_share) * passes_);
    told_.begin("events", passes_, events);
  }

  /// Those behind the first, up to the last one.
  void fold_events(std::int64_t from, std::int64_t to, const record_kinds& kinds) {
    const auto how = folding_by(how_);
    while (from < to) {
      const auto page = read_events_after(on_, from, events_at_once, deadline_);
      if (page.empty())
        return;
      for (const auto& each : page) {
        if (each.id > to)
          break;
        fold_tried_again(each.id - 1, kinds);
        if (!skipped_.contains(each.id))
          fold(each, how, kinds);
      }
      folded_.settle();
      told_.at(passed_ += std::min(page.back().id, to) - from);
      from = page.back().id;
    }
  }

  void fold(const stored_event& stored, const fold_settings& how, const record_kinds& kinds) {
    const auto event = followed_event_in(stored, kinds);
    if (!event || (replaying_ && stored.status == event_status::ignored && stored.reason == not_followed))
      return; // the latter is still to be applied
    ++out_.events;
    if (stored.status == event_status::failed && stored.reason && stored.reason->starts_with("refused:"))
      return; // by the database
    close_due_slashes(folded_, stored.at);
    fold_effects effects;
    const auto fate = chain::fold(folded_, how, {stored.contract, stored.at, stored.id}, *event, effects);
    if (fate.status != stored.status || fate.reason != stored.reason.value_or(""))
      differ("event " + std::to_string(stored.id) + " is stored as " + std::string{chain::name_of(stored.status)} + " "
             + stored.reason.value_or("") + ", and folds to " + std::string{chain::name_of(fate.status)} + " "
             + fate.reason);
  }

  template <class Table, class Keys>
  static void take_keys(const Table& from, Keys& to) {
    for (const auto& [key, row] : from.all())
      to.insert(key);
  }

  void read_stored() {
    row_keys keys;
#define CREDENCE_TABLE(name, ...) take_keys(folded_.name, keys.name);
    CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
    keys.users.clear(); // events do not give them ids: they are read as other rows name them
    std::set<address> invited;
    for (const auto& [key, row] : folded_.invitations.all())
      invited.insert(row.recipient);
    read_chain_rows(on_, keys, stored_, deadline_);
    read_invitations_to(on_, invited, stored_, deadline_);
    read_chain_counters(on_, stored_, deadline_);
    row_keys people;
    for (const auto& [key, row] : stored_.profiles.all())
      people.users.insert(row.user);
    for (const auto& [key, row] : stored_.addresses.all())
      people.users.insert(row.user);
    for (const auto& [key, row] : stored_.subjects.all())
      people.users.insert(row.user);
    for (const auto& [key, row] : stored_.projects.all())
      people.users.insert(row.user);
    for (const auto& [key, row] : stored_.slashes.all())
      people.users.insert(row.user);
    people.users.erase(user_id{}); // nobody
    for (; !people.users.empty(); people = merged_into_others())
      read_chain_rows(on_, people, stored_, deadline_);
  }

  /// Users that stored ones are merged into, as far as they are not read yet.
  row_keys merged_into_others() const {
    row_keys out;
    for (const auto& [key, row] : stored_.users.all())
      if (row.merged_into && !stored_.users.find(*row.merged_into))
        out.users.insert(*row.merged_into);
    return out;
  }

  /// Notes that these two are one, or says whether they were noted before.
  bool same_user(user_id folded, user_id stored) {
    if (folded == user_id{} || stored == user_id{})
      return folded == stored; // nobody
    const auto there = pairs_.try_emplace(folded, stored).first;
    const auto back = pairs_back_.try_emplace(stored, folded).first;
    return there->second == stored && back->second == folded;
  }

  template <class Table>
  void compare(const char* name, const Table& folded, const Table& stored) {
    for (const auto& [key, row] : folded.all()) {
      const auto* there = stored.find(key);
      if (!there) {
        differ(std::string{name} + " " + text(key) + " is not stored");
        continue;
      }
      auto as_stored = row;
      bool same = true;
      if constexpr (requires { as_stored.user; }) {
        same = same_user(row.user, there->user);
        as_stored.user = there->user;
      }
      if (!same || !(as_stored == *there))
        differ(std::string{name} + " " + text(key) + " is stored otherwise");
    }
  }

  void compare_rows() {
#define CREDENCE_COMPARED(table, row, those) compare(row, folded_.table, stored_.table);
    CREDENCE_REPLAYED(CREDENCE_COMPARED)
#undef CREDENCE_COMPARED
    compare("parameter", folded_.parameters, stored_.parameters);
    for (const auto& [key, last] : folded_.last_ids.all())
      if (const auto* there = stored_.last_ids.find(key);
          key != "user" && key != "invitation" && (!there || *there != last))
        differ("the last " + key + " is stored as another one than " + std::to_string(last));
  }

  void compare_users() {
    for (const auto& [folded, stored] : std::map{pairs_}) {
      const auto* a = folded_.users.find(folded);
      const auto* b = stored_.users.find(stored);
      const bool same = a && b && a->profile == b->profile && a->active == b->active
                        && a->merged_into.has_value() == b->merged_into.has_value()
                        && (!a->merged_into || same_user(*a->merged_into, *b->merged_into));
      if (!same)
        differ("user " + text(stored) + " is stored otherwise");
    }
  }

  void compare_counts() {
    const auto count = [&](const std::string& those, const char* sql, std::size_t folded) {
      if (const auto stored = on_.run(sql, deadline_).value<std::int64_t>();
          stored != static_cast<std::int64_t>(folded))
        differ(those.substr(0, those.find(' ')) + ": events make " + std::to_string(folded) + ", and "
               + std::to_string(stored) + " are stored");
    };
#define CREDENCE_COUNTED(table, row, those) count(those, "SELECT count(*) FROM " those, folded_.table.all().size());
    CREDENCE_REPLAYED(CREDENCE_COUNTED)
#undef CREDENCE_COUNTED
  }

  connection& on_;
  const follow_settings& how_;
  steady_time deadline_;
  ops::progress& told_;
  double passes_ = 0;       // ids of events to go over
  std::int64_t passed_ = 0; // of these, so far
  chain_rows folded_, stored_;
  std::map<user_id, user_id> pairs_, pairs_back_;
  bool replaying_ = false;                     // stored events of added kinds are being applied
  std::vector<reprocessed_place> tried_again_; // in the order in which they were
  std::size_t again_ = 0;                      // so many of them are folded
  std::set<std::int64_t> skipped_;             // these, at their own places
  replayed out_;
};

} // namespace

replayed replay_chain(connection& on, const chain::follow_settings& how, steady_time deadline, ops::progress& told) {
  const read_snapshot snapshot{on, deadline};
  return comparing{on, how, deadline, told}.run();
}

} // namespace credence::persistence
