#include "http/server/admission.hpp"
#include "tests/http/server/small_server.hpp"

namespace credence::http {
namespace {

using namespace std::chrono_literals;
using test::answer;
using test::request;
using test::wire;

/// Rates are so low here that nothing comes back while a test runs.
struct AdmissionTest : test::small_server {
  AdmissionTest() {
    how.rate_limits = true;
    how.rate_read = {1, 1h, 3};
    how.rate_write = {1, 1h, 2};
    how.rate_wallet = {1, 1h, 1};
    how.rate_admin = {1, 1h, 2};
    how.rate_anonymous = {1, 1h, 4};
    how.rate_credentials = {1, 1h, 3};
  }
  answer hello(std::string_view more = "") { return get("/api/v2/hello/you", more); }
  int times_admitted(std::string_view verb, std::string_view target, std::string_view more) {
    for (int i = 0; i < 20; ++i)
      if (ask(request(verb, target, more)).status == 429)
        return i;
    return 20;
  }
  int reads_of(std::string_view more) { return times_admitted("GET", "/api/v2/hello/you", more); }
};

constexpr auto bot = "X-Service-Client: bot@1.0\r\n";
constexpr auto seven = "Authorization: Bearer seven\r\n";

TEST_F(AdmissionTest, TellsWhatIsLeftAndThenHowLongToWait) {
  const auto first = hello(bot);
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.header("ratelimit-policy"), R"("read";q=3;w=10800)");
  EXPECT_EQ(first.header("ratelimit"), R"("read";r=2;t=3600)");
  EXPECT_FALSE(first.has("retry-after"));
  hello(bot);
  EXPECT_EQ(get("/api/v2/nothing", bot).header("ratelimit"), R"("read";r=0;t=10800)") << "errors count, too";
  wire one{port()};
  const auto over = one.send(request("GET", "/api/v2/hello/you", bot)).next();
  EXPECT_EQ(over.status, 429);
  EXPECT_EQ(over.header("ratelimit-policy"), R"("read";q=3;w=10800)");
  EXPECT_EQ(over.header("ratelimit"), R"("read";r=0;t=10800)");
  EXPECT_EQ(over.header("retry-after"), "3600");
  EXPECT_NE(over.body.find(R"("code":"RATE_LIMITED")"), std::string::npos) << over.body;
  EXPECT_NE(over.body.find("bucket 'read'"), std::string::npos) << over.body;
  EXPECT_NE(over.body.find("credential"), std::string::npos) << over.body;
  EXPECT_NE(over.header("access-control-expose-headers").find("RateLimit"), std::string::npos);
  EXPECT_EQ(one.send(request("GET", "/livez")).next().status, 200) << "the connection stays";
}

TEST_F(AdmissionTest, GivesCallersBucketsOfTheirOwn) {
  EXPECT_EQ(reads_of(bot), 3);
  EXPECT_EQ(reads_of("X-Service-Client: other\r\n"), 3);
  EXPECT_EQ(reads_of(seven), 3);
  EXPECT_EQ(reads_of("Authorization: Bearer admin\r\nX-Service-Client: bot@1.0\r\n"), 3)
    << "a credential counts, not a name";
  EXPECT_EQ(times_admitted("POST", "/api/v2/mine", seven), 2);
  EXPECT_EQ(times_admitted("POST", "/api/v2/admin", "Authorization: Bearer admin\r\n"), 2);
  EXPECT_NE(hello(seven).body.find("of yours has run dry"), std::string::npos);
}

TEST_F(AdmissionTest, HasOneBucketForAllWhoDoNotSayWhoTheyAre) {
  EXPECT_EQ(hello().header("ratelimit"), R"("anonymous";r=3;t=3600)");
  EXPECT_EQ(ask(request("POST", "/api/v2/mine")).status, 401);
  hello("X-Service-Client: two words\r\n");
  hello("X-Service-Client: " + std::string(101, 'a') + "\r\n");
  const auto over = hello("X-Service-Client: a\r\nX-Service-Client: b\r\n");
  EXPECT_EQ(over.status, 429);
  EXPECT_NE(over.body.find("bucket 'anonymous'"), std::string::npos);
  EXPECT_NE(over.body.find("X-Service-Client"), std::string::npos);
  EXPECT_EQ(hello(bot).status, 200);
}

TEST_F(AdmissionTest, LeavesHealthPreflightsAndOperatorsAlone) {
  reads_of("");
  for (int i = 0; i < 10; ++i) {
    const auto live = get("/livez");
    EXPECT_EQ(live.status, 200);
    EXPECT_FALSE(live.has("ratelimit"));
    EXPECT_EQ(get("/readyz").status, 200);
    EXPECT_EQ(ask(request("OPTIONS", "/api/v2/mine")).status, 204);
    EXPECT_EQ(ask(request("OPTIONS", "*")).status, 204);
  }
  wire operators{running().operator_port()};
  const auto metrics = operators.send(request("GET", "/metrics")).next();
  EXPECT_EQ(metrics.status, 200);
  EXPECT_NE(metrics.body.find("credence_http_rate_limited_total{bucket=\"anonymous\"}"), std::string::npos);
}

TEST_F(AdmissionTest, CountsCredentialsThatAreRefusedByAddress) {
  EXPECT_EQ(hello(seven).status, 200);
  EXPECT_EQ(times_admitted("GET", "/api/v2/mine", "Authorization: Bearer wrong\r\n"), 3);
  EXPECT_EQ(reads_of("Authorization: Basic x\r\nX-Service-Client: fresh\r\n"), 0);
  const auto over = get("/api/v2/mine", "Authorization: Bearer wrong\r\n");
  EXPECT_EQ(over.header("ratelimit-policy"), R"("credentials";q=3;w=10800)");
  EXPECT_EQ(over.header("cache-control"), "no-store");
  EXPECT_EQ(hello(seven).status, 429) << "one that is good is not looked at either, unless it is known already";
  EXPECT_EQ(hello(bot).status, 200) << "who sends none is not concerned";
}

TEST_F(AdmissionTest, BoundsAllNamesOfOneAddressTogether) {
  how.rate_address = {1, 1h, 5};
  how.trusted_proxies = {"127.0.0.0/8"};
  const std::string here = "X-Forwarded-For: 2001:db8:0:1::1\r\n";
  const std::string household = "X-Forwarded-For: 2001:db8:0:1:ffff::2\r\n";
  const auto first = hello(here + "X-Service-Client: bot0\r\n");
  EXPECT_EQ(first.header("ratelimit"), R"("read";r=2;t=3600)") << "the one that has less left is told";
  for (int i = 1; i < 5; ++i)
    EXPECT_EQ(hello((i % 2 ? household : here) + "X-Service-Client: bot" + std::to_string(i) + "\r\n").status, 200);
  const auto over = hello(here + "X-Service-Client: fresh\r\n");
  EXPECT_EQ(over.status, 429);
  EXPECT_EQ(over.header("ratelimit-policy"), R"("address";q=5;w=18000)");
  EXPECT_NE(over.body.find("from your address"), std::string::npos) << over.body;
  EXPECT_EQ(hello("X-Forwarded-For: 2001:db8:0:2::1\r\nX-Service-Client: fresh\r\n").status, 200)
    << "another household";
  EXPECT_EQ(hello(here + seven).status, 200) << "a credential has buckets of its own";
}

TEST_F(AdmissionTest, ChargesReadsByWhatTheyAskFor) {
  how.rate_read = {1, 1h, 10};
  how.rate_write = {1, 1h, 10};
  EXPECT_EQ(hello(bot).header("ratelimit"), R"("read";r=9;t=3600)");
  EXPECT_EQ(get("/api/v2/hello/you?limit=100", bot).header("ratelimit"), R"("read";r=7;t=10800)");
  const auto look_up = [&](int keys) {
    std::string body = R"({"keys":["a,b")";
    for (int i = 1; i < keys; ++i)
      body += R"(,"\",")";
    return ask(request("POST", "/api/v2/lookup", std::string{bot} + "Content-Type: application/json\r\n", body + "]}"));
  };
  EXPECT_EQ(look_up(30).header("ratelimit"), R"("read";r=4;t=21600)");
  const auto over = look_up(500);
  EXPECT_EQ(over.status, 429);
  EXPECT_EQ(over.header("retry-after"), "25200") << "until the bucket is full";
  EXPECT_NE(over.body.find("counts as 50 requests"), std::string::npos) << over.body;
  EXPECT_EQ(hello(bot).status, 200) << "what is left does for a small one";
  EXPECT_EQ(ask(request("POST", "/api/v2/ask/now?limit=1000", bot)).header("ratelimit"), R"("write";r=9;t=3600)")
    << "a write has no page";
}

TEST_F(AdmissionTest, ChargesABodyByTheLimitThatItsHandlerReads) {
  how.rate_read = {1, 1h, 10};
  const auto left_after = [&](const std::string& body) {
    return ask(request("POST", "/api/v2/lookup", std::string{bot} + "Content-Type: application/json\r\n", body))
      .header("ratelimit");
  };
  EXPECT_EQ(left_after(R"({"limit":100})"), R"("read";r=8;t=7200)");
  EXPECT_EQ(left_after(R"({"lim\u0069t":100})"), R"("read";r=6;t=14400)") << "however it is written";
  EXPECT_EQ(left_after(R"({"text":"\"limit\":1","limit":100})"), R"("read";r=4;t=21600)");
  EXPECT_EQ(left_after(R"({"limit":1,"limit":100})"), R"("read";r=3;t=25200)") << "which handlers refuse";
}

TEST_F(AdmissionTest, CountsWhoAsksThroughAProxyByRequest) {
  how.rate_limits = false;
  how.trusted_proxies = {"127.0.0.0/8"};
  how.connections_per_address_max = 1;
  const std::string here = "X-Forwarded-For: 1.2.3.4\r\n";
  wire first{port()};
  first.send(request("GET", "/api/v2/ask/hold", here));
  wait_for_held(1);
  EXPECT_EQ(hello(here).status, 503);
  EXPECT_EQ(hello("X-Forwarded-For: 1.2.3.5\r\n").status, 200);
  EXPECT_EQ(hello().status, 200) << "the proxy itself";
  release();
  EXPECT_EQ(first.next().status, 200);
  EXPECT_EQ(first.send(request("GET", "/api/v2/hello/you", here)).next().status, 200)
    << "the place has been given back";
}

TEST_F(AdmissionTest, IgnoresBadCredentialsWhereTheyMakeNoDifference) {
  how.rate_limits = false;
  const std::string wrong = "Authorization: Bearer wrong\r\n";
  EXPECT_EQ(hello(wrong).body, R"({"said":"you"})");
  EXPECT_EQ(ask(request("POST", "/api/v2/lookup", wrong)).status, 200);
  EXPECT_EQ(get("/api/v2/personal", wrong).status, 401) << "who asks would see something else";
  EXPECT_EQ(ask(request("POST", "/api/v2/echo", wrong)).status, 401) << "may write";
  EXPECT_EQ(get("/api/v2/mine", wrong).status, 401);
}

TEST_F(AdmissionTest, GuardsWalletsByAddressWhateverTheName) {
  EXPECT_EQ(ask(request("POST", "/api/v2/key", "X-Service-Client: a\r\n")).header("ratelimit-policy"),
            R"("wallet";q=1;w=3600)");
  EXPECT_EQ(ask(request("POST", "/api/v2/key", "X-Service-Client: b\r\n")).status, 429);
  EXPECT_EQ(ask(request("POST", "/api/v2/key")).status, 429);
  EXPECT_EQ(ask(request("POST", "/api/v2/key", seven)).status, 200);
}

TEST_F(AdmissionTest, CanBeSwitchedOff) {
  how.rate_read = {};
  how.rate_anonymous = {};
  EXPECT_EQ(reads_of(bot), 20);
  EXPECT_EQ(reads_of(""), 20);
  EXPECT_FALSE(hello().has("ratelimit"));
}

TEST_F(AdmissionTest, TakesTheAddressFromProxiesItTrusts) {
  how.trusted_proxies = {"127.0.0.0/8", "10.0.0.0/8"};
  const std::string name = bot;
  EXPECT_EQ(reads_of(name + "X-Forwarded-For: 1.2.3.4\r\n"), 3);
  EXPECT_EQ(reads_of(name + "X-Forwarded-For: 1.2.3.4, 10.0.0.7\r\n"), 0);
  EXPECT_EQ(reads_of(name + "X-Forwarded-For: 9.9.9.9, 1.2.3.4\r\n"), 0) << "what a client says of itself";
  EXPECT_EQ(reads_of(name + "X-Forwarded-For: 9.9.9.9\r\nX-Forwarded-For: 1.2.3.4\r\n"), 0) << "lines in their order";
  EXPECT_EQ(reads_of(name + "X-Forwarded-For: 1.2.3.5\r\n"), 3);
  EXPECT_EQ(reads_of(name + "X-Forwarded-For: nonsense\r\n"), 3) << "the proxy's own";
  EXPECT_EQ(reads_of(name), 0);
}

TEST_F(AdmissionTest, BoundsNoConnectionsOfProxiesItTrusts) {
  how.trusted_proxies = {"127.0.0.0/8"};
  how.connections_per_address_max = 1;
  wire first{port()}, second{port()};
  EXPECT_EQ(first.send(request("GET", "/livez")).next().status, 200);
  EXPECT_EQ(second.send(request("GET", "/livez")).next().status, 200) << "a proxy brings many";
}

TEST_F(AdmissionTest, BelievesNobodyElse) {
  const std::string name = bot;
  EXPECT_EQ(reads_of(name + "X-Forwarded-For: 1.2.3.4\r\n"), 3);
  EXPECT_EQ(reads_of(name + "X-Forwarded-For: 1.2.3.5\r\n"), 0);
}

// -- origins ---------------------------------------------------------------------------------

struct OriginTest : test::small_server {
  OriginTest() { how.allowed_origins = {"https://app.example.org", "http://localhost:3000"}; }
};

TEST_F(OriginTest, LetsPagesOfListedOriginsCallWithCredentials) {
  const auto came = get("/api/v2/mine", "Authorization: Bearer seven\r\nOrigin: https://app.example.org\r\n");
  EXPECT_EQ(came.status, 200);
  EXPECT_EQ(came.header("access-control-allow-origin"), "https://app.example.org");
  EXPECT_EQ(came.header("access-control-allow-credentials"), "true");
  EXPECT_EQ(came.header("vary"), "Origin, Accept-Encoding");
  EXPECT_EQ(get("/api/v2/origin", "Origin: http://localhost:3000\r\n").body, R"({"said":"allowed"})");
  EXPECT_EQ(get("/api/v2/nothing", "Origin: http://localhost:3000\r\n").header("access-control-allow-origin"),
            "http://localhost:3000");
}

TEST_F(OriginTest, AllowsItsOwnOriginWithoutBeingTold) {
  how.allowed_origins.clear();
  how.public_url = "https://Credence.example.org:443/base";
  const auto own = get("/api/v2/origin", "Origin: https://credence.example.org\r\n");
  EXPECT_EQ(own.body, R"({"said":"allowed"})");
  EXPECT_EQ(own.header("access-control-allow-credentials"), "true");
  EXPECT_EQ(own.header("vary"), "Origin, Accept-Encoding");
  EXPECT_EQ(get("/api/v2/origin", "Origin: http://credence.example.org\r\n").body, R"({"said":"not allowed"})");
}

TEST_F(OriginTest, LetsOthersReadWhatIsOpen) {
  for (const auto* other : {"", "Origin: https://evil.example\r\n", "Origin: null\r\n",
                            "Origin: https://app.example.org.evil\r\n", "Origin: HTTPS://app.example.org\r\n",
                            "Origin: https://app.example.org\r\nOrigin: https://app.example.org\r\n"}) {
    const auto open = get("/api/v2/origin", other);
    EXPECT_EQ(open.body, R"({"said":"not allowed"})") << other;
    EXPECT_EQ(open.header("access-control-allow-origin"), "*") << other;
    EXPECT_FALSE(open.has("access-control-allow-credentials")) << other;
    EXPECT_EQ(open.header("vary"), "Origin, Accept-Encoding") << "a cache must know";
    EXPECT_FALSE(get("/api/v2/mine", std::string{seven} + other).has("access-control-allow-origin")) << other;
  }
}

TEST_F(OriginTest, AnswersPreflightsByOrigin) {
  const std::string wants =
    "Access-Control-Request-Method: DELETE\r\nAccess-Control-Request-Headers: idempotency-key\r\n";
  const auto listed = ask(request("OPTIONS", "/api/v2/mine", wants + "Origin: https://app.example.org\r\n"));
  EXPECT_EQ(listed.status, 204);
  EXPECT_EQ(listed.header("access-control-allow-origin"), "https://app.example.org");
  EXPECT_EQ(listed.header("access-control-allow-credentials"), "true");
  EXPECT_EQ(listed.header("access-control-allow-methods"), "GET, HEAD, POST, PUT, PATCH, DELETE");
  for (const auto* name :
       {"Authorization", "Content-Type", "X-Service-Client", "X-Service-Api-Key", "Idempotency-Key", "X-Request-Id"})
    EXPECT_NE(listed.header("access-control-allow-headers").find(name), std::string::npos) << name;
  const auto other = ask(request("OPTIONS", "/api/v2/mine", wants + "Origin: https://evil.example\r\n"));
  EXPECT_EQ(other.status, 204);
  EXPECT_FALSE(other.has("access-control-allow-origin"));
  EXPECT_FALSE(other.has("access-control-allow-methods"));
  EXPECT_EQ(other.header("vary"), "Origin, Accept-Encoding");
}

// -- what goes away --------------------------------------------------------------------------

TEST_F(AdmissionTest, TellsCallersWhatIsDeprecatedAndOperatorsWhoCalls) {
  how.rate_limits = false;
  how.deprecations = {"GET /api/v2/large 2026-10-01 2027-04-01 https://example.org/large"};
  const auto large = get("/api/v2/large", bot);
  EXPECT_EQ(large.header("deprecation"), "@1790812800");
  EXPECT_EQ(large.header("sunset"), "Thu, 01 Apr 2027 00:00:00 GMT");
  EXPECT_EQ(large.header("link"), R"(<https://example.org/large>; rel="deprecation")");
  EXPECT_EQ(get("/api/v1/old", seven).header("deprecation"), "@1754611200") << "as the table has it";
  EXPECT_EQ(get("/api/v1/old", seven).header("sunset"), "Sun, 08 Aug 2027 00:00:00 GMT");
  EXPECT_EQ(get("/api/v1/old", seven).header("link"), R"(</api/v2/mine>; rel="successor-version")");
  EXPECT_EQ(get("/api/v1/old").header("deprecation"), "@1754611200") << "errors, too";
  EXPECT_FALSE(get("/api/v2/hello/you").has("deprecation"));
  wire operators{running().operator_port()};
  const auto metrics = operators.send(request("GET", "/metrics")).next().body;
  EXPECT_NE(metrics.find(R"(credence_deprecated_requests_total{route="GET /api/v2/large",client="bot"} 1)"),
            std::string::npos);
  EXPECT_NE(metrics.find(R"(credence_deprecated_requests_total{route="GET /api/v1/old",client="none"})"),
            std::string::npos);
}

void nothing(call&) {}
void nothing_again(call&, const idempotency::found_record&) {}

const std::string partner = "https://partner.example";
const std::string other_page = "https://other.example";

route of_partners(access who, method verb = method::post) {
  route out{verb, "/act", who, scope::none, nothing};
  out.replay = verb == method::post && who != access::open ? nothing_again : nullptr;
  out.partners = partner_use::act;
  return out;
}

/// Knows `mine`, a session for pages of `partner`, and `ours`, a session of our own pages.
struct two_sessions final : authenticator {
  outcome<found_caller> find(credential_kind by, std::string_view token) override {
    const bool good = ((by == credential_kind::partner || strays) && token == "mine")
                      || (by == credential_kind::session && token == "ours");
    if (!good)
      return refusal{refusal_code::unauthenticated, "it is not good"};
    return found_caller{principal{profile_id{7}, false, by, token == "mine" ? of_partner : of_ours}};
  }
  bool strays = false; // takes a partner's session for one of ours
  const std::shared_ptr<profile::credential_slot> of_partner =
    std::make_shared<profile::credential_slot>(profile::credential_kind::session, "1", profile_id{7}, timestamp::max(),
                                               profile::key_bounds{}, std::nullopt, partner);
  const std::shared_ptr<profile::credential_slot> of_ours =
    std::make_shared<profile::credential_slot>(profile::credential_kind::session, "2", profile_id{7}, timestamp::max());
};

struct AdmissionOfPartners : testing::Test {
  AdmissionOfPartners() {
    how.rate_limits = false;
    rules.origins = {partner, other_page};
    head.service_client = "page@1";
    come_from(partner);
  }

  void come_from(std::string_view origin) {
    head.origin = origin;
    head.origin_count = origin.empty() ? 0 : 1;
  }
  std::string cookie_of(const std::string& origin) { return partner_cookie_name(rules, partner_access_cookie, origin); }

  /// Nothing where the handler may run.
  std::optional<refusal_code> refused(const route& to, bool page_allowed = false) {
    gate.begin(steady_clock::now(), "id");
    gate.leads_to(to, page_allowed);
    EXPECT_FALSE(gate.count(bucket::wallet));
    const auto verdict = gate.admit(to, page_allowed);
    if (const auto* no = std::get_if<admission::refused>(&verdict))
      return no->why.code;
    const auto why = gate.forbidden();
    return why ? std::optional{why->code} : std::nullopt;
  }

  settings::http how;
  rate_limiter limits{how};
  address_ranges proxies{how.trusted_proxies};
  two_sessions sessions;
  line_bound lines{"left_out"};
  partner_rules rules;
  request_head head;
  admission gate{{limits, proxies, "own-cookie", &sessions, lines, &rules}, head, {}};
  const route acts = of_partners(access::owner);
};

TEST_F(AdmissionOfPartners, LetsInTheirSessionByCookieAndByToken) {
  head.cookie = cookie_of(partner) + "=mine";
  EXPECT_EQ(refused(acts), std::nullopt);
  EXPECT_EQ(gate.caller()->profile, profile_id{7});
  EXPECT_EQ(gate.origin()->credential, "partner https://partner.example session 1")
    << "by this the user finds what it did";
  head.cookie.clear();
  head.authorization = "Bearer mine";
  head.authorization_count = 1;
  EXPECT_EQ(refused(acts), std::nullopt);
}

TEST_F(AdmissionOfPartners, RefusesWhoeverIsNoPageOfAPartner) {
  head.cookie = cookie_of(partner) + "=mine";
  for (const auto* origin : {"", "null", "https://evil.example", "http://partner.example"}) {
    come_from(origin);
    EXPECT_EQ(refused(acts), refusal_code::forbidden) << origin;
    EXPECT_EQ(refused(of_partners(access::open, method::get)), refusal_code::forbidden) << origin;
  }
  come_from(partner);
  head.origin_count = 2;
  EXPECT_EQ(refused(acts), refusal_code::forbidden);
  head.origin_count = 1;
  head.service_client = {};
  EXPECT_EQ(refused(acts), refusal_code::invalid_input);
}

TEST_F(AdmissionOfPartners, ASessionIsForOneOriginAlone) {
  come_from(other_page);
  head.cookie = cookie_of(partner) + "=mine";
  EXPECT_EQ(refused(acts), refusal_code::not_signed_in) << "that cookie is another's";
  head.cookie = cookie_of(other_page) + "=mine";
  EXPECT_EQ(refused(acts), refusal_code::not_signed_in) << "and so is the session in it";
  EXPECT_EQ(refused(of_partners(access::open, method::get)), std::nullopt) << "what is open to everybody sees nobody";
  EXPECT_FALSE(gate.caller());
}

TEST_F(AdmissionOfPartners, OurOwnSessionsActOnPagesThatAreBoth) {
  head.cookie = "own-cookie=ours";
  EXPECT_EQ(refused(acts), refusal_code::not_signed_in);
  EXPECT_EQ(refused(acts, true), std::nullopt) << "the page is one of ours, too";
}

TEST_F(AdmissionOfPartners, WhatIsOpenToTheirPagesNeedsNoSession) {
  const auto check = of_partners(access::open, method::get);
  EXPECT_EQ(refused(check), std::nullopt);
  EXPECT_FALSE(gate.caller());
  head.cookie = cookie_of(partner) + "=over";
  EXPECT_EQ(refused(check), std::nullopt) << "it may still be refreshed";
  EXPECT_FALSE(gate.caller());
}

TEST_F(AdmissionOfPartners, TheirSessionIsNoCredentialElsewhere) {
  route own = acts;
  own.partners = partner_use::none;
  sessions.strays = true;
  head.cookie = "own-cookie=mine";
  for (const auto* origin : {partner.c_str(), other_page.c_str(), ""}) {
    come_from(origin);
    gate.begin(steady_clock::now(), "id");
    EXPECT_FALSE(gate.count(bucket::write));
    EXPECT_FALSE(gate.caller()) << "its owner pays for nothing";
    const auto verdict = gate.admit(own, true);
    ASSERT_TRUE(std::holds_alternative<admission::refused>(verdict));
    EXPECT_EQ(std::get<admission::refused>(verdict).why.code, refusal_code::unauthenticated);
  }
}

constexpr route open_read{method::get, "/open", access::open, scope::read, nothing};
constexpr route own_page{method::get, "/own", access::bearer, scope::read, nothing};
constexpr route of_admins{method::post, "/admin", access::admin, scope::none, nothing};

/// Knows `seven`; `unmet` after its owner has been asked, and `stranger` once it is found.
struct some_tokens final : authenticator {
  outcome<found_caller> find(credential_kind, std::string_view token) override {
    if (token == "seven")
      return found_caller{principal{profile_id{7}}};
    if (token == "unmet" && !met) {
      found_caller out{principal{profile_id{8}}};
      out.to_check.emplace();
      out.to_check->profile = profile_id{8};
      return out;
    }
    if (token == "unmet")
      return found_caller{principal{profile_id{8}}};
    if (token == "stranger") {
      found_caller out;
      out.unknown.emplace();
      return out;
    }
    return refusal{refusal_code::unauthenticated, "it is not good"};
  }
  void learn(credential_kind, std::string_view, std::shared_ptr<profile::credential_slot>) override { met = true; }
  std::optional<principal> learn(std::string_view, const people::found_person& found) override {
    return found.profile && !found.unsettled ? std::optional{principal{*found.profile}} : std::nullopt;
  }
  bool met = false;
};

struct AdmissionVerdictTest : testing::Test {
  AdmissionVerdictTest() { how.rate_limits = false; }

  admission::verdict verdict_on(const route& to, std::string_view token) {
    authorization = token.empty() ? "" : "Bearer " + std::string{token};
    head.authorization = authorization;
    head.authorization_count = token.empty() ? 0 : 1;
    head.service_client = "bot";
    gate.begin(steady_clock::now(), "id");
    EXPECT_FALSE(gate.count(bucket::read));
    return gate.admit(to, false);
  }
  static refusal_code why(const admission::verdict& of) {
    return std::holds_alternative<admission::refused>(of) ? std::get<admission::refused>(of).why.code
                                                          : refusal_code::not_found;
  }
  static bool admits(const admission::verdict& of) { return std::holds_alternative<admission::admitted>(of); }

  settings::http how;
  rate_limiter limits{how};
  address_ranges proxies{how.trusted_proxies};
  some_tokens tokens;
  line_bound lines{"left_out"};
  request_head head;
  std::string authorization;
  admission gate{{limits, proxies, "token", &tokens, lines}, head, {}};
};

TEST_F(AdmissionVerdictTest, LetsInWhoIsKnownAndWhereNobodyNeedsToBe) {
  EXPECT_TRUE(admits(verdict_on(own_page, "seven")));
  EXPECT_EQ(gate.caller()->profile, profile_id{7});
  EXPECT_TRUE(admits(verdict_on(open_read, "")));
  EXPECT_FALSE(gate.caller()) << "the last request's is forgotten";
  EXPECT_EQ(why(verdict_on(own_page, "")), refusal_code::unauthenticated);
  EXPECT_EQ(why(verdict_on(own_page, "wrong")), refusal_code::unauthenticated);
  EXPECT_TRUE(admits(verdict_on(open_read, "wrong"))) << "it makes no difference there";
  EXPECT_TRUE(admits(verdict_on(of_admins, "seven")));
  EXPECT_TRUE(gate.forbidden()) << "who they are is known, and that they may not";
}

TEST_F(AdmissionVerdictTest, AsksTheOwnerOfACredentialAndGoesByTheAnswer) {
  const auto question = verdict_on(own_page, "unmet");
  ASSERT_TRUE(std::holds_alternative<profile::check_credential>(question));
  EXPECT_EQ(std::get<profile::check_credential>(question).profile, profile_id{8});
  EXPECT_EQ(why(gate.owner_denied({refusal_code::unauthenticated, "revoked"})), refusal_code::unauthenticated);
  EXPECT_FALSE(gate.caller());

  verdict_on(own_page, "unmet");
  EXPECT_TRUE(admits(gate.owner_said(nullptr)));
  EXPECT_EQ(gate.caller()->profile, profile_id{8});
  EXPECT_TRUE(admits(verdict_on(own_page, "unmet"))) << "known by now";
}

TEST_F(AdmissionVerdictTest, LooksUpWhomAProvidersTokenNames) {
  ASSERT_TRUE(std::holds_alternative<people::find_people>(verdict_on(own_page, "stranger")));
  people::found_person found;
  EXPECT_EQ(why(gate.profile_found(found)), refusal_code::forbidden) << "there is no profile";
  verdict_on(own_page, "stranger");
  found.profile = profile_id{9};
  found.unsettled = 77;
  EXPECT_EQ(why(gate.profile_found(found)), refusal_code::not_yet_settled);
  EXPECT_FALSE(gate.caller());
  verdict_on(own_page, "stranger");
  found.unsettled.reset();
  EXPECT_TRUE(admits(gate.profile_found(found)));
  EXPECT_EQ(gate.caller()->profile, profile_id{9});
}

TEST_F(AdmissionVerdictTest, TakesSharesByProfileAndElseByAddress) {
  ASSERT_TRUE(admits(verdict_on(own_page, "seven")));
  const auto profile = gate.asks_as();
  EXPECT_EQ(profile.rank, asker_rank::known);
  verdict_on(open_read, "");
  EXPECT_EQ(gate.asks_as().rank, asker_rank::anonymous);
  const auto from = [&](const char* address) {
    return admission{{limits, proxies, "token", &tokens, lines}, head, parse_address(address).value()}.asks_as();
  };
  EXPECT_EQ(from("2001:db8:0:1::1"), from("2001:db8:0:1:ffff::2")) << "one household";
  EXPECT_NE(from("2001:db8:0:1::1"), from("2001:db8:0:2::1"));
  EXPECT_NE(from("192.0.2.1"), from("192.0.2.2"));
}

TEST(AdmissionCharges, WhatARequestCostIsTakenFromTheCallersBucket) {
  settings::http how;
  how.rate_read = {1, std::chrono::hours{1}, 20};
  how.rate_anonymous = how.rate_read;
  how.rate_address = {1, std::chrono::hours{1}, 30};
  rate_limiter limits{how};
  const address_ranges proxies{how.trusted_proxies};
  line_bound lines{"left_out"};
  request_head head;
  admission gate{{limits, proxies, "token", nullptr, lines}, head, {}};
  const auto standing_after = [&](std::chrono::milliseconds took, std::int64_t bytes = 0, std::int64_t asked_for = 0) {
    gate.begin(steady_clock::now(), "id");
    EXPECT_FALSE(gate.count(bucket::read));
    if (asked_for > 0) {
      EXPECT_FALSE(gate.count_more(asked_for));
    }
    gate.charge_work(took, static_cast<std::size_t>(bytes));
    std::string out;
    gate.append_standing(out);
    return out.substr(out.find("RateLimit: "), out.find(";t=") - out.find("RateLimit: "));
  };
  head.service_client = "bot";
  EXPECT_EQ(standing_after(std::chrono::milliseconds{3}), R"(RateLimit: "read";r=19)");
  EXPECT_EQ(standing_after(5 * database_time_per_request), R"(RateLimit: "read";r=13)");
  using std::chrono::milliseconds;
  EXPECT_EQ(standing_after(milliseconds{0}, answer_bytes_per_request - 1), R"(RateLimit: "read";r=12)");
  EXPECT_EQ(standing_after(milliseconds{0}, 2 * answer_bytes_per_request), R"(RateLimit: "read";r=9)");
  EXPECT_EQ(standing_after(milliseconds{0}, 3 * answer_bytes_per_request, 2), R"(RateLimit: "read";r=5)")
    << "two were paid for by what was asked for";
  head.service_client = {};
  EXPECT_EQ(standing_after(50 * database_time_per_request), R"(RateLimit: "anonymous";r=19)")
    << "the address pays, not everybody";
  gate.begin(steady_clock::now(), "id");
  EXPECT_TRUE(gate.count(bucket::read)) << "and has nothing left";
}

} // namespace
} // namespace credence::http
