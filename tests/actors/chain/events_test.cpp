#include "actors/chain/calls.hpp"
#include "actors/chain/events.hpp"
#include "tests/actors/chain/chain_samples.hpp"
#include "tests/build_paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace credence::chain {
namespace {

using namespace samples;

/// What a decoding came to: `applied`, or the reason it was not.
std::string came_to(contract_kind from, const log_content& log) {
  const auto fate = fate_of(decode_log(from, log.topics, log.data));
  return fate.reason.empty() ? std::string{name_of(fate.status)} : fate.reason;
}

template <class E>
const event_info& info_of() {
  return known_events()[event{E{}}.index()];
}

contract_kind some_contract(contract_kind of) { return of == contract_kind::any ? contract_kind::bond : of; }

/// An event as the contracts' published interfaces have it. `indexed` has an x for each input that is a topic.
struct published_event {
  std::string contract, signature, indexed, inputs, topic;
};

/// A line each of known_events.golden, which was worked out apart from the code that is tested.
std::vector<published_event> published_events() {
  std::ifstream golden{test::built::source + "/tests/actors/chain/known_events.golden"};
  std::vector<published_event> out;
  for (published_event each; golden >> each.contract >> each.signature >> each.indexed >> each.inputs >> each.topic;)
    out.push_back(each);
  return out;
}

TEST(ChainEvents, HaveTheTopicsThatTheContractsPublish) {
  const auto known = known_events();
  const auto published_here = published_events();
  ASSERT_EQ(known.size(), published_here.size());
  for (const auto& published : published_here) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const event_info& each) {
      return name_of(each.contract) == published.contract && each.signature == published.signature;
    });
    ASSERT_NE(found, known.end()) << published.contract << " " << published.signature;
    EXPECT_EQ(hex(found->topic), published.topic) << published.signature;
  }
}

TEST(ChainEvents, NameAndIndexTheirInputsAsTheContractsDo) {
  const auto published = published_events();
  for_each_event([&]<class E>() {
    std::string names, indexes;
    E::inputs().apply([&](const auto&... each) {
      ((names += (names.empty() ? "" : ",") + std::string{each.name}, indexes += each.indexed ? 'x' : '.'), ...);
    });
    const auto found = std::find_if(published.begin(), published.end(), [](const published_event& each) {
      return name_of(E::is.contract) == each.contract && info_of<E>().signature == each.signature;
    });
    ASSERT_NE(found, published.end()) << info_of<E>().signature;
    EXPECT_EQ(names, found->inputs) << found->signature;
    EXPECT_EQ(indexes, found->indexed) << found->signature;
  });
}

/// Bytes from words in hex, each without its zeros in front, or behind where it ends with a dot.
std::vector<std::byte> bytes_from(std::initializer_list<std::string_view> words) {
  std::string text;
  for (const auto each : words) {
    const bool text_bytes = each.ends_with('.');
    const auto digits = text_bytes ? each.substr(0, each.size() - 1) : each;
    const std::string zeros(64 - digits.size(), '0');
    text += text_bytes ? std::string{digits} + zeros : zeros + std::string{digits};
  }
  std::vector<std::byte> out(text.size() / 2);
  EXPECT_TRUE(decode_hex(text, out));
  return out;
}

TEST(ChainEvents, AreReadFromTheBytesThatTheContractsWrite) {
  digest32 topic;
  ASSERT_TRUE(decode_hex("2cd89223cb37800949a3c6ccfff7cd05e5ee893497f4837cd86161822abc5562", topic));
  const std::vector<digest32> topics{topic};
  // id, createdAt, archived, where metadata, account and managers begin; metadata; (account, service); managers
  const auto data = bytes_from({"4", "6553f100", "0", "c0", "100", "1c0", "8", "7b22c3a9223a317d.", "40", "80", "4",
                                "61636d65.", "5", "782e636f6d.", "2", "1", "7fffffff"});
  auto cut = data;
  cut.resize(cut.size() - 1);
  const project_events::project_created expected{
    {4}, {1'700'000'000}, false, "{\"\xC3\xA9\":1}", {"acme", "x.com"}, {{1}, {2147483647}}};
  const auto read = decode_log(contract_kind::project, topics, data);
  const auto* found = std::get_if<event>(&read);
  ASSERT_TRUE(found) << fate_of(read).reason;
  EXPECT_TRUE(*found == event{expected}) << log_data(*found);
  EXPECT_EQ(encode_log(*found).data, data);
  EXPECT_EQ(fate_of(decode_log(contract_kind::project, topics, cut)).reason, "truncated");
}

TEST(ChainEvents, AreReadAsTheyWereWritten) {
  std::mt19937_64 dice{20261122};
  for (int round = 0; round < 20; ++round)
    for_each_event([&]<class E>() {
      const auto written = random_event<E>(dice);
      const auto log = encode_log(written);
      EXPECT_EQ(log.data.size() % 32, 0U);
      const auto read = decode_log(some_contract(E::is.contract), log.topics, log.data);
      const auto* found = std::get_if<event>(&read);
      ASSERT_TRUE(found) << info_of<E>().signature << " " << came_to(some_contract(E::is.contract), log);
      const auto* same = get_if<E>(found);
      ASSERT_TRUE(same) << info_of<E>().signature;
      EXPECT_TRUE(*same == written) << info_of<E>().signature;
      EXPECT_EQ(encode_log(*found).data, log.data);
    });
}

TEST(ChainEvents, CutAtAnyByteTheyFail) {
  std::mt19937_64 dice{7};
  for_each_event([&]<class E>() {
    const auto log = encode_log(random_event<E>(dice));
    for (std::size_t size = 0; size < log.data.size(); ++size) {
      const auto fate = came_to(some_contract(E::is.contract),
                                {log.topics, {log.data.begin(), log.data.begin() + static_cast<long>(size)}});
      EXPECT_TRUE(fate == "truncated" || fate == "bad_offset")
        << info_of<E>().signature << " at " << size << ": " << fate;
    }
    auto longer = log;
    longer.data.resize(longer.data.size() + 33, std::byte{0xAB});
    EXPECT_EQ(came_to(some_contract(E::is.contract), longer), "applied") << "more data behind is allowed";
  });
}

TEST(ChainEvents, WithAnotherNumberOfTopicsTheyFail) {
  std::mt19937_64 dice{8};
  for_each_event([&]<class E>() {
    auto log = encode_log(random_event<E>(dice));
    log.topics.push_back({});
    EXPECT_EQ(came_to(some_contract(E::is.contract), log), "bad_topics") << info_of<E>().signature;
    log.topics.resize(log.topics.size() - 2);
    EXPECT_EQ(came_to(some_contract(E::is.contract), log),
              encode_log(E{}).topics.size() == 1 ? "unknown_topic" : "bad_topics")
      << info_of<E>().signature;
  });
}

TEST(ChainEvents, AreToldApartByTheContractTheyComeFrom) {
  const vouch_events::unvouched by_ether{{1}, {2}, {3}, 4};
  const vouch_v2_events::unvouched by_whuf{{1}, 2, 3, 4};
  ASSERT_EQ(encode_log(by_ether).topics[0], encode_log(by_whuf).topics[0]);
  const auto ether = encode_log(by_ether), whuf = encode_log(by_whuf);
  EXPECT_TRUE(std::get<event>(decode_log(contract_kind::vouch, ether.topics, ether.data)) == event{by_ether});
  EXPECT_TRUE(std::get<event>(decode_log(contract_kind::vouch_v2, whuf.topics, whuf.data)) == event{by_whuf});
  EXPECT_EQ(came_to(contract_kind::vouch, whuf), "bad_topics");
  EXPECT_EQ(came_to(contract_kind::vouch_v2, ether), "bad_topics");
  EXPECT_EQ(came_to(contract_kind::review, ether), "unknown_topic");
}

TEST(ChainEvents, OfTopicsNobodyKnowsAreIgnored) {
  EXPECT_EQ(came_to(contract_kind::review, {{digest32{}}, {}}), "unknown_topic");
  EXPECT_EQ(came_to(contract_kind::review, {{}, {}}), "unknown_topic");
  EXPECT_EQ(fate_of(decode_log(contract_kind::review, {}, {})).status, event_status::ignored);
}

TEST(ChainEvents, OfEveryContractTellOfPausesAndRoles) {
  const auto log = encode_log(any_events::paused{address_of(7)});
  for (const auto name : contract_names)
    EXPECT_EQ(came_to(*contract_named(name), log), "applied") << name;
}

TEST(ChainEvents, AreShownAsTheirRecordsShowThem) {
  // The account, the address and the hash are those of a public attestation.
  const event attested = attestation_events::attestation_created{
    {10}, people::account_service::x, "1395154870932541446", "{\"a\":\"\n\"}", {3}};
  EXPECT_EQ(
    log_data(attested),
    R"({"eventName":"AttestationCreated","args":{"profileId":10,"service":"x.com","account":"1395154870932541446",)"
    R"("evidence":"{\"a\":\"\u000a\"}","attestationId":3}})");
  const auto whose = *parse_address("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed");
  const auto hash = attestation_hash("x.com", "1395154870932541446");
  EXPECT_EQ(log_data(review_events::review_created{review_score::positive, whose, hash, {}, {0}, {12}}),
            R"({"eventName":"ReviewCreated","args":{"score":2,"author":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",)"
            R"("attestationHash":"0xee0369b84a795db01c7601df7fef61f5097e29144d6d2be3341df7d4c56c6095",)"
            R"("subject":"0x0000000000000000000000000000000000000000","reviewId":0,"profileId":12}})");
  EXPECT_EQ(log_data(project_events::project_created{{4}, {1'700'000'000}, false, "", {"acme", "x.com"}, {{1}, {2}}}),
            R"({"eventName":"ProjectCreated","args":{"id":4,"createdAt":1700000000,"archived":false,"metadata":"",)"
            R"("attestationDetails":{"account":"acme","service":"x.com"},"managerProfileIds":[1,2]}})");
  EXPECT_EQ(
    log_data(market_events::market_update_failed{{1}, {}, true, {std::byte{0x08}, std::byte{0xC3}}}),
    R"({"eventName":"MarketUpdateFailed","args":{"marketId":1,"pricingContract":"0x0000000000000000000000000000000000000000",)"
    R"("isPositive":true,"reason":"0x08c3"}})");
}

TEST(ChainEvents, ShowNumbersThatJavaScriptHoldsAsNumbers) {
  const auto amount = [](const uint256& of) { return log_data(whuffie_events::transfer{{}, {}, of}); };
  EXPECT_NE(amount(9007199254740991U).find(R"("value":9007199254740991})"), std::string::npos);
  EXPECT_NE(amount(9007199254740992U).find(R"("value":"9007199254740992"})"), std::string::npos);
  EXPECT_NE(amount(uint256{limbs256{~0ULL, ~0ULL, ~0ULL, ~0ULL}})
              .find(R"("value":"115792089237316195423570985008687907853269984665640564039457584007913129639935"})"),
            std::string::npos);
  reputation_market_events::market_updated moved;
  moved.delta_vote_trust = -9007199254740991LL;
  moved.delta_trust_price = -9007199254740992LL;
  const auto text = log_data(moved);
  EXPECT_NE(text.find(R"("deltaVoteTrust":-9007199254740991,)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("deltaTrustPrice":"-9007199254740992",)"), std::string::npos) << text;
}

/// A review's log with one word of its data, or one of its topics, put in its place.
log_content review_with(std::size_t at, const word& raw, bool topic = false) {
  auto log =
    encode_log(review_events::review_created{review_score::neutral, address_of(1), {}, address_of(2), {5}, {6}});
  if (topic)
    log.topics[at] = raw;
  else
    std::copy(raw.begin(), raw.end(), log.data.begin() + static_cast<long>(32 * at));
  return log;
}

TEST(ChainEvents, NameWhatIsWrongWithAWord) {
  const auto all_ones = word_of(uint256{limbs256{~0ULL, ~0ULL, ~0ULL, ~0ULL}});
  word long_address = all_ones;
  std::fill(long_address.begin(), long_address.begin() + 11, std::byte{0});
  EXPECT_EQ(came_to(contract_kind::review, review_with(0, word_of_small(2))), "applied");
  EXPECT_EQ(came_to(contract_kind::review, review_with(0, word_of_small(3))), "bad_enum");
  EXPECT_EQ(came_to(contract_kind::review, review_with(0, all_ones)), "bad_enum");
  EXPECT_EQ(came_to(contract_kind::review, review_with(1, long_address, true)), "bad_word");
  EXPECT_EQ(came_to(contract_kind::review, review_with(1, word_of_small(2'147'483'647))), "applied");
  EXPECT_EQ(came_to(contract_kind::review, review_with(1, word_of_small(2'147'483'648))), "id_out_of_range");
  EXPECT_EQ(came_to(contract_kind::review, review_with(2, all_ones)), "id_out_of_range");
  auto vote = encode_log(vote_events::voted{true, {1}, address_of(3), {0}, {1}});
  EXPECT_EQ(came_to(contract_kind::vote, vote), "applied");
  vote.data[31] = std::byte{2};
  EXPECT_EQ(came_to(contract_kind::vote, vote), "bad_word");
  auto version = encode_log(any_events::initialized{~0ULL});
  EXPECT_EQ(came_to(contract_kind::vote, version), "applied");
  version.data[23] = std::byte{1};
  EXPECT_EQ(came_to(contract_kind::vote, version), "bad_word");
}

TEST(ChainEvents, EndWithTheYear9999) {
  slash_events::slash_extended longer{{1}, {limits::unix_seconds_max}};
  EXPECT_EQ(came_to(contract_kind::slash, encode_log(longer)), "applied");
  ++longer.new_duration.seconds;
  EXPECT_EQ(came_to(contract_kind::slash, encode_log(longer)), "bad_time");
}

TEST(ChainEvents, KnowTheServicesThatPeopleHaveAccountsAt) {
  const attestation_events::attestation_archived known{{1}, people::account_service::github, "1", {2}};
  auto log = encode_log(known);
  EXPECT_EQ(came_to(contract_kind::attestation, log), "applied");
  auto& letter = *std::find(log.data.begin(), log.data.end(), std::byte{'g'});
  letter = std::byte{'G'};
  EXPECT_EQ(came_to(contract_kind::attestation, log), "unknown_service");
}

/// A slash's log with that comment, whatever it holds.
log_content slash_saying(const std::string& comment) {
  return encode_log(slash_events::slash_edited{{1}, comment, "m"});
}

TEST(ChainEvents, TakeTextsThatCanBeStored) {
  for (const std::string text :
       {"", "caf\xC3\xA9", "\xF0\x9F\x99\x82", "\x7F\x01", "\xED\x9F\xBF\xEE\x80\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(came_to(contract_kind::slash, slash_saying(text)), "applied") << text;
  for (const auto& text :
       {std::string("a\0b", 3), std::string("\0", 1), std::string{"\xFF"}, std::string{"\xC3"}, std::string{"\xC0\x80"},
        std::string{"\xE0\x9F\xBF"}, std::string{"\xED\xA0\x80"}, std::string{"\xF0\x8F\xBF\xBF"},
        std::string{"\xF4\x90\x80\x80"}, std::string{"\x80"}, std::string{"\xE2\x82"}})
    EXPECT_EQ(came_to(contract_kind::slash, slash_saying(text)), "bad_text") << hex(std::as_bytes(std::span{text}));
}

TEST(ChainEvents, AreBoundedByOneMebibyteOfData) {
  const auto fitting =
    log_data_bytes_max - 32 * 7; // id, two offsets, two lengths, the other text, and one word to spare
  EXPECT_EQ(came_to(contract_kind::slash, slash_saying(std::string(fitting, 'x'))), "applied");
  EXPECT_EQ(came_to(contract_kind::slash, slash_saying(std::string(fitting + 64, 'x'))), "too_long");
  EXPECT_EQ(came_to(contract_kind::slash, slash_saying(std::string(text_bytes_max, 'x'))), "too_long");
}

TEST(ChainEvents, OffsetsAndLengthsLeadNowhereElse) {
  const auto all_ones = word_of(uint256{limbs256{~0ULL, ~0ULL, ~0ULL, ~0ULL}});
  const auto with = [](std::size_t at, const word& raw) {
    auto log = slash_saying("hello");
    std::copy(raw.begin(), raw.end(), log.data.begin() + static_cast<long>(32 * at));
    return came_to(contract_kind::slash, log);
  };
  const auto size = slash_saying("hello").data.size();
  EXPECT_EQ(with(1, all_ones), "bad_offset");
  EXPECT_EQ(with(1, word_of_small(size)), "bad_offset");
  EXPECT_EQ(with(1, word_of_small(size + 1)), "bad_offset");
  EXPECT_EQ(with(1, word_of_small(~0ULL)), "bad_offset");
  EXPECT_EQ(with(1, word_of_small(~0ULL - 31)), "bad_offset");
  EXPECT_EQ(with(1, word_of_small(size - 31)), "truncated");
  EXPECT_EQ(with(3, all_ones), "too_long");
  EXPECT_EQ(with(3, word_of_small(text_bytes_max + 1)), "too_long");
  EXPECT_EQ(with(3, word_of_small(text_bytes_max)), "truncated");
  EXPECT_EQ(with(3, word_of_small(size)), "truncated");
  EXPECT_EQ(with(2, word_of_small(96)), "applied") << "two texts may share their bytes";
}

TEST(ChainEvents, ArraysAreBounded) {
  project_events::project_manager_profile_ids_updated of{{1}, {}};
  of.manager_profile_ids.resize(array_items_max);
  EXPECT_EQ(came_to(contract_kind::project, encode_log(of)), "applied");
  of.manager_profile_ids.resize(array_items_max + 1);
  EXPECT_EQ(came_to(contract_kind::project, encode_log(of)), "too_long");
  of.manager_profile_ids = {{1}};
  auto log = encode_log(of);
  const auto many = word_of_small(array_items_max);
  std::copy(many.begin(), many.end(), log.data.begin() + 64);
  EXPECT_EQ(came_to(contract_kind::project, log), "truncated");
}

TEST(ChainEvents, AFailureSaysWhatWasMissingOrRefused) {
  EXPECT_EQ(failed_missing("vouch"), (event_fate{event_status::failed, "missing_vouch"}));
  EXPECT_EQ(failed_duplicate(), (event_fate{event_status::failed, "duplicate"}));
  EXPECT_EQ(failed_refused("bonds_pk"), (event_fate{event_status::failed, "refused:bonds_pk"}));
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span{text}); }

/// Words in hex, one a line.
std::string words_of(const std::string& bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 32) {
    const auto text = hex(bytes_of(bytes).subspan(at, 32));
    const auto zeros = text.find_first_not_of('0');
    const auto padding = text.find_last_not_of('0');
    if (zeros == std::string::npos)
      out += "0";
    else if (zeros == 0 || padding < 40)
      out += text.substr(0, padding + 1) + "…"; // padded behind
    else
      out += text.substr(zeros);
    out += '\n';
  }
  return out;
}

template <class T>
outcome<T, decode_error> read_back(const std::string& bytes) {
  decoding shared;
  word_reader in{bytes_of(bytes), shared};
  auto out = detail::read_in_place<T>(in);
  if (shared.error())
    return *shared.error();
  return out;
}

// The two examples are those of the ABI's specification, "Examples".
TEST(Abi, EncodesAsItsSpecificationShows) {
  const std::string dave = "dave";
  EXPECT_EQ(words_of(abi_encode(std::vector<std::byte>{bytes_of(dave).begin(), bytes_of(dave).end()}, true,
                                std::vector<uint256>{1, 2, 3})),
            "60\n1\na0\n4\n64617665…\n3\n1\n2\n3\n");
  EXPECT_EQ(hex(bytes_of(selector_of("sam(bytes,bool,uint256[])"))), "a5643bf2");
  const std::vector<std::vector<uint256>> numbers{{1, 2}, {3}};
  const std::vector<std::string> texts{"one", "two", "three"};
  EXPECT_EQ(words_of(abi_encode(numbers, texts)),
            "40\n140\n2\n40\na0\n2\n1\n2\n1\n3\n3\n60\na0\ne0\n3\n6f6e65…\n3\n74776f…\n5\n7468726565…\n");
  EXPECT_EQ(*read_back<std::vector<std::vector<uint256>>>(abi_encode(numbers)), numbers);
  EXPECT_EQ(*read_back<std::vector<std::string>>(abi_encode(texts)), texts);
}

TEST(Abi, HashesAccountsAsTheAttestationContractDoes) {
  EXPECT_EQ(keccak256(abi_encode(std::string{"x.com"}, std::string{"1395154870932541446"})),
            attestation_hash("x.com", "1395154870932541446"));
}

TEST(Abi, KeepsTheSignOfNumbers) {
  const auto most = wei_change{uint256{limbs256{~0ULL, ~0ULL, ~0ULL, ~0ULL >> 1}}};
  for (const auto& number : std::vector<wei_change>{0, 1, -1, 255, -256, wei_change{1} << 64, -(wei_change{1} << 64),
                                                    most, -most, -most - 1})
    EXPECT_EQ(signed_of(word_of_signed(number)), number);
  EXPECT_EQ(hex(word_of_signed(-2)), std::string(63, 'f') + "e");
  EXPECT_EQ(hex(word_of_signed(-(wei_change{1} << 64))), std::string(48, 'f') + std::string(16, '0'));
  EXPECT_THROW(word_of_signed(most + 1), std::range_error);
  EXPECT_THROW(word_of_signed(-most - 2), std::range_error);
}

TEST(Abi, CopiesNoMoreThanItsBoundHoweverOftenOffsetsLeadToTheSameBytes) {
  std::string bytes = abi_encode(std::vector<std::string>{});
  bytes.resize(32); // the offset of the list
  detail::append_word(bytes, word_of_small(array_items_max));
  for (std::size_t i = 0; i < array_items_max; ++i)
    detail::append_word(bytes, word_of_small(32 * array_items_max));
  solidity<std::string>::append(bytes, std::string(text_bytes_max, 'x'));
  EXPECT_EQ(read_back<std::vector<std::string>>(bytes).why(), decode_error::too_long);
}

TEST(Abi, AnOffsetThatLeadsBackEndsNevertheless) {
  std::string bytes;
  for (const auto number : {32U, 2U, 0U, 0U}) // a list whose two items are the list's own beginning
    detail::append_word(bytes, word_of_small(number));
  EXPECT_TRUE(read_back<std::vector<std::vector<uint256>>>(bytes)) << "two empty lists";
  bytes.clear();
  for (const auto number : {0U, 0U})
    detail::append_word(bytes, word_of_small(number));
  EXPECT_EQ(read_back<std::string>(bytes)->size(), 0U) << "the offset's own word is the length";
}

TEST(Calls, HaveTheSelectorsOfTheContracts) {
  const auto selector = [](std::string_view signature) { return hex(bytes_of(selector_of(signature))); };
  EXPECT_EQ(selector(calls::reviews), "e83ddcea");
  EXPECT_EQ(selector(calls::vouches), "a817c68a");
  EXPECT_EQ(selector(calls::replies_by_id), "c0a73969");
  EXPECT_EQ(selector(calls::invite_info), "05c3d522");
  EXPECT_EQ(selector(calls::balance_of), "70a08231");
  EXPECT_EQ(hex(bytes_of(call_data(calls::reviews, onchain_review{18}))), "e83ddcea" + std::string(62, '0') + "12");
}

template <class T>
void reads_what_contracts_return(dice_type& dice) {
  T written;
  make(written, dice);
  std::string bytes;
  solidity<T>::append(bytes, written);
  const auto read = decode_values<T>(bytes_of(bytes));
  ASSERT_TRUE(read) << name_of(read.why());
  EXPECT_TRUE(*read == written);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_values<T>(bytes_of(bytes).first(size))) << size;
}

TEST(Calls, AreAnsweredByWhatTheContractsKeep) {
  dice_type dice{5};
  for (int round = 0; round < 20; ++round) {
    reads_what_contracts_return<called_review>(dice);
    reads_what_contracts_return<called_vouch>(dice);
    called_replies replies;
    make(replies, dice);
    const auto bytes = abi_encode(replies.replies);
    const auto read = test::there(decode_values<called_replies>(bytes_of(bytes)));
    EXPECT_TRUE(read->replies == replies.replies);
  }
  EXPECT_EQ(decode_values<called_balance>(bytes_of(abi_encode(uint256{17})))->balance, 17);
  EXPECT_EQ(decode_values<called_balance>({}).why(), decode_error::truncated);
}

TEST(ContractNames, AreFoundAgain) {
  for (const auto name : contract_names)
    EXPECT_EQ(name_of(*contract_named(name)), name);
  EXPECT_FALSE(contract_named("any"));
  EXPECT_FALSE(contract_named("Review"));
}

} // namespace
} // namespace credence::chain
