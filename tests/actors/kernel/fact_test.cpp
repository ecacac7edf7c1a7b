#include "actors/store.hpp"
#include "persistence/sql/profile_sql.hpp"
#include "persistence/sql/project_sql.hpp"
#include "tests/build_paths.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <set>

namespace credence {
namespace {

constexpr timestamp at{std::chrono::sys_days{std::chrono::year{2026} / 3 / 4} + std::chrono::hours{5}};

reputation::vouch_record vouch_of(const reputation::named_subject& who, const address& wallet) {
  reputation::vouch_record out;
  out.id = vouch_id{3};
  out.author = profile_id{1};
  out.author_address = wallet;
  out.subject = {who, 1};
  out.subject_profile = profile_id{9};
  out.staked = out.deposited = out.balance = wei{70};
  out.parts = {{wei{70}, std::chrono::floor<std::chrono::days>(at)}};
  out.comment = "stands for it";
  out.metadata = "{}";
  out.vouched_at = at;
  return out;
}

reputation::project_record project_of() {
  reputation::project_record out;
  out.id = project_id{7};
  out.user = user_id{9};
  out.userkey = "service:github:some-one";
  out.details = {"what it does",
                 "https://a.example/b.png",
                 true,
                 false,
                 {{listing::link_type::website, "https://a.example"}},
                 {{profile_id{1}, "founder", true}, {profile_id{2}, std::nullopt, false}},
                 {reputation::category_id{3}},
                 {reputation::chain_id{4}, reputation::chain_id{5}}};
  out.created_at = out.updated_at = at;
  return out;
}

chain::stored_event event_of(const chain::block_mark& block) {
  chain::stored_event out;
  out.id = 9;
  out.block = block.number;
  out.block_hash = block.hash;
  out.at = block.at;
  out.tx_hash = digest32{std::byte{8}};
  out.tx_index = 2;
  out.log_index = 6;
  out.contract = chain::contract_kind::review;
  out.topics.resize(32, std::byte{5});
  out.data = {std::byte{1}, std::byte{2}};
  out.event_name = "ReviewArchived";
  out.log_data = R"({"eventName":"ReviewArchived","args":{}})";
  out.reason = "kind_not_followed";
  return out;
}

/// One of each kind, with every optional part.
std::vector<change> one_of_each() {
  const address wallet{{std::byte{0xAB}, std::byte{1}}};
  const profile::signed_nonce nonce{wallet, "n0nce", at};
  slash::slash_record record{slash_id{3},     profile_id{1}, {}, slash::slash_type::score, 50, std::chrono::hours{48},
                             "a \"comment\"", "{}",          at};
  record.subject.wallet = wallet;
  record.subject.profile = profile_id{9};
  const reputation::named_subject account{reputation::subject_key{digest32{std::byte{7}}},
                                          reputation::account{people::account_service::github, "some-one"}};
  record.closed = slash::closing{at, slash::verdict::slashed, {7, 2}};
  const chain::block_mark block{12, digest32{std::byte{1}}, digest32{std::byte{2}}, {1'700'000'000}};
  return {
    project::vote_cast{project_id{7}, profile_id{5}, 12, period_id{2}, project::sentiment::bullish, "why not", at, 3},
    project::project_tallied{project_id{7},
                             12,
                             {{period_id{2}, std::chrono::floor<std::chrono::days>(at), 10, 2, {30, 4}}},
                             {{period_id{2}, {30, 4}}}},
    period::period_advanced{period_id{2}, {period_id{3}, 2026, 4, at, at, std::nullopt, 51, 15}},
    profile::xp_tipped{profile_id{1}, profile_id{2}, 30, "thanks",
                       profile::tip_source{profile::tip_source_kind::review, 4}, at},
    profile::xp_granted{profile_id{1}, 500, at, "an outage", 30},
    profile::key_created{
      {"an id", profile_id{1}, wallet, "a bot", at, at, std::nullopt, {std::nullopt, {"203.0.113.0/24"}}}, {}, nonce},
    profile::key_revoked{profile_id{1}, "an id", at, profile::end_cause::wallet_left},
    profile::keys_used{{{"an id", at}, {"another", at}}},
    profile::session_opened{profile::session{"a session", profile_id{1}, digest32{}, std::nullopt, at, at, at, wallet,
                                             "https://partner.example"},
                            nonce, "an older one", digest32{std::byte{4}}},
    profile::session_rotated{{"a session", profile_id{1}, {}, std::nullopt, at, at, at, wallet}},
    profile::sessions_ended{profile_id{1}, {"a session"}, at, profile::end_cause::asked},
    profile::partner_switched{profile_id{1}, {"https://partner.example", true, at}},
    profile::partner_code_made{profile_id{1}, {digest32{std::byte{4}}, "https://partner.example", at}, at},
    profile::nonce_used{profile_id{1}, nonce, at},
    idempotency::answer_recorded{{}, {}, at, 200, "{\"ok\":true}"},
    idempotency::days_counted{{{profile_id{1}, "replies", std::chrono::floor<std::chrono::days>(at), 7}}},
    slash::slash_opened{record},
    slash::slash_voted{slash_id{3}, 2, profile_id{8}, slash::vote_side::defend, 6, at},
    slash::slash_closed{slash_id{3}, *record.closed},
    funds::funds_moved{profile_id{1}, funds::flow::deposit, *parse_wei("10000000000000000000"), "an invoice", at},
    market::market_opened{profile_id{1}, market::tier::normal, {1000, *parse_wei("100000000000000")}, wei{5}, at},
    market::traded{market_id{1}, 4, profile_id{2}, market::direction::sell, market::vote_side::distrust, 3, wei{9},
                   wei{1}, wei{0}, wei{2}, market::vote_counts{11, 8}, wei{6}, wei{4}, wei{70}, wei{60}, at},
    market::market_frozen_set{market_id{3}, true, at},
    reputation::review_created{
      reputation::review_record{review_id{4}, profile_id{1}, wallet, reputation::subject_ref{account, 1},
                                reputation::review_score::positive, "kept its word", "{}", false, at, at, 0},
      reputation::fresh_subject{account, 1, user_id{9}, reputation::fresh_user{"github/some-one", "data:,", 12}}},
    reputation::review_edited{review_id{4}, "kept it late", "{}", 1, at, profile_id{1}},
    reputation::review_archived{review_id{4}, true, at, profile_id{1}, true},
    reputation::profile_created{profile_id{9}, user_id{9}, reputation::fresh_user{"0xab01…0000", "data:,", 0}, wallet,
                                profile_id{1}, invitation_id{2}, 5, nonce, at},
    reputation::profile_archived{profile_id{9}, user_id{9}, true, at},
    reputation::profile_edited{profile_id{9}, user_id{9}, {"A Name", "a_name", "https://a.example/b.png", "words"}, at},
    reputation::address_linked{wallet, profile_id{9}, user_id{9}, user_id{8}, true, false, nonce, at},
    reputation::address_unlinked{wallet, profile_id{9}, user_id{10}, {"0xab01…0000", "data:,", 0}, 1, wallet, at},
    reputation::invitation_sent{invitation_id{2}, profile_id{1}, wallet, at},
    reputation::invitation_withdrawn{invitation_id{2}, profile_id{1}, at},
    reputation::vouch_created{vouch_of(account, wallet),
                              reputation::fresh_subject{account, 1, user_id{9}, std::nullopt}},
    reputation::vouch_moved{
      vouch_id{3}, profile_id{1}, reputation::vouch_move::withdraw, wei{70}, wei{70}, wei{0}, wei{70}, {}, true, at},
    reputation::vouch_marked_unhealthy{vouch_id{3}, profile_id{1}, at},
    reputation::reply_created{reputation::reply_record{reply_id{5}, profile_id{1},
                                                       reputation::activity{reputation::activity_kind::review, 4},
                                                       reply_id{2}, "so it was", "{}", at, at, 0, false}},
    reputation::reply_edited{reply_id{5}, "so it is", "{}", 1, at, profile_id{1}},
    reputation::activity_voted{{{reputation::activity_kind::review, 4}, profile_id{1}, 6, true, false, at, at}, true},
    reputation::project_created{
      project_of(), reputation::profile_texts{"A Project", "a_project", "data:,", std::nullopt},
      reputation::fresh_subject{account, 1, user_id{9}, reputation::fresh_user{"A Project", "data:,", 12}}},
    reputation::project_edited{project_of(), reputation::profile_texts{"Another", "a_project", "data:,", "words"}},
    reputation::project_archived{project_id{7}, true, at},
    reputation::category_saved{
      {reputation::category_id{3}, "Tools", "tools", "what helps", true, false, "https://a.example/c.png"}, true, at},
    reputation::chain_saved{
      {reputation::chain_id{4}, "Base", "https://base.example", "https://base.example/i.png"}, false, at},
    reputation::account_attested{reputation::attestation_record{reputation::attestation_id{12}, profile_id{9}, account,
                                                                "some_one", std::nullopt, "seen", false, at, at},
                                 user_id{9}, false, user_id{8}, profile_id{7}, true, profile_id{1}},
    reputation::attestation_archived{reputation::attestation_id{12}, true, at, profile_id{9}},
    reputation::verification_decided{
      {profile_id{9}, user_id{9}, true, reputation::verification_method::video, "met", profile_id{1}, at, at, at},
      std::nullopt},
    reputation::bond_created{
      reputation::bond_record{
        reputation::bond_id{3}, profile_id{1},
        reputation::subject_ref{reputation::named_subject{reputation::subject_key{profile_id{9}}, std::nullopt}, 0},
        profile_id{9}, "HUMAN", "500", "XP", "I met her", reputation::verification_method::irl, "in Berlin", at, at, at,
        std::nullopt},
      reputation::fresh_subject{{reputation::subject_key{profile_id{9}}, std::nullopt}, 0, user_id{9}}, profile_id{1}},
    reputation::bond_archived{reputation::bond_id{3}, profile_id{1}, profile_id{9}, {at, profile_id{1}, "was another"}},
    reputation::bond_expiration_set{reputation::bond_id{3}, profile_id{1}, profile_id{9}, at, at, profile_id{1}, at},
    reputation::notices_read{profile_id{9}, at},
    score::score_changed{
      user_id{9}, 1293, {3, 0, 90}, std::chrono::floor<std::chrono::days>(at), "api review 12", at, 77},
    score::epoch_begun{std::chrono::floor<std::chrono::days>(at), at},
    score::epoch_page_turned{std::chrono::floor<std::chrono::days>(at), 500, 250, at},
    score::vouch_model_turned{score::vouch_model::hardened, at},
    score::records_recounted{100, at},
    chain::chain_begun{8453, "review=0x07", "identity,review", 1000, block},
    chain::blocks_applied{
      8453, digest32{std::byte{3}}, block, 4, {block}, {event_of(block)}, {{12, 9, "reviews", R"({"id":7})"}}, at, 5},
    chain::blocks_undone{8453, digest32{std::byte{3}}, block, at},
    chain::blocks_tried{8453, {{9, digest32{std::byte{1}}, 6}}, {{0, 9, "reviews", R"({"id":7})"}}},
    chain::texts_read{std::vector<chain::text_reading>{chain::text_reading{
                        chain::wanted_text{chain::text_kind::reply, 7}, 3, chain::text_state::here, "cut", "a reply",
                        "{}", 5, true, at, address{}, chain::read_account{"x.com", "42", digest32{std::byte{9}}},
                        wei{7}, profile_id{3}, at}},
                      block},
    chain::kinds_added{8453, digest32{std::byte{1}}, "identity,review", "review", 1000, at},
    chain::events_replayed{
      8453, 3, 9, false, {{9, chain::event_status::failed, "duplicate"}}, {{0, 9, "reviews", R"({"id":7})"}}, at},
    chain::event_reprocessed{8453, digest32{std::byte{1}}, 3, 9, "ReviewCreated", "{}", chain::event_status::failed,
                             "duplicate",
                             std::vector<chain::row_image>{chain::row_image{0, 9, "reviews", R"({"id":7})"}}, at},
    wallets::wallet_made{profile_id{1}, 1, wallet, {2, "sealed"}, at},
    wallets::wallet_exported{profile_id{1}, 1, at},
    wallets::transaction_stored{
      profile_id{1}, 3,
      wallets::transaction_plan{wallet, wei{5}, "call", 21000, "review", "https://partner.example", profile_id{2}},
      wallets::gas_fees{wei{100}, wei{10}}, "signed", digest32{std::byte{7}}, 9, at},
    wallets::transactions_moved{profile_id{1}, {{77, wallets::transaction_state::failed, "why", 12, true, 78}}, at},
    note::note_created{profile_id{1}, 2, "a note", at},
    note::note_edited{profile_id{1}, 2, "another"},
    note::note_archived{profile_id{1}, 2}};
}

TEST(Fact, EveryKindIsThereOnceAndHasANameOfItsOwn) {
  std::set<std::string_view> names;
  const auto all = one_of_each();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].index(), i) << "in the order of the list";
    EXPECT_TRUE(names.insert(name_of(all[i])).second) << name_of(all[i]);
  }
  EXPECT_EQ(names.size(), count_of(all_facts{}))
    << "a new kind of change needs an example here, and a line in facts.golden";
}

/// What clients hold on to of each kind: its name, whether it takes a number, which they know it by or which is hidden,
/// and what a request that comes again is told of it (77 is its number).
TEST(Fact, WhatIsSaidOfThemIsWhatItAlwaysWas) {
  static constexpr std::array<const char*, 3> taken{"takes no number", "takes a number that is hidden",
                                                    "takes a number that is told"};
  std::ifstream golden{test::built::source + "/tests/actors/kernel/facts.golden"};
  std::string line;
  for (const auto& each : one_of_each()) {
    std::getline(golden, line);
    EXPECT_EQ(std::string{name_of(each)} + ": " + taken[static_cast<std::size_t>(numbering_of(each))]
                + ", and a repeat is told '" + effect_of(each, 77) + "'",
              line);
    EXPECT_EQ(takes_number(each), numbering_of(each) != numbering::none);
    EXPECT_EQ(named_by_number(each), numbering_of(each) == numbering::told);
  }
  EXPECT_FALSE(std::getline(golden, line)) << line;
}

TEST(Fact, AVoteIsBoundToItsPeriodAndAnAdvanceBeginsOne) {
  for (const auto& each : one_of_each()) {
    EXPECT_EQ(era_of(each), holds_alternative<project::vote_cast>(each) ? std::optional<era_number>{2} : std::nullopt)
      << name_of(each);
    EXPECT_EQ(era_begun_by(each),
              holds_alternative<period::period_advanced>(each) ? std::optional<era_number>{3} : std::nullopt)
      << name_of(each);
  }
}

TEST(Fact, ThoseThatTakeLongAreWrittenAlone) {
  for (const auto& each : one_of_each())
    EXPECT_EQ(is_written_alone(each), holds_alternative<score::records_recounted>(each)
                                        || holds_alternative<score::epoch_page_turned>(each)
                                        || holds_alternative<slash::slash_closed>(each))
      << name_of(each);
}

TEST(Fact, WhatIsWorkedOutAgainIsOfScoresAlone) {
  for (const auto& each : one_of_each())
    EXPECT_EQ(is_derived(each), holds_alternative<score::score_changed>(each)
                                  || holds_alternative<score::epoch_begun>(each)
                                  || holds_alternative<score::epoch_page_turned>(each)
                                  || holds_alternative<score::vouch_model_turned>(each)
                                  || holds_alternative<score::records_recounted>(each))
      << name_of(each);
}

TEST(Fact, BytesGrowWithTexts) {
  project::vote_cast vote{};
  const auto without = wire_size(vote);
  vote.reason = std::string(50, 'x');
  EXPECT_EQ(wire_size(vote), without + 50);
  idempotency::answer_recorded answer{};
  const auto empty = wire_size(answer);
  answer.body = std::string(4000, 'x');
  EXPECT_EQ(wire_size(answer), empty + 4000);
}

TEST(Fact, ColumnsComeFromTheDescription) {
  EXPECT_EQ(
    persistence::insert_votes.sql,
    "INSERT INTO votes (project_id, voter_id, number, period_id, bullish, reason, cast_at, weight, seq) SELECT u.* FROM"
    " unnest($1::int4[], $2::int4[], $3::int4[], $4::int4[], $5::boolean[], $6::text[], $7::timestamptz[], $8::int2[], "
    "$9::int8[]) u");
  EXPECT_EQ(persistence::insert_tips.sql.substr(0, 97),
            "INSERT INTO xp_movements (kind, from_account, to_account, amount, message, source_type, source_id");
  EXPECT_NE(persistence::insert_tips.sql.find("SELECT 'XP_TIP_SENT', u.* FROM unnest("), std::string::npos);
  EXPECT_EQ(persistence::insert_grants.sql,
            "INSERT INTO xp_movements (kind, from_account, to_account, amount, at, seq) SELECT 'ADMIN_XP_GRANT', 0, u.*"
            " FROM unnest($1::int4[], $2::int8[], $3::timestamptz[], $4::int8[]) u");
}

} // namespace
} // namespace credence
