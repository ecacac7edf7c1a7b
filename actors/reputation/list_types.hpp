#pragma once

#include "actors/domain/hash.hpp"
#include "actors/domain/wei.hpp"
#include "actors/domain/words.hpp"
#include "actors/kernel/load.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/profile/xp_types.hpp"
#include "actors/reputation/activity_types.hpp"
#include "actors/reputation/join_types.hpp"

#include <optional>
#include <string>
#include <vector>

/// Lists of records, and what there is between two people. Where no more is said a list reaches
/// `limits::list_depth_max` rows from where it begins, and counts no further.
namespace credence::reputation {

/// A record, and the user who made it.
template <class Record>
struct authored {
  Record record;
  std::optional<user_id> author;
};

template <class Row>
struct list_of {
  std::vector<Row> rows;
  std::int64_t total = 0;
  named_users users;
  page slice;
};

// -- votes on activities --------------------------------------------------------------

enum class vote_order : std::uint8_t { updated, score };
/// A vote on an activity. A vote on a slash that is closed is one, too: to slash it is to vote up.
struct listed_vote {
  activity_vote record;
  std::optional<user_id> author;
  std::int32_t weight = 0; // by the voter's score of today; on a slash as it counted
};
/// The votes on an activity that stand, of one direction or both. `total` is exact, but of a slash.
struct list_activity_votes {
  using answer_type = list_of<listed_vote>;
  activity on;
  std::optional<bool> upvote;
  vote_order order{};
  bool ascending = false;
  page slice;
};

/// The votes on an activity. Weights are those of the latest `limits::votes_weighed_max` each way. Of a slash that is
/// closed up to `limits::list_depth_max` of its own votes are counted, with the weights that decided it.
struct vote_stats {
  activity on;
  std::int64_t upvotes = 0;
  std::int64_t downvotes = 0;
  std::int64_t weighted_upvotes = 0;
  std::int64_t weighted_downvotes = 0;
  std::optional<activity_vote> own; // of the viewer, if it stands
  std::int32_t own_weight = 0;      // as that of a `listed_vote`
};
/// Of each activity in the order asked, also of those that nobody has voted on.
struct get_vote_stats {
  using answer_type = std::vector<vote_stats>;
  std::vector<activity> of;
  std::optional<profile_id> viewer;
};

// -- vouches --------------------------------------------------------------------------

enum class vouch_order : std::uint8_t { vouched, updated, balance };
/// A vouch, who made it, and the active vouch of the same contract in the other direction while both stand.
struct listed_vouch {
  vouch_record record;
  std::optional<user_id> author;
  std::optional<vouch_id> mutual = {};
};
/// Vouches that match every filter given. Of each author, each subject or all the newest are looked at.
struct list_vouches {
  using answer_type = list_of<listed_vouch>;
  std::optional<std::vector<vouch_id>> ids = {}; // of either contract
  std::optional<vouch_contract> contract = {};
  std::optional<std::vector<profile_id>> authors = {};
  std::optional<std::vector<user_id>> subjects = {};
  std::vector<digest32> subject_accounts = {}; // hashes of accounts, whose owners are among the subjects, too
  std::optional<bool> archived = {};
  std::optional<timestamp> since = {}; // only what was vouched then or later
  vouch_order order{};
  bool ascending = false;
  page slice = {};
};

/// Those whom the viewer vouches for and who vouch for the target, by their user ids.
struct list_mutual_vouchers {
  using answer_type = list_of<user_id>;
  user_id viewer;
  user_id target;
  page slice;
};

/// What somebody vouches for, with `eth`; mutual is given to those who vouch back.
struct vouch_sums {
  std::int64_t mutual = 0; // people, whatever the token
  wei mutual_staked = 0;
  wei mutual_balance = 0;
  wei received_staked = 0; // of vouches that are active
  wei given_staked = 0;
};
struct get_vouch_sums {
  using answer_type = vouch_sums;
  user_id who;
};

// -- replies --------------------------------------------------------------------------

/// The replies to an activity; `total` is exact.
struct list_replies {
  using answer_type = list_of<authored<reply_record>>;
  activity on;
  bool ascending = false;
  page slice;
};
/// Replies by id, those that are there, by their ids.
struct get_replies {
  using answer_type = list_of<authored<reply_record>>;
  std::vector<reply_id> which;
};

struct reply_count {
  activity on;
  std::int64_t count = 0;
  bool viewer_replied = false;
};
/// How many replies each activity has, in the order asked.
struct get_reply_counts {
  using answer_type = std::vector<reply_count>;
  std::vector<activity> of;
  std::optional<profile_id> viewer;
};

// -- reviews --------------------------------------------------------------------------

/// What one user has written of another and not archived.
struct reviews_between {
  std::int64_t count = 0;
  std::optional<authored<review_record>> latest;
  std::optional<user_id> subject; // of the latest
  named_users users;
};
struct get_reviews_between {
  using answer_type = reviews_between;
  user_id author;
  user_id subject;
};

// -- people ---------------------------------------------------------------------------

struct listed_profile {
  people::profile_record record;
  user_id user;
  std::optional<user_id> inviter;
};
/// Profiles by their ids. `total` is exact.
struct list_profiles {
  using answer_type = list_of<listed_profile>;
  std::optional<std::vector<profile_id>> ids = {};
  std::optional<bool> archived = {};
  bool ascending = false;
  page slice = {};
};

struct profile_stats {
  std::int64_t active = 0;
  std::int64_t invites = 0; // that active ones may still send
};
struct get_profile_stats {
  using answer_type = profile_stats;
};

/// Fees of vouches in ether as their contract told of them last, in basis points; none that it has not told of.
struct vouch_fees_told {
  std::optional<std::int32_t> protocol, donation, pool, exit;
};
struct get_vouch_fees {
  using answer_type = vouch_fees_told;
};

struct listed_invitation {
  invitation_record record;
  std::optional<user_id> invited; // who came by it
  user_id sender;
  std::int32_t sender_score = 0; // at the epoch: what the score of whom they bring in is made of
};
/// Invitations, the newest first. Of a recipient only open ones can be asked for.
struct list_invitations {
  using answer_type = list_of<listed_invitation>;
  std::optional<profile_id> sender = {};
  std::optional<invitation_status> status = {};
  page slice = {};
};
struct pending_invitations : list_of<listed_invitation> {
  std::optional<std::int32_t> recipient_score; // nothing for an address that nobody is known by
};
/// Open invitations to an address, those of the senders with the highest scores first, and behind the first
/// `limits::invitations_open_to_one_max` senders those of later ones; that of one sender alone where that is set. How
/// many there are is not counted.
struct list_pending_invitations {
  using answer_type = pending_invitations;
  address recipient;
  page slice;
  std::optional<profile_id> sender = {};
};

struct named_accounts {
  std::vector<std::optional<user_id>> found; // in the order asked; null: nobody has that name
  named_users users;
};
/// Whose accounts at farcaster are called that, whatever the case of the letters; of several the latest.
struct find_farcaster_names {
  using answer_type = named_accounts;
  std::vector<std::string> names; // `limits::bulk_names_max` at most
};

// -- notifications --------------------------------------------------------------------

enum class notice_kind : std::uint8_t { reply, review, vote, vouch };
CREDENCE_WORDS(notice_kind, notice_kind_names, "reply", "review", "vote", "vouch");

/// Something that somebody else did to a user or to one of the user's records.
struct notice {
  notice_kind kind{};
  timestamp at{};
  std::optional<user_id> by;
  activity record;                    // the review, the vouch or the reply; of a vote what it is on
  std::optional<activity> about = {}; // of a reply: the record that it is to
  std::optional<bool> upvote = {};    // of a vote
  bool unread = false;
};
struct notice_list {
  std::vector<notice> rows; // newest first
  std::int64_t total = 0;   // at most `limits::notifications_max`
  std::int64_t unread = 0;  // of all of these
  std::optional<timestamp> read_to;
  named_users users;
  page slice;
};
/// What a profile is notified of: reviews and vouches it received, and replies to and votes on its newest
/// `limits::notified_records_max` records.
struct list_notices {
  using answer_type = notice_list;
  profile_id whose;
  page slice;
};

struct invited_profile {
  profile_id profile;
  profile_id invited_by; // of the root, too, where it is known; 0: nobody
  user_id user;
  std::optional<invitation_id> invitation = {}; // null: of the root, and of who came by none
  std::int32_t level = 0;                       // generations below the root
};
struct invitation_tree {
  std::vector<invited_profile>
    rows; // the root first, inviters before those whom they invited; none: there is no such profile
  named_users users;
};
/// Who came by whom, `limits::invitation_tree_depth` generations and `limits::invitation_tree_max` profiles at most.
struct get_invitation_tree {
  using answer_type = invitation_tree;
  profile_id root;
};

// -- tips -----------------------------------------------------------------------------

/// A tip as everybody sees it.
struct listed_tip {
  std::int64_t id = 0;
  user_id sender;
  user_id receiver;
  std::int64_t amount = 0;
  timestamp at{};
};
/// The tips among the newest `limits::list_depth_max` rows of the ledger, the newest first.
struct list_tips {
  using answer_type = list_of<listed_tip>;
  page slice = {};
};

// -- posts of the broker --------------------------------------------------------------

using broker_post_id = id<struct broker_post_tag>;

enum class broker_post_level : std::uint8_t { basic, premium };
CREDENCE_WORDS(broker_post_level, broker_post_level_names, "BASIC", "PREMIUM");

/// What was paid for a premium post.
struct broker_fee {
  address token;
  wei amount;
  address recipient;
};

/// They are made of a chain's events (actors/chain/chain_records.hpp).
struct broker_post {
  broker_post_id id;
  profile_id author;
  broker_post_level level{};
  std::string title, description, price, metadata; // as their author wrote them; the price is a text
  std::optional<broker_fee> fee;
  timestamp created_at{};
  timestamp updated_at{};
};

/// Posts, the newest first. Of several, each text shows `limits::broker_text_listed_max` characters at most.
struct list_broker_posts {
  using answer_type = list_of<authored<broker_post>>;
  std::optional<broker_post_id> id = {}; // that one alone, with its texts as a whole
  std::optional<profile_id> author = {};
  std::optional<broker_post_level> level = {};
  page slice = {};
};

using list_loads =
  types<load<list_feed>, load<get_feed_rows>, load<get_feed_row_of>, load<list_activity_votes>, load<get_vote_stats>,
        load<list_vouches>, load<list_mutual_vouchers>, load<get_vouch_sums>, load<get_vouch_fees>, load<list_replies>,
        load<get_replies>, load<get_reviews_between>, load<list_profiles>, load<get_profile_stats>,
        load<list_invitations>, load<list_pending_invitations>, load<get_invitation_tree>, load<get_reply_counts>,
        load<find_farcaster_names>, load<list_notices>, load<profile::get_xp_seasons>, load<profile::get_season_points>,
        load<profile::list_ledger>, load<list_broker_posts>, load<list_tips>>;
/// What the store's readers are asked for whoever reads records and the ledger of XP.
using list_questions =
  types<list_feed, get_feed_rows, get_feed_row_of, list_activity_votes, get_vote_stats, list_vouches,
        list_mutual_vouchers, get_vouch_sums, get_vouch_fees, list_replies, get_replies, get_reviews_between,
        list_profiles, get_profile_stats, list_invitations, list_pending_invitations, get_invitation_tree,
        get_reply_counts, find_farcaster_names, profile::get_xp_seasons, profile::get_season_points,
        profile::list_ledger, list_broker_posts, list_tips>;

} // namespace credence::reputation
