#include "persistence/moving/exported.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace credence::persistence {

namespace {

using enum member_kind;

// Whom a row of `subjects` (s) names, as a userkey. Of an account that was told by its hash alone there is only that.
constexpr std::string_view subject_sql =
  "CASE octet_length(s.key) WHEN 4 THEN 'profileId:' || ('x' || encode(s.key, 'hex'))::bit(32)::int4"
  " WHEN 20 THEN 'address:0x' || encode(s.key, 'hex')"
  " ELSE coalesce('service:' || s.service || ':' || s.account, 'account:0x' || encode(s.key, 'hex')) END";

constexpr exported_member vote_members[] = {
  {"projectId", number, "v.project_id", "the project"},
  {"number", number, "v.number", "of the project's votes, from 1 on without gaps"},
  {"profileId", number, "v.voter_id", "who voted"},
  {"year", number, "d.year", "of the voting period"},
  {"period", number, "d.number", "of the voting period, within its year"},
  {"voteType", text, "CASE WHEN v.bullish THEN 'BULLISH' ELSE 'BEARISH' END", "`BULLISH` or `BEARISH`"},
  {"voteReason", text, "v.reason", "null: none was given"},
  {"weight", number, "v.weight", "by the voter's score at that moment"},
  {"castAt", moment, "v.cast_at", ""},
};
constexpr exported_key vote_key[] = {{"projectId", "v.project_id", "", "::int4"}, {"number", "v.number", "", "::int4"}};

constexpr exported_member tip_members[] = {
  {"id", number, "m.id", ""},
  {"fromProfileId", number, "m.from_account", "who gave"},
  {"toProfileId", number, "m.to_account", "who got"},
  {"amount", number, "m.amount", "XP"},
  {"message", text, "m.message", ""},
  {"sourceType", text, "m.source_type", "what it was given for: `profile`, `review`, `slash` or `vouch`"},
  {"sourceId", number, "m.source_id", ""},
  {"createdAt", moment, "m.at", ""},
};
constexpr exported_key tip_key[] = {{"id", "m.id", "", "::int8"}};

constexpr exported_member trade_members[] = {
  {"marketProfileId", number, "t.market_id", "the market"},
  {"voteType", text, "CASE WHEN t.trusts THEN 'trust' ELSE 'distrust' END", "`trust` or `distrust`"},
  {"createdAt", moment, "t.at", ""},
  {"number", number, "t.number", "of the market's trades, from 1 on without gaps"},
  {"traderProfileId", number, "t.trader_id", "who traded"},
  {"type", text, "CASE WHEN t.buys THEN 'BUY' ELSE 'SELL' END", "`BUY` or `SELL`"},
  {"votes", number, "t.votes", "how many were bought or sold"},
  {"costWei", money, "t.cost", "into the pool, or out of it"},
  {"protocolFeeWei", money, "t.protocol_fee", ""},
  {"donationWei", money, "t.donation", "to the owner of the market"},
  {"trustVotesAfter", number, "t.trust_after", ""},
  {"distrustVotesAfter", number, "t.distrust_after", ""},
  {"trustPriceAfterWei", money, "t.trust_price_after", ""},
  {"distrustPriceAfterWei", money, "t.distrust_price_after", ""},
};
constexpr exported_key trade_key[] = {{"marketProfileId", "t.market_id", "", "::int4"},
                                      {"voteType", "t.trusts", "(", " = 'trust')"},
                                      {"createdAt", "t.at", "", "::timestamptz"},
                                      {"number", "t.number", "", "::int8"}};

constexpr exported_member market_members[] = {
  {"marketProfileId", number, "m.profile_id", "whom the market is about"},
  {"configType", text, "m.tier", "`VOLATILE`, `NORMAL` or `INSULATED`"},
  {"liquidity", number, "m.liquidity", ""},
  {"basePriceWei", money, "m.base_price", ""},
  {"creationCostWei", money, "m.creation_cost", ""},
  {"frozen", yes_no, "m.frozen", ""},
  {"createdAt", moment, "m.created_at", ""},
};
constexpr exported_key market_key[] = {{"marketProfileId", "m.profile_id", "", "::int4"}};

constexpr exported_member review_members[] = {
  {"id", number, "r.id", ""},
  {"authorProfileId", number, "r.author_profile", ""},
  {"subject", text, subject_sql, "whom it is about, as a userkey"},
  {"score", text, "(ARRAY['negative', 'neutral', 'positive'])[r.score + 1]", "`negative`, `neutral` or `positive`"},
  {"comment", text, "r.comment", ""},
  {"metadata", text, "r.metadata", ""},
  {"archived", yes_no, "r.archived", ""},
  {"takenDown", yes_no, "r.taken_down", "an admin has archived it"},
  {"edits", number, "r.edits", "how often its texts were changed"},
  {"createdAt", moment, "r.created_at", ""},
  {"updatedAt", moment, "r.updated_at", ""},
  {"source", text, "r.source", "`api`, or `chain` where an event made it"},
};
constexpr exported_key review_key[] = {{"id", "r.id", "", "::int4"}};

constexpr exported_member vouch_members[] = {
  {"contract", text, "v.contract", "who counts its id: `api`, or the contract `vouch` or `vouchV2`"},
  {"id", number, "v.number", ""},
  {"authorProfileId", number, "v.author_profile", ""},
  {"subject", text, subject_sql, "whom it is for, as a userkey"},
  {"token", text, "v.token", "`eth` or `whuf`"},
  {"stakedWei", money, "v.staked", "all that was ever put in"},
  {"depositedWei", money, "v.deposited", "the same without fees"},
  {"balanceWei", money, "v.balance", "what is there now"},
  {"withdrawnWei", money, "v.withdrawn", ""},
  {"comment", text, "v.comment", ""},
  {"metadata", text, "v.metadata", ""},
  {"archived", yes_no, "v.archived", "it was withdrawn"},
  {"unhealthy", yes_no, "v.unhealthy", "its author says that it ended in disappointment"},
  {"createdAt", moment, "v.vouched_at", ""},
  {"endedAt", moment, "v.unvouched_at", "null: it is active"},
  {"unhealthyAt", moment, "v.unhealthy_at", ""},
};
constexpr exported_key vouch_key[] = {{"contract", "v.contract", "", ""}, {"id", "v.number", "", "::int4"}};

constexpr exported_member reply_members[] = {
  {"id", number, "r.id", ""},
  {"authorProfileId", number, "r.author_profile", ""},
  {"targetType", text, "r.target_kind", "what it is said to, such as `review`"},
  {"targetId", number, "r.target_id", ""},
  {"parentId", number, "r.parent_id", "the reply that it answers"},
  {"content", text, "r.content", ""},
  {"metadata", text, "r.metadata", ""},
  {"edits", number, "r.edits", ""},
  {"pinned", yes_no, "r.pinned", ""},
  {"createdAt", moment, "r.created_at", ""},
  {"updatedAt", moment, "r.updated_at", ""},
};
constexpr exported_key reply_key[] = {{"id", "r.id", "", "::int4"}};

constexpr exported_member activity_vote_members[] = {
  {"number", number, "v.number", ""},        {"targetType", text, "v.kind", "such as `review`"},
  {"targetId", number, "v.target_id", ""},   {"profileId", number, "v.voter", "who voted"},
  {"isUpvote", yes_no, "v.upvote", ""},      {"archived", yes_no, "v.archived", "it was withdrawn"},
  {"createdAt", moment, "v.created_at", ""}, {"updatedAt", moment, "v.updated_at", ""},
};
constexpr exported_key activity_vote_key[] = {{"number", "v.number", "", "::int4"}};

constexpr exported_member slash_members[] = {
  {"id", number, "s.id", ""},
  {"authorProfileId", number, "s.author_id", ""},
  {"subject", text,
   "CASE WHEN s.subject_address IS NOT NULL THEN 'address:0x' || encode(s.subject_address, 'hex')"
   " ELSE coalesce('service:' || s.subject_service || ':' || s.subject_account, 'account:0x' || encode(s.subject_hash, "
   "'hex')) END",
   "whom it names, as a userkey"},
  {"subjectProfileId", number, "s.subject_profile_id", "who that was at the time"},
  {"slashType", text, "s.type", "`SCORE`, `FINANCIAL` or `XP`"},
  {"amount", number, "s.amount", ""},
  {"duration", number, "s.duration_s", "seconds"},
  {"comment", text, "s.comment", ""},
  {"metadata", text, "s.metadata", ""},
  {"outcome", text, "s.outcome", "`SLASHED`, `DEFENDED`, `INCONCLUSIVE` or `CANCELLED`; null: it is open"},
  {"slashWeight", number, "s.slash_weight", "of the votes for it"},
  {"defendWeight", number, "s.defend_weight", "of the votes against it"},
  {"createdAt", moment, "s.created_at", ""},
  {"closedAt", moment, "s.closed_at", ""},
  {"cancelledAt", moment, "s.cancelled_at", ""},
};
constexpr exported_key slash_key[] = {{"id", "s.id", "", "::int4"}};

constexpr exported_member slash_vote_members[] = {
  {"slashId", number, "v.slash_id", ""},
  {"number", number, "v.number", "of the slash's votes; the last one of a profile counts"},
  {"profileId", number, "v.voter_id", "who voted"},
  {"vote", text, "CASE WHEN v.for_slash THEN 'slash' ELSE 'defend' END", "`slash` or `defend`"},
  {"weight", number, "v.weight", "by the voter's score at that moment"},
  {"castAt", moment, "v.cast_at", ""},
};
constexpr exported_key slash_vote_key[] = {{"slashId", "v.slash_id", "", "::int4"},
                                           {"number", "v.number", "", "::int4"}};

constexpr exported_member score_members[] = {
  {"userId", number, "h.user_id", "whose score it is"},
  {"number", number, "h.number", "rises with time"},
  {"score", number, "h.score", ""},
  {"cause", text, "h.cause", "what moved it last"},
  {"createdAt", moment, "h.at", ""},
};
constexpr exported_key score_key[] = {{"userId", "h.user_id", "", "::int4"}, {"number", "h.number", "", "::int8"}};

constexpr exported_member event_members[] = {
  {"id", number, "e.id", ""},
  {"chainId", number, "e.chain_id", ""},
  {"blockNumber", number, "e.block_number", ""},
  {"blockHash", bytes, "e.block_hash", ""},
  {"blockAt", moment, "e.block_at", ""},
  {"txHash", bytes, "e.tx_hash", ""},
  {"blockIndex", number, "e.block_index", "of the transaction within its block"},
  {"logIndex", number, "e.log_index", "of the log within the block"},
  {"contract", text, "e.contract", "such as `attestation`"},
  {"address", bytes, "e.address", "of the contract"},
  {"topics", bytes, "e.topics", "one behind the other, 32 bytes each"},
  {"data", bytes, "e.data", ""},
  {"eventName", text, "e.event_name", "null: nobody knows it"},
  {"logData", text, "e.log_data", "JSON in a text, as the API tells it"},
  {"status", text, "e.status", "`applied`, `ignored` or `failed`"},
  {"reason", text, "e.reason", "why it was not applied"},
  {"createdAt", moment, "e.created_at", "when the service read it"},
  {"updatedAt", moment, "e.updated_at", ""},
};
constexpr exported_key event_key[] = {{"id", "e.id", "", "::int8"}};

constexpr exported_member invitation_members[] = {
  {"id", number, "i.id", ""},
  {"senderProfileId", number, "i.sender", ""},
  {"recipientAddress", bytes, "i.recipient", ""},
  {"status", text, "i.status", "`INVITED`, `ACCEPTED`, `ACCEPTED_OTHER_INVITATION` or `WITHDRAWN`"},
  {"profileId", number, "i.profile", "that was made for the recipient"},
  {"createdAt", moment, "i.invited_at", ""},
  {"acceptedAt", moment, "i.accepted_at", ""},
};
constexpr exported_key invitation_key[] = {{"id", "i.id", "", "::int4"}};

constexpr exported_member person_members[] = {
  {"id", number, "u.id", "of the user"},
  {"profileId", number, "p.id", "null: the user has not joined"},
  {"primaryAddress", bytes, "(SELECT a.address FROM addresses a WHERE a.user_id = u.id AND a.kind = 'primary')", ""},
  {"displayName", text, "u.display_name", ""},
  {"username", text, "u.username", ""},
  {"avatarUrl", text, "u.avatar_url", ""},
  {"description", text, "u.description", ""},
  {"status", text, "u.status", "`ACTIVE`, `INACTIVE` or `MERGED`"},
  {"mergedInto", number, "u.merged_into", "the user that this one turned out to be"},
  {"score", number, "u.score", ""},
  {"xpTotal", number, "coalesce((SELECT x.balance FROM xp_accounts x WHERE x.id = p.id), 0)", ""},
  {"humanVerificationStatus", text, "u.human_verification", "`REQUESTED`, `PENDING`, `VERIFIED` or `REVOKED`"},
  {"archived", yes_no, "p.archived", "of the profile"},
  {"invitedBy", number, "p.invited_by", "a profile"},
  {"invitesAvailable", number, "p.invites_available", ""},
  {"createdAt", moment, "p.created_at", "of the profile"},
  {"updatedAt", moment, "p.updated_at", ""},
};
constexpr exported_key person_key[] = {{"id", "u.id", "", "::int4"}};

constexpr exported_member address_members[] = {
  {"address", bytes, "a.address", ""},
  {"userId", number, "a.user_id", "whose it is"},
  {"kind", text, "a.kind", "`primary`, `linked`, `embedded` or `smart`"},
  {"createdAt", moment, "a.added_at", "when it became that user's"},
};
constexpr exported_key address_key[] = {{"address", "a.address", "decode(substr(", ", 3), 'hex')"}};

constexpr exported_member attestation_members[] = {
  {"id", number, "a.id", ""},
  {"userId", number, "a.user_id", "whose account it is"},
  {"service", text, "a.service", "`discord`, `farcaster`, `github`, `telegram` or `x.com`"},
  {"account", text, "a.account", "its id there"},
  {"username", text, "a.username", ""},
  {"url", text, "a.url", ""},
  {"archived", yes_no, "a.archived", ""},
  {"createdAt", moment, "a.created_at", ""},
};
constexpr exported_key attestation_key[] = {{"id", "a.id", "", "::int4"}};

constexpr exported_member project_members[] = {
  {"id", number, "p.id", ""},
  {"userId", number, "p.user_id", "the user that is listed"},
  {"userkey", text, "p.userkey", "that the project was made by"},
  {"status", text, "p.status", "`ACTIVE` or `ARCHIVED`"},
  {"displayName", text, "u.display_name", "of its user"},
  {"username", text, "u.username", "of its user"},
  {"avatarUrl", text, "u.avatar_url", "of its user"},
  {"bannerImageUrl", text, "p.banner_image_url", ""},
  {"description", text, "p.description", ""},
  {"isPromoted", yes_no, "p.is_promoted", ""},
  {"showArchived", yes_no, "p.show_archived", ""},
  {"links", json,
   "(SELECT coalesce(jsonb_agg(jsonb_build_object('type', l.type, 'url', l.url) ORDER BY l.position), '[]') FROM "
   "project_links l"
   " WHERE l.project_id = p.id)",
   "`[{type, url}]`"},
  {"team", json,
   "(SELECT coalesce(jsonb_agg(jsonb_build_object('profileId', t.profile_id, 'role', t.role, 'isManager', t.manager) "
   "ORDER BY t.profile_id), '[]')"
   " FROM project_team t WHERE t.project_id = p.id)",
   "`[{profileId, role, isManager}]`"},
  {"categories", json,
   "(SELECT coalesce(jsonb_agg(x.category_id ORDER BY x.category_id), '[]') FROM project_categories x WHERE "
   "x.project_id = p.id)",
   "ids"},
  {"chains", json,
   "(SELECT coalesce(jsonb_agg(x.chain_id ORDER BY x.chain_id), '[]') FROM project_chains x WHERE x.project_id = p.id)",
   "ids"},
  {"createdAt", moment, "p.created_at", ""},
  {"updatedAt", moment, "p.updated_at", ""},
};
constexpr exported_key project_key[] = {{"id", "p.id", "", "::int4"}};

constexpr exported_member category_members[] = {
  {"id", number, "c.id", ""},
  {"name", text, "c.name", ""},
  {"slug", text, "c.slug", "of one category only"},
  {"description", text, "c.description", ""},
  {"showOnLeaderboard", yes_no, "c.show_on_leaderboard", ""},
  {"showInDailyService", yes_no, "c.show_in_daily_service", ""},
  {"bannerImageUrl", text, "c.banner_image_url", ""},
};
constexpr exported_key category_key[] = {{"id", "c.id", "", "::int4"}};

constexpr exported_member chain_members[] = {
  {"id", number, "c.id", ""},
  {"name", text, "c.name", "of one chain only"},
  {"url", text, "c.url", ""},
  {"iconUrl", text, "c.icon_url", ""},
};
constexpr exported_key chain_key[] = {{"id", "c.id", "", "::int4"}};

constexpr exported_member period_members[] = {
  {"id", number, "d.id", "from 1 on without gaps"},  {"year", number, "d.year", ""},
  {"period", number, "d.number", "within the year"}, {"startsAt", moment, "d.starts_at", ""},
  {"endsAt", moment, "d.ends_at", "as planned"},     {"closedAt", moment, "d.closed_at", "null: it is open"},
};
constexpr exported_key period_key[] = {{"id", "d.id", "", "::int4"}};

constexpr std::array entities{
  exported_entity{"votes", "Votes on projects.", "votes v JOIN voting_periods d ON d.id = v.period_id", "v.cast_at",
                  vote_members, vote_key},
  exported_entity{"tips", "XP that profiles gave each other.",
                  "(SELECT * FROM xp_movements WHERE kind = 'XP_TIP_SENT') m", "m.at", tip_members, tip_key},
  exported_entity{"trades", "Trades on the service's own markets. Those of a chain are among the events.",
                  "market_trades t", "t.at", trade_members, trade_key},
  exported_entity{"reviews", "Reviews, as they stand.",
                  "reviews r JOIN subjects s ON s.key = r.subject_key AND s.generation = r.subject_generation",
                  "r.created_at", review_members, review_key},
  exported_entity{"vouches", "Vouches, as they stand.",
                  "vouches v JOIN subjects s ON s.key = v.subject_key AND s.generation = v.subject_generation",
                  "v.vouched_at", vouch_members, vouch_key},
  exported_entity{"replies", "What profiles said to an activity.", "replies r", "r.created_at", reply_members,
                  reply_key},
  exported_entity{"activity-votes", "The vote of a profile on an activity, as it stands.", "activity_votes v",
                  "v.created_at", activity_vote_members, activity_vote_key},
  exported_entity{"slashes", "Slashes, as they stand.", "slashes s", "s.created_at", slash_members, slash_key},
  exported_entity{"slash-votes", "Votes on slashes.", "slash_votes v", "v.cast_at", slash_vote_members, slash_vote_key},
  exported_entity{"scores", "The history of scores: of older days the last score of a day is kept.", "score_history h",
                  "h.at", score_members, score_key},
  exported_entity{"events", "Events of the chain that is followed.", "chain_events e", "e.block_at", event_members,
                  event_key},
  exported_entity{"invitations", "Who asked whom to join.", "invitations i", "i.invited_at", invitation_members,
                  invitation_key},
  exported_entity{"markets", "The service's own markets.", "markets m", "", market_members, market_key},
  exported_entity{"projects", "Listings that are voted on.", "projects p JOIN users u ON u.id = p.user_id", "",
                  project_members, project_key},
  exported_entity{"categories", "What projects are filed under.", "categories c", "", category_members, category_key},
  exported_entity{"chains", "Chains that projects are on.", "chains c", "", chain_members, chain_key},
  exported_entity{"periods", "Voting periods.", "voting_periods d", "", period_members, period_key},
  exported_entity{"people", "Users, with the profile of those who have joined.",
                  "users u LEFT JOIN profiles p ON p.user_id = u.id", "", person_members, person_key},
  exported_entity{"addresses", "Addresses of users.", "addresses a", "", address_members, address_key},
  exported_entity{"attestations", "Accounts elsewhere, and whose they are.", "attestations a", "", attestation_members,
                  attestation_key},
};

/// What gives a member's text.
std::string text_of(const exported_member& member) {
  std::string sql{member.sql};
  switch (member.kind) {
    case moment: return "to_char((" + sql + R"() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))";
    case bytes: return "'0x' || encode(" + sql + ", 'hex')";
    default: return "(" + sql + ")::text";
  }
}

/// The statement of a page, its parameters as `exported_rows::next` adds them.
std::string page_sql(const exported_entity& of, bool behind, const exported_range& range) {
  std::string sql;
  for (const auto& member : of.members)
    sql.append(sql.empty() ? "SELECT " : ", ")
      .append(text_of(member))
      .append(" AS \"")
      .append(member.name)
      .append("\"");
  sql.append(" FROM ").append(of.from);
  int given = 0;
  const auto next = [&given] { return "$" + std::to_string(++given); };
  std::string where;
  const auto also = [&where](const std::string& condition) {
    where.append(where.empty() ? " WHERE " : " AND ").append(condition);
  };
  std::string order;
  std::string from;
  for (const auto& part : of.key) {
    order.append(order.empty() ? "" : ", ").append(part.sql);
    if (behind)
      from.append(from.empty() ? "" : ", ").append(part.before).append(next()).append("::text").append(part.after);
  }
  if (behind)
    also("(" + order + ") > (" + from + ")");
  if (!of.moment.empty() && range.since)
    also(std::string{of.moment} + " >= " + next() + "::timestamptz");
  if (!of.moment.empty() && range.until)
    also(std::string{of.moment} + " < " + next() + "::timestamptz");
  return sql + where + " ORDER BY " + order + " LIMIT " + std::to_string(exported_page_rows);
}

} // namespace

std::string_view kind_name(member_kind kind) {
  constexpr std::array<std::string_view, 7> names{
    "number", "text", "true or false", "moment", "0x and hex digits", "text of digits", "list"};
  return names[static_cast<std::size_t>(kind)];
}

std::span<const exported_entity> exported_entities() { return entities; }

const exported_entity* exported_entity_named(std::string_view name) {
  const auto found =
    std::find_if(entities.begin(), entities.end(), [&](const auto& each) { return each.name == name; });
  return found == entities.end() ? nullptr : &*found;
}

exported_rows::exported_rows(connection& on, const exported_entity& which, const exported_range& range,
                             std::vector<std::string> behind)
  : on_(on), which_(which), range_(range), behind_(std::move(behind)) {}

bool exported_rows::next(const std::function<void(exported_row)>& take, steady_time deadline) {
  parameters with;
  for (const auto& part : behind_)
    with.text(part);
  if (!which_.moment.empty())
    for (const auto& bound : {range_.since, range_.until})
      if (bound)
        with.time(*bound);
  const auto found = on_.exec_params(page_sql(which_, !behind_.empty(), range_).c_str(), with, deadline);
  std::vector<column<std::optional<std::string_view>>> columns;
  for (const auto& member : which_.members)
    columns.emplace_back(found, std::string{member.name}.c_str());
  std::vector<std::optional<std::string_view>> row(columns.size());
  for (int at = 0; at < found.count(); ++at) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      row[i] = columns[i][at];
    take(row);
  }
  if (found.empty())
    return false;
  behind_.clear();
  for (const auto& part : which_.key) {
    const auto member = std::find_if(which_.members.begin(), which_.members.end(),
                                     [&](const auto& each) { return each.name == part.member; });
    behind_.emplace_back(row[static_cast<std::size_t>(member - which_.members.begin())].value());
  }
  return true;
}

} // namespace credence::persistence
