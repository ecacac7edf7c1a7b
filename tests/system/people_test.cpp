#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <simdjson.h>
#include <unistd.h>

#include <cctype>

namespace credence::test {
namespace {

// Demo profile 1: account 0 of the well-known development wallets.
const std::string wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const std::string x_account = "1000000000000007919";
const std::string discord_account = "300000000000104729";
const std::string unknown_address = "0x00000000000000000000000000000000000000AA";

std::string lower(std::string text) {
  for (auto& c : text)
    c = static_cast<char>(std::tolower(c));
  return text;
}

service& shared() {
  return shared_service([](service& one) {
    // A user without a profile, with a score of its own, and an embedded wallet; a handle of digits.
    one.database().sql("UPDATE users SET score = 1750 WHERE id = 61;"
                       "INSERT INTO addresses (address, user_id, kind, added_at) VALUES"
                       " (decode(repeat('61', 20), 'hex'), 61, 'primary', now());"
                       "UPDATE attestations SET username = '4711' WHERE id = 5;"
                       "UPDATE users SET status = 'MERGED' WHERE id = 50");
    one.start();
  });
}

const std::string without_profile = "0x6161616161616161616161616161616161616161";

http_response get(const std::string& target) { return shared().client().get(target); }
http_response post(const std::string& target, const std::string& body) { return shared().client().post(target, body); }

bool holds(const http_response& answer, const std::string& text) { return answer.body.find(text) != std::string::npos; }

/// The ids of the users of a list.
std::vector<std::int64_t> ids_in(const http_response& answer, const char* pointer = "") {
  simdjson::dom::parser parser;
  std::vector<std::int64_t> out;
  const simdjson::dom::array values =
    parser.parse(without_large_numbers(answer.body)).at_pointer(pointer).get_array().value();
  for (const auto each : values)
    out.push_back(each["id"].get_int64().value());
  return out;
}

using ids = std::vector<std::int64_t>;

// -- bundles ----------------------------------------------------------------------------

TEST(Bundle, IsTheSameByEveryKeyOfAPerson) {
  const auto by_profile = ok(get("/api/v2/internal/users/profileId:1"));
  EXPECT_EQ(by_profile.headers.at("access-control-allow-origin"), "*");
  for (const auto& key :
       {"address:" + wallet, "address:" + lower(wallet), "service:x.com:" + x_account,
        std::string{"service:x.com:username:ada1"}, std::string{"service:x.com:username:ADA1"},
        "service:discord:" + discord_account, std::string{"profileId%3A1"}, "service%3Ax.com%3A" + x_account}) {
    const auto answer = ok(get("/api/v2/internal/users/" + key));
    EXPECT_EQ(answer.body, by_profile.body) << key;
  }
}

TEST(Bundle, HoldsEverythingTheSpecNames) {
  const auto& body = get("/api/v2/internal/users/profileId:2").body;
  EXPECT_TRUE(tells(body, "/user/profileId", 2, "/profile/id", 2, "/profile/invitedBy", 1));
  EXPECT_GT(json_number(body, "/profile/createdAt"), 1'600'000'000);
  EXPECT_LT(json_number(body, "/profile/createdAt"), 10'000'000'000) << "seconds";
  EXPECT_TRUE(tells(body, "/inviterUser/profileId", 1, "/allAddresses/primaryAddress",
                    "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "/allAddresses/addresses/0",
                    "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"));
  EXPECT_EQ(json_text(body, "/allAddresses/addresses/1"), json_text(body, "/allAddresses/embeddedWallet"));
  EXPECT_FALSE(has(body, "smartWallet")) << "there is none";
  EXPECT_TRUE(tells(body, "/attestations/0/service", "x.com", "/attestations/0/extra/username", "bruno2",
                    "/attestations/0/extra/url", "https://x.com/bruno2"));
  EXPECT_EQ(json_text(body, "/attestations/0/hash").size(), 66u);
  EXPECT_TRUE(tells(body, "/attestations/0/profileId", 2, "/verifierStatus", "verifier"));
  EXPECT_EQ(json_text(body, "/validatorAcquiredAt").back(), 'Z');
  EXPECT_TRUE(tells(body, "/xUsernameHistory/0/username", "bruno2", "/xUsernameHistory/1/username", "the_bruno2"));
  for (const auto* part : {"\"isValidator\":true", "\"isHumanVerified\":true", "\"meetsScoreThreshold\":true",
                           "\"archived\":false", "\"changeObservedAt\":null"})
    EXPECT_TRUE(has(body, part)) << part;
}

TEST(Bundle, OfSomebodyWithoutProfileHasNullsInItsPlace) {
  const auto answer = ok(get("/api/v2/internal/users/address:" + without_profile));
  for (const auto* part : {"\"profileId\":null", "\"profile\":null", "\"inviterUser\":null", "\"isValidator\":false",
                           "\"validatorAcquiredAt\":null", "\"verifierStatus\":\"unqualified\"", "\"attestations\":[]",
                           "\"xUsernameHistory\":[]"})
    EXPECT_TRUE(holds(answer, part)) << part << answer.body;
}

TEST(Bundle, OfNobodyIsNull) {
  for (const auto& key : {"address:" + unknown_address, std::string{"profileId:2147483647"},
                          std::string{"service:x.com:1"}, std::string{"service:x.com:username:nobody_at_all"},
                          std::string{"service:farcaster:1"}, std::string{"service:github:octocat"},
                          std::string{"service:telegram:1"}, std::string{"embedded-wallet/" + wallet}}) {
    const auto answer = ok(get("/api/v2/internal/users/" + key));
    EXPECT_EQ(answer.body, "null") << key;
  }
}

TEST(Bundle, IsFoundByTheEmbeddedWallet) {
  const auto bundle = get("/api/v2/internal/users/profileId:3").body;
  const auto embedded = json_text(bundle, "/allAddresses/embeddedWallet");
  for (const auto& text : {embedded, lower(embedded)})
    EXPECT_EQ(get("/api/v2/internal/users/embedded-wallet/" + text).body, bundle);
}

TEST(Bundle, MalformedKeysAreRefusedWithWhatWouldBeRight) {
  for (const auto& [target, told] : std::vector<std::pair<std::string, std::string>>{
         {"ada", "address:<0x address>"},
         {"profileId:0", "from 1 to 2147483647"},
         {"profileId:-1", "from 1 to 2147483647"},
         {"address:" + wallet.substr(0, 41), "40 hexadecimal digits"},
         {"service:myspace:1", "x.com, discord"},
         {"service:x.com:ada", "digits"},
         {"service:x.com:username:%C3%A9", "underscores"},
         {"profileId:1%00", "control characters"},
         {"%ff", "UTF-8"},
         {"embedded-wallet/0x12", "40 hexadecimal digits"},
         {"embedded-wallet/address:" + wallet, "40 hexadecimal digits"},
         {"profileId:" + std::string(3000, '1'), "from 1 to 2147483647"},
       }) {
    const auto answer = get("/api/v2/internal/users/" + target);
    EXPECT_EQ(code(answer), "400 BAD_REQUEST") << target;
    EXPECT_TRUE(has(json_text(answer.body, "/message"), told)) << answer.body;
  }
}

// -- scores -----------------------------------------------------------------------------

TEST(Scores, AreTheSameByEveryKeyAndNeutralForAnybodyUnknown) {
  const std::string renowned = R"({"score":2700,"level":"renowned"})";
  const std::string neutral = R"({"score":1200,"level":"neutral"})";
  for (const auto& [target, body] : std::vector<std::pair<std::string, std::string>>{
         {"address?address=" + wallet, renowned},
         {"address?address=" + lower(wallet) + "&triggerCalculation=true", renowned},
         {"userkey?userkey=profileId:1", renowned},
         {"userkey?userkey=service:x.com:username:Ada1", renowned},
         {"userkey?userkey=service%3Ax.com%3A" + x_account, renowned},
         {"address?address=" + without_profile, R"({"score":1750,"level":"established"})"},
         {"address?address=" + unknown_address, neutral},
         {"userkey?userkey=profileId:99999999", neutral},
         {"userkey?userkey=service:github:octocat", neutral},
       })
    for (int times = 0; times < 2; ++times) { // looked up, then remembered
      const auto answer = get("/api/v2/score/" + target);
      EXPECT_EQ(answer.status, 200) << target;
      EXPECT_EQ(answer.body, body) << target;
    }
}

TEST(Scores, OfManyAreKeyedByTheTextGiven) {
  const auto by_address =
    ok(post("/api/v2/score/addresses", R"({"addresses":[")" + lower(wallet) + R"(",")" + wallet + R"(",")"
                                         + unknown_address + R"(",")" + wallet + R"("]})"));
  EXPECT_EQ(by_address.body, "{\"" + lower(wallet) + R"(":{"score":2700,"level":"renowned"},")" + wallet
                               + R"(":{"score":2700,"level":"renowned"},")" + unknown_address
                               + R"(":{"score":1200,"level":"neutral"}})");
  const auto by_key = post("/api/v2/score/userkeys",
                           R"({"userkeys":["profileId:2","service:x.com:username:BRUNO2","service:discord:1"]})");
  EXPECT_TRUE(tells(by_key.body, "/profileId:2/score", 2550, "/service:x.com:username:BRUNO2/score", 2550,
                    "/service:discord:1/level", "neutral"));
  EXPECT_EQ(post("/api/v2/score/userkeys", R"({"userkeys":[]})").body, "{}");
}

TEST(Scores, FollowTheDatabase) {
  const auto score = [] {
    return json_number(get("/api/v2/score/userkey?userkey=service:x.com:username:kavi11").body, "/score");
  };
  const auto before = score();
  const auto after = before == 1234 ? 1235 : 1234;
  shared().database().sql("UPDATE users SET score = " + std::to_string(after) + " WHERE id = 11");
  await("another score", [&] { return score() != before; });
  EXPECT_EQ(score(), after) << "a remembered key does not keep an old score";
}

// -- users ------------------------------------------------------------------------------

TEST(Users, AreFoundByEveryKey) {
  const auto expected = ok(get("/api/v2/user/1"));
  EXPECT_TRUE(tells(expected.body, "/profileId", 1, "/username", "ada1"));
  for (const auto& target :
       {"by/address/" + wallet, "by/address/" + lower(wallet), "by/x/" + x_account, std::string{"by/x/ada1"},
        std::string{"by/x/@Ada1"}, std::string{"by/x/%40ada1"}, std::string{"by/profile-id/1"},
        std::string{"by/username/Ada1"}, "by/discord/" + discord_account}) {
    const auto answer = ok(get("/api/v2/user/" + target));
    EXPECT_EQ(answer.body, expected.body) << target;
  }
  EXPECT_EQ(json_number(get("/api/v2/user/by/x/4711").body, "/id"), 5) << "a handle of digits";
  EXPECT_EQ(json_text(get("/api/v2/user/50").body, "/status"), "MERGED");
}

TEST(Users, ThatAreNotThereAre404AndNonsenseIs400) {
  for (const auto& target :
       {std::string{"by/address/"} + unknown_address, std::string{"by/x/1"}, std::string{"by/x/nobody_at_all"},
        std::string{"by/profile-id/2147483647"}, std::string{"by/username/no.body"}, std::string{"by/discord/1"},
        std::string{"by/telegram/1"}, std::string{"by/farcaster/1"}, std::string{"2147483647"}}) {
    const auto answer = get("/api/v2/user/" + target);
    EXPECT_EQ(code(answer), "404 NOT_FOUND") << target;
  }
  for (const auto* target :
       {"by/address/0x12", "by/address/ada.eth", "by/x/a-b", "by/x/@", "by/profile-id/0", "by/profile-id/2147483648",
        "by/discord/ada", "by/telegram/-1", "by/farcaster/1.5", "0", "abc", "-1"}) {
    const auto answer = get(std::string{"/api/v2/user/"} + target);
    EXPECT_EQ(code(answer), "400 BAD_REQUEST") << target;
  }
}

TEST(Users, ComeInTheOrderAskedEachOnce) {
  EXPECT_EQ(ids_in(post("/api/v2/users/by/ids", R"({"userIds":[9,2,2147483647,9,1]})")), (ids{9, 2, 1}));
  EXPECT_EQ(ids_in(post("/api/v2/users/by/profile-id", R"({"profileIds":[7,61,3]})")), (ids{7, 3}));
  EXPECT_EQ(ids_in(post("/api/v2/users/by/x",
                        R"({"accountIdOrUsernames":["@bruno2",")" + x_account + R"(","nobody","ada1","4711"]})")),
            (ids{2, 1, 5}));
  EXPECT_EQ(ids_in(post("/api/v2/users/by/x",
                        R"({"accountIdsOrUsernames":["@bruno2",")" + x_account + R"(","nobody","ada1","4711"]})")),
            (ids{2, 1, 5}));
  EXPECT_EQ(ids_in(post("/api/v2/users/by/address", R"({"addresses":[")" + without_profile + R"(",")" + lower(wallet)
                                                      + R"(",")" + wallet + R"("]})")),
            (ids{61, 1}));
  EXPECT_EQ(post("/api/v2/users/by/ids", R"({"userIds":[]})").body, "[]");
  EXPECT_EQ(ids_in(post("/api/v2/users/by/x", R"({"accountIdsOrUsernames":["ada1"],"accountIdOrUsernames":["ada1"]})")),
            (ids{1}));
  const auto differ = post("/api/v2/users/by/x", R"({"accountIdsOrUsernames":["ada1"],"accountIdOrUsernames":["x"]})");
  EXPECT_EQ(differ.status, 400);
  EXPECT_TRUE(has(differ.body, "two names of one member")) << differ.body;
}

TEST(Users, AnXpTotalIsABareNumber) {
  EXPECT_EQ(get("/api/v2/xp/user/profileId:10").body, "50");
  EXPECT_EQ(get("/api/v2/xp/user/service:x.com:username:ada1").body, "5000");
  EXPECT_EQ(get("/api/v2/xp/user/address:" + unknown_address).body, "0");
  EXPECT_EQ(get("/api/v2/xp/user/ada1").status, 400);
}

// -- lists of hundreds, and what is wrong with them ---------------------------------------

std::string list_of(const std::string& member, int count, const std::string& item) {
  std::string out = "{\"" + member + "\":[";
  for (int i = 0; i < count; ++i)
    out += (i ? "," : "") + item;
  return out + "]}";
}

struct bulk_row {
  const char* path;
  const char* member;
  std::string item;
  std::string wrong;
};

const std::vector<bulk_row>& bulk_rows() {
  static const std::vector<bulk_row> rows{
    {"/api/v2/score/addresses", "addresses", "\"" + wallet + "\"", "\"0x12\""},
    {"/api/v2/score/userkeys", "userkeys", "\"profileId:1\"", "\"profileId:0\""},
    {"/api/v2/users/by/address", "addresses", "\"" + wallet + "\"", "\"" + wallet + "0\""},
    {"/api/v2/users/by/x", "accountIdsOrUsernames", "\"ada1\"", "\"a-b\""},
    {"/api/v2/users/by/profile-id", "profileIds", "1", "0"},
    {"/api/v2/users/by/ids", "userIds", "1", "2147483648"},
  };
  return rows;
}

TEST(BulkLookups, TakeFiveHundredAndNoMore) {
  for (const auto& [path, member, item, wrong] : bulk_rows()) {
    EXPECT_EQ(post(path, list_of(member, 500, item)).status, 200) << path;
    const auto more = post(path, list_of(member, 501, item));
    EXPECT_EQ(more.status, 400) << path;
    EXPECT_TRUE(has(json_text(more.body, "/message"), "at most 500")) << more.body;
  }
}

TEST(BulkLookups, NameWhatIsWrong) {
  for (const auto& [path, member, item, wrong] : bulk_rows()) {
    const std::string name = member;
    for (const auto& body : {std::string{""}, std::string{"[]"}, std::string{"{}"}, "{\"" + name + "\":null}",
                             "{\"" + name + "\":" + item + "}", "{\"" + name + "\":{}}", "{\"" + name + "\":[null]}",
                             "{\"" + name + "\":[[" + item + "]]}", "{\"" + name + "\":[" + item + ",true]}",
                             "{\"" + name + "\":[1.5]}", "{\"" + name + "\":[\"a\\u0000b\"]}",
                             "{\"" + name + "\":[\"\"]}", list_of(member, 2, wrong), "{\"" + name + "\":[" + item}) {
      const auto answer = post(path, body);
      EXPECT_EQ(code(answer), "400 BAD_REQUEST") << path << " " << body << " -> " << answer.body.substr(0, 200);
      EXPECT_LT(answer.body.size(), 4000u);
    }
    EXPECT_TRUE(has(post(path, list_of(member, 400, wrong)).body, name));
  }
}

TEST(BulkLookups, AreOpenToBrowsersOfEveryOrigin) {
  auto client = shared().client();
  for (const auto& row : bulk_rows()) {
    const auto preflight = client.send("OPTIONS", row.path,
                                       {{"Origin", "https://app.example"},
                                        {"Access-Control-Request-Method", "POST"},
                                        {"Access-Control-Request-Headers", "content-type"}});
    EXPECT_EQ(preflight.status, 204) << row.path;
    EXPECT_EQ(preflight.headers.at("access-control-allow-origin"), "*") << row.path;
    EXPECT_EQ(preflight.headers.at("access-control-allow-methods"), "POST") << row.path;
    EXPECT_TRUE(has(preflight.headers.at("access-control-allow-headers"), "Content-Type"));
    EXPECT_EQ(post(row.path, list_of(row.member, 1, row.item)).headers.at("access-control-allow-origin"), "*");
    EXPECT_EQ(client.get(row.path).status, 405) << row.path;
  }
  const auto vote = client.send("OPTIONS", "/api/v2/projects/1/votes",
                                {{"Origin", "https://app.example"}, {"Access-Control-Request-Method", "POST"}});
  EXPECT_FALSE(vote.headers.contains("access-control-allow-origin")) << "a POST that writes stays closed";
}

// -- search -----------------------------------------------------------------------------

TEST(UserSearch, BringsTheBestMatchesFirstInPages) {
  const auto exact = ok(get("/api/v2/users/search?query=ADA1"));
  EXPECT_TRUE(tells(exact.body, "/values/0/id", 1, "/limit", 50));
  const auto all = get("/api/v2/users/search?query=ada");
  const auto everybody = ids_in(all, "/values");
  EXPECT_EQ(everybody.front(), 1) << "the highest score of those that begin so";
  EXPECT_EQ(json_number(all.body, "/total"), static_cast<std::int64_t>(everybody.size()));
  const auto second = get("/api/v2/users/search?query=ada&limit=1&offset=1");
  EXPECT_EQ(ids_in(second, "/values"), (ids{everybody.at(1)}));
  EXPECT_TRUE(tells(second.body, "/total", json_number(all.body, "/total"), "/offset", 1));
  EXPECT_EQ(ids_in(get("/api/v2/users/search?query=ada1&userKeyType=discord"), "/values").front(), 1);
  EXPECT_EQ(ids_in(get("/api/v2/users/search?query=ada1&userKeyType=DISCORD"), "/values").front(), 1);
  for (const auto& pasted :
       {wallet, lower(wallet), "address:" + wallet, "service:x.com:" + x_account, "%20" + wallet + "++"})
    EXPECT_EQ(ids_in(get("/api/v2/users/search?query=" + pasted), "/values"), (ids{1})) << pasted;
  EXPECT_EQ(
    json_number(get("/api/v2/users/search?query=" + wallet + "&userKeyType=ADDRESS&limit=1&offset=1").body, "/total"),
    1);
  EXPECT_EQ(get("/api/v2/users/search?query=zzzzzzqqq").body, R"({"values":[],"total":0,"limit":50,"offset":0})");
}

TEST(UserSearch, RefusesWhatItCannotLookFor) {
  for (const auto* query : {"", "?query=", "?query=a", "?query=ada&limit=51", "?query=ada&limit=-1",
                            "?query=ada&offset=-1", "?query=ada&userKeyType=email", "?query=ada&keyType=ADDRESS",
                            "?query=ada&query=bruno", "?query=+a+", "?query=%ff%ff", "?query=a%00b"}) {
    const auto answer = get(std::string{"/api/v2/users/search"} + query);
    EXPECT_EQ(code(answer), "400 BAD_REQUEST") << query << answer.body.substr(0, 200);
  }
  EXPECT_EQ(get("/api/v2/users/search?query=" + std::string(101, 'a')).status, 400);
  EXPECT_EQ(get("/api/v2/users/search?query=" + std::string(100, 'a')).status, 200);
  EXPECT_EQ(get("/api/v2/users/search?query=%25%25").status, 200);
}

} // namespace
} // namespace credence::test
