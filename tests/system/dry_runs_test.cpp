// Writes that are only to be tried: each either offers that, and leaves nothing behind, or refuses it and does nothing.
#include "http/admin/routes.hpp"
#include "http/routes.hpp"
#include "tests/auth/siwe_text.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/api_tests.hpp"
#include "tests/system/partner_page.hpp"
#include "tests/system/signing.hpp"

#include <simdjson.h>

#include <optional>

namespace credence::test {
namespace {

using http::route;

constexpr std::array<std::string_view, 5> verbs{"GET", "POST", "PUT", "PATCH", "DELETE"};
constexpr auto stranger = "0x00000000000000000000000000000000000000AA";

/// A request of a route that would be carried out.
struct attempt {
  int who;
  std::string target; // empty: the path itself
  std::string body = "{}";
};
using attempts = std::map<std::string, attempt>; // by verb and path

/// Profile 1 is an admin, profile 5 an attestor; profile 2 lets a partner's page act.
struct DryRuns : api_tests {
  DryRuns() {
    sql("UPDATE users SET human_verification = 'VERIFIED', validator_nft_count = 1, verifier_blocked = false"
        " WHERE id BETWEEN 2 AND 5");
    sql("UPDATE users SET human_verification = NULL WHERE id IN (6, 8, 9)");
    server.start({"--admin", "1", "--people-attestors", "5", "--actors-period-advance", "manual", "--public-url",
                  signing_origin, "--wallets-partner-origins", partner_origin});
  }

  /// All that requests write, as text: the rows of every table but those that the server keeps up by itself, or counts
  /// a moment later, without
  /// what it works out of others.
  std::string rows() {
    return sql("SELECT string_agg(tablename || ' ' || (xpath('/row/h/text()', query_to_xml(format('SELECT "
               "md5(coalesce(string_agg(t, '','' ORDER BY t), '''')) AS h FROM (SELECT (to_jsonb(r) - array[''score'', "
               "''influence_factor'', ''influence_percentile''])::text AS t"
               " FROM %I.%I AS r) s', schemaname, tablename), false, true, '')))[1]::text, E'\\n' ORDER BY tablename) "
               "FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename !~ "
               "'^(daily_acts$|score_|epoch_|influence|chain_|idempotency_|batches$|shard_owners$|takeovers$|xp_days|"
               "market_names|project_rollups|profile_sums)|_tallies|_marks'");
  }
  std::string made(const std::string& target, int who, const std::string& body) {
    return std::to_string(json_number(ok(post(target, who, body)).body, "/id"));
  }
  static std::string attested(const std::string& account) {
    return R"({"profileId":2,"service":"github","account":")" + account + R"(","evidence":"https://proof.example/1"})";
  }
  static std::string bonded(int author) {
    return R"({"authorProfileId":)" + std::to_string(author)
           + R"(,"subjectProfileId":6,"bondType":"HUMAN","amount":"500","amountType":"XP","statement":"I met her",)"
             R"("verificationMethod":"IRL"})";
  }
  static std::string slashed(int author, const std::string& subject) {
    return R"({"authorProfileId":)" + std::to_string(author) + R"(,"subject":"address:)" + subject
           + R"(","slashType":"SCORE","comment":"because","amount":100})";
  }
  static std::string linking(const auth::wallet& by) {
    auto says = key_message(by);
    says.statement = "Link this address to profile 2.";
    return login_body(says, by);
  }
  static std::string address_of(const auth::wallet& of) {
    return R"({"address":")" + lower_text(of.account()) + R"("})";
  }

  /// What each route that offers dry runs would carry out; makes first what that is about.
  attempts all_attempts() {
    attempts out;
    add_records(out);
    add_people(out);
    add_projects_and_markets(out);
    add_pages(out);
    return out;
  }
  void add_records(attempts& to);
  void add_people(attempts& to);
  void add_projects_and_markets(attempts& to);
  void add_pages(attempts& to);

  static std::string name_of(const route& to) {
    return std::string{verbs[static_cast<std::size_t>(to.verb)]} + " " + std::string{to.path};
  }
  static std::string target_of(const route& to) {
    std::string out{to.path};
    for (auto begin = out.find('{'); begin != out.npos; begin = out.find('{'))
      out.replace(begin, out.find('}') - begin + 1, out.compare(begin, 6, "{type}") == 0 ? "review" : "1");
    return out;
  }
  http_response send_to(const route& to, const attempt& how, const std::string& query, const std::string& body) {
    auto target = how.target.empty() ? target_of(to) : how.target;
    target += (target.find('?') == target.npos ? "?" : "&") + query;
    const std::string verb{verbs[static_cast<std::size_t>(to.verb)]};
    if (to.partners == http::partner_use::act)
      return page->send(verb, target, body);
    if (to.path.starts_with("/admin/"))
      return console().send(verb, target, with_json(by_bearer(admin_token())), body);
    return server.client().send(verb, target, with_json(by_bearer(fresh_token(server, how.who))), body);
  }

  std::string review, invited; // by profile 2: what its page is about
  std::optional<partner_page> page;
};

void DryRuns::add_records(attempts& to) {
  const std::string v2 = "/api/v2/", admin = "/admin/api/v1/";
  const auto live = made("attestations/create", 5, attested("one"));
  const auto archived_one = made("attestations/create", 5, attested("two"));
  ok(post("attestations/" + archived_one + "/archive", 5));
  to["POST /api/v2/attestations/create"] = {5, "", attested("three")};
  to["POST /api/v2/attestations/{id}/archive"] = {5, v2 + "attestations/" + live + "/archive"};
  to["POST /api/v2/attestations/{id}/restore"] = {5, v2 + "attestations/" + archived_one + "/restore"};
  to["POST /admin/api/v1/attestations/{attestationId}/archive"] = {1, admin + "attestations/" + live + "/archive"};
  to["POST /admin/api/v1/attestations/{attestationId}/restore"] = {1,
                                                                   admin + "attestations/" + archived_one + "/restore"};
  const auto bond = v2 + "bonds/" + made("bonds/create", 1, bonded(2));
  to["POST /api/v2/bonds/create"] = {1, "", bonded(3)};
  to["POST /api/v2/bonds/{id}/archive"] = {1, bond + "/archive", R"({"reason":"was another"})"};
  to["POST /api/v2/bonds/{id}/expiration"] = {1, bond + "/expiration", R"({"expiration":"2035-01-01"})"};
  const auto vouch = made("vouches/create", 2, R"({"subject":"profileId:3","amount":5})");
  const auto ended = made("vouches/create", 2, R"({"subject":"profileId:4","amount":5})");
  ok(post("vouches/" + ended + "/withdraw", 2));
  to["POST /api/v2/vouches/create"] = {2, "", R"({"subject":"profileId:5","amount":5})"};
  to["POST /api/v2/vouches/{id}/increase"] = {2, v2 + "vouches/" + vouch + "/increase", R"({"amount":2})"};
  to["POST /api/v2/vouches/{id}/decrease"] = {2, v2 + "vouches/" + vouch + "/decrease", R"({"amount":2})"};
  to["POST /api/v2/vouches/{id}/withdraw"] = {2, v2 + "vouches/" + vouch + "/withdraw"};
  to["POST /api/v2/vouches/{id}/unhealthy"] = {2, v2 + "vouches/" + ended + "/unhealthy"};
  const auto on_vouch = R"({"type":"vouch","id":)" + vouch;
  const auto reply = made("replies/create", 3, on_vouch + R"(,"content":"so it was"})");
  ok(send("PUT", "votes", 4, on_vouch + R"(,"isUpvote":true})"));
  to["POST /api/v2/replies/create"] = {3, "", on_vouch + R"(,"content":"so it is"})"};
  to["PATCH /api/v2/replies/{idOrContractType}"] = {3, v2 + "replies/" + reply, R"({"content":"so it is"})"};
  to["PUT /api/v2/votes"] = {3, "", on_vouch + R"(,"isUpvote":true})"};
  to["DELETE /api/v2/votes"] = {4, v2 + "votes?type=vouch&activityId=" + vouch};
  const auto about =
    R"({"subject":"address:)" + std::string{stranger} + R"(","score":"positive","comment":"kept its word"})";
  review = made("reviews/create", 2, about);
  const auto archived = made("reviews/create", 3, about);
  ok(post("reviews/" + archived + "/archive", 3));
  to["POST /api/v2/reviews/create"] = {4, "", about};
  to["PATCH /api/v2/reviews/{id}"] = {2, v2 + "reviews/" + review, R"({"comment":"kept it late"})"};
  to["POST /api/v2/reviews/{id}/archive"] = {2, v2 + "reviews/" + review + "/archive"};
  to["POST /api/v2/reviews/{id}/restore"] = {3, v2 + "reviews/" + archived + "/restore"};
  to["POST /admin/api/v1/reviews/{reviewId}/archive"] = {1, admin + "reviews/" + review + "/archive"};
  to["POST /admin/api/v1/reviews/{reviewId}/restore"] = {1, admin + "reviews/" + archived + "/restore"};
  const auto slash = v2 + "slashes/" + made("slashes", 1, slashed(2, stranger));
  to["POST /api/v2/slashes"] = {1, "", slashed(3, "0x00000000000000000000000000000000000000AB")};
  to["POST /api/v2/slashes/{id}/votes"] = {3, slash + "/votes", R"({"vote":"slash"})"};
  to["POST /api/v2/slashes/{id}/cancel"] = {1, slash + "/cancel"};
}

void DryRuns::add_people(attempts& to) {
  const std::string v2 = "/api/v2/";
  const auth::wallet linked{"linked"}, to_link{"to be linked"}, newcomer{"somebody new"}, guest{"a guest"};
  const std::string verified = R"(,"verificationMethod":"VIDEO","comment":"met by video"})";
  ok(post("human-verification/verify", 1, R"({"profileId":8)" + verified));
  to["POST /api/v2/human-verification/verify"] = {1, "", R"({"profileId":9)" + verified};
  to["POST /api/v2/human-verification/revoke"] = {1, "", R"({"profileId":8,"comment":"was another"})"};
  ok(post("profiles/21/archive", 1));
  to["POST /api/v2/profiles/create"] = {1, "",
                                        R"({"address":")" + lower_text(newcomer.account()) + R"(","inviter":3})"};
  to["PATCH /api/v2/profiles/me"] = {3, "", R"({"displayName":"A Name"})"};
  to["POST /api/v2/profiles/{id}/archive"] = {1, v2 + "profiles/20/archive"};
  to["POST /api/v2/profiles/{id}/restore"] = {1, v2 + "profiles/21/restore"};
  const std::string person = "/admin/api/v1/people/";
  to["POST " + person + "{profileId}/archive"] = {1, person + "20/archive"};
  to["POST " + person + "{profileId}/restore"] = {1, person + "21/restore"};
  to["PUT " + person + "{profileId}/human-verification"] = {1, person + "9/human-verification",
                                                            R"({"verified":true,"comment":"met by video"})"};
  ok(post("addresses/link", 2, linking(linked)));
  to["POST /api/v2/addresses/link"] = {2, "", linking(to_link)};
  to["POST /api/v2/addresses/unlink"] = {2, "", address_of(linked)};
  sql("UPDATE profiles SET invites_available = 9 WHERE id = 2");
  const auto sent = made("invitations", 2, address_of(guest));
  invited = lower_text(guest.account());
  to["POST /api/v2/invitations"] = {2, "", address_of(newcomer)};
  to["POST /api/v2/invitations/cancel"] = {2, "", R"({"id":)" + sent + "}"};
  to["POST /api/v2/notifications/me/mark-as-read"] = {3, ""};
}

void DryRuns::add_projects_and_markets(attempts& to) {
  const std::string v2 = "/api/v2/", admin = "/admin/api/v1/";
  const auto category = made("categories/create", 1, R"({"name":"Games","slug":"games-for-all"})");
  to["POST /api/v2/categories/create"] = {1, "", R"({"name":"Other","slug":"others"})"};
  to["PATCH /api/v2/categories/{id}"] = {1, v2 + "categories/" + category, R"({"name":"Play"})"};
  const auto chain = made("chains/create", 1, R"({"name":"A Chain","url":"https://chain.example"})");
  to["POST /api/v2/chains/create"] = {1, "", R"({"name":"Another Chain","url":"https://chain.example"})"};
  to["PATCH /api/v2/chains/{id}"] = {1, v2 + "chains/" + chain, R"({"iconUrl":"https://c.example/i.png"})"};
  ok(post("projects/votes/reallocate", 1));
  ok(post("projects/2/archive", 1));
  const std::string project = R"({"userkey":"service:github:fresh","name":"Fresh"})";
  to["POST /api/v2/projects/votes/reallocate"] = {1, ""};
  to["POST /api/v2/projects/{projectId}/votes"] = {3, v2 + "projects/1/votes", R"({"voteType":"BULLISH"})"};
  to["POST /api/v2/projects/create"] = {1, "", project};
  to["PATCH /api/v2/projects/{projectId}"] = {1, v2 + "projects/1", R"({"description":"edited"})"};
  to["POST /api/v2/projects/{projectId}/archive"] = {1, v2 + "projects/1/archive"};
  to["POST /api/v2/projects/{projectId}/restore"] = {1, v2 + "projects/2/restore"};
  to["POST /admin/api/v1/projects"] = {1, "", project};
  to["POST /admin/api/v1/projects/{projectId}/archive"] = {1, admin + "projects/1/archive"};
  to["POST /admin/api/v1/projects/{projectId}/restore"] = {1, admin + "projects/2/restore"};
  const auto periods = ok(manage("GET", "/periods")).body;
  const auto open = std::to_string(json_number(periods, "/values/0/year")) + "/"
                    + std::to_string(json_number(periods, "/values/0/number"));
  const auto ring =
    sql("INSERT INTO rings (change, first_found, last_found, runs, members, seen, decades, sign_decades,"
        " sign_pairs, mutual, moments, first_at, last_at) VALUES ('new', now(), now(), 1, '{2,10}',"
        " '{2,10}', 9, '{9,0,0,0}', '{1,0,0,0}', '{0,0,0}', 3, now(), now()) RETURNING id");
  to["POST /admin/api/v1/integrity/rings/{ringId}/act"] = {
    1, admin + "integrity/rings/" + ring + "/act",
    R"({"acts":["revoke_keys","take_api_access","freeze_market"],"runs":1,"confirm":")" + ring + R"("})"};
  to["POST /admin/api/v1/periods/advance"] = {1, "", R"({"confirm":")" + open + R"("})"};
  for (const auto* owner : {"9", "10"})
    ok(post("markets/deposits", 1, R"({"profileId":)" + std::string{owner} + R"(,"amount":"1000000000000000000000"})"));
  ok(post("markets", 10, R"({"configType":"NORMAL"})"));
  to["POST /api/v2/markets"] = {9, "", R"({"configType":"NORMAL"})"};
  to["POST /api/v2/markets/{profileId}/trades"] = {9, v2 + "markets/10/trades",
                                                   R"({"action":"buy","voteType":"trust","votes":1})"};
  to["POST /api/v2/markets/deposits"] = {1, "", R"({"profileId":7,"amount":"1000"})"};
  to["POST /api/v2/markets/withdrawals"] = {1, "", R"({"profileId":9,"amount":"1000"})"};
  to["POST /api/v2/xp/tip"] = {3, "", R"({"receiverUserkey":"profileId:7","amount":1})"};
}

void DryRuns::add_pages(attempts& to) {
  page.emplace(let_in_at(server, 2));
  const std::string managed = "/api/v2/wallets/managed", activity = "/api/v2/wallets/activity/";
  to["POST " + managed + "/partners"] = {3, "", R"({"origin":")" + partner_origin + R"("})"};
  to["POST /admin/api/v1/people/{profileId}/end-access"] = {1, "/admin/api/v1/people/2/end-access",
                                                            R"({"confirm":"2"})"};
  to["DELETE " + managed + "/partners"] = {2, managed + "/partners?origin=" + partner_origin};
  const std::string says = R"(,"score":"positive","title":"Kept its word"})";
  const auto quoted = [](const std::string& text) { return '"' + text + '"'; };
  to["POST " + managed + "/post/review"] = {2, "", R"({"subject":"profileId:3")" + says};
  to["POST " + managed + "/post/review/by-address"] = {2, "", R"({"address":)" + quoted(stranger) + says};
  to["POST " + managed + "/post/review/by-x"] = {2, "", R"({"x":{"id":"44196397"})" + says};
  to["POST " + managed + "/edit/review"] = {2, "", R"({"reviewId":)" + review + R"(,"title":"Kept it late"})"};
  to["POST " + managed + "/invite/address"] = {2, "", R"({"invitee":)" + quoted(stranger) + "}"};
  to["POST " + managed + "/invite/cancel"] = {2, "", R"({"invitee":)" + quoted(invited) + "}"};
  to["POST " + activity + "review/{id}/archive"] = {2, activity + "review/" + review + "/archive"};
  to["POST " + activity + "{type}/{id}/vote"] = {2, activity + "review/" + review + "/vote", R"({"isUpvote":true})"};
  to["POST " + activity + "{type}/{id}/reply"] = {2, activity + "review/" + review + "/reply", R"({"content":"x"})"};
}

/// The routes of both listeners that may change something, but those of the example.
std::vector<const route*> all_writes() {
  std::vector<const route*> out;
  for (const auto routes : {http::routes(), http::admin::routes()})
    for (const auto& each : routes)
      if (!http::only_reads(each) && !each.path.starts_with("/api/v2/notes"))
        out.push_back(&each);
  return out;
}

TEST_F(DryRuns, OfEveryWriteThatOffersThemLeaveEverythingAsItWas) {
  const auto requests = all_attempts();
  for (const auto* to : all_writes()) {
    // Bonds of pages are made by a contract alone, and none is followed here.
    if (!to->dry_runs || to->path == "/api/v2/wallets/managed/bonds"
        || to->path == "/api/v2/wallets/activity/bond/{id}/archive")
      continue;
    const auto found = requests.find(name_of(*to));
    ASSERT_NE(found, requests.end()) << name_of(*to) << " needs a request in the table";
    const auto before = rows();
    const auto answer = send_to(*to, found->second, "dryRun=true", found->second.body);
    EXPECT_EQ(answer.status, 200) << found->first << " " << answer.body;
    EXPECT_EQ(rows(), before) << found->first << " " << answer.body;
  }
}

/// Whoever wants to try must not act because of how that was spelled.
TEST_F(DryRuns, InAnyOtherSpellingAreRefused) {
  const auto requests = all_attempts();
  const auto before = rows();
  for (const auto* to : all_writes()) {
    const auto found = requests.find(name_of(*to));
    const auto how = found == requests.end() ? attempt{3, "", "{}"} : found->second;
    std::vector<std::pair<std::string, std::string>> tries;
    for (const auto* query : {"dryRun", "dryRun=", "dryRun=1", "dryRun=TRUE", "dryrun=true", "dry_run=true",
                              "DryRun=false", "dry-run=true", "dryRun=false&dry_run=true"})
      tries.emplace_back(query, how.body);
    for (const std::string name : {R"("dryRun")", R"("dry_run")", R"("DRYRUN")", R"("\u0064r\u0079Run")"})
      tries.emplace_back("", "{" + name + ":true" + (how.body == "{}" ? "" : ",") + how.body.substr(1));
    if (!to->dry_runs)
      tries.emplace_back("dryRun=true", how.body);
    for (const auto& [query, body] : tries) {
      const auto answer = send_to(*to, how, query, body);
      EXPECT_EQ(code(answer), "400 BAD_REQUEST") << name_of(*to) << "?" << query << " " << body << " " << answer.body;
      EXPECT_TRUE(has(answer.body, "dryRun")) << name_of(*to) << " " << answer.body;
    }
  }
  EXPECT_EQ(rows(), before);
}

/// The same writes, to be carried out, with something wrong in each.
struct WrongWrites : DryRuns {
  /// The body with another type of value in each member in turn, and in all of them.
  static std::vector<std::string> bodies(const std::string& good) {
    simdjson::dom::parser parser;
    const simdjson::dom::object members = parser.parse(good).get_object().value();
    std::vector<std::string> out;
    for (std::size_t wrong = 0; wrong < members.size() + (members.size() > 1 ? 1 : 0); ++wrong) {
      std::string body;
      std::size_t place = 0;
      for (const auto [name, value] : members) {
        const bool here = place++ == wrong || wrong == members.size();
        const std::string other = value.is_object() ? "7" : R"({"of":"another type"})";
        body.append(body.empty() ? "{\"" : ",\"").append(name).append("\":");
        body.append(here ? other : simdjson::minify(value));
      }
      out.push_back(body + "}");
    }
    return out;
  }
  /// The target with something else in each place of its path, and in each parameter that is no text, in turn.
  static std::vector<std::string> targets(const route& to, const std::string& good) {
    std::vector<std::string> out;
    const auto put = [&](std::size_t at, std::size_t end) {
      out.push_back(good.substr(0, at) + "wrong" + good.substr(std::min(end, good.size())));
    };
    std::string_view path = to.path;
    for (std::size_t at = 0; !path.empty();) {
      const auto end = std::min(good.find_first_of("/?", at), good.size());
      const auto part = path.substr(0, path.find('/'));
      if (part.starts_with('{'))
        put(at, end);
      path.remove_prefix(std::min(part.size() + 1, path.size()));
      at = end + 1;
    }
    for (auto at = good.find('='); at != good.npos; at = good.find('=', at + 1))
      if (!good.substr(0, at).ends_with("origin"))
        put(at + 1, good.find('&', at));
    return out;
  }
};

/// What a reader makes of something wrong is a default, which nobody has asked for.
TEST_F(WrongWrites, AreRefusedAndDoNothing) {
  const auto requests = all_attempts();
  const auto before = rows();
  for (const auto* to : all_writes()) {
    const auto found = requests.find(name_of(*to));
    if (found == requests.end())
      continue;
    auto how = found->second;
    how.target = how.target.empty() ? target_of(*to) : how.target;
    const auto refused = [&](const attempt& wrong) {
      const auto answer = send_to(*to, wrong, "", wrong.body);
      EXPECT_EQ(answer.status, 400) << found->first << ": " << wrong.target << " " << wrong.body << answer.body;
    };
    for (const auto& body : bodies(how.body))
      refused({how.who, how.target, body});
    for (const auto& target : targets(*to, how.target)) {
      refused({how.who, target, how.body});
      for (const auto& body : bodies(how.body))
        refused({how.who, target, body});
    }
    ASSERT_EQ(rows(), before) << found->first;
  }
}

/// Who sends a key counts on it that the same request again has no second effect.
TEST_F(DryRuns, AndKeysOfRepeatsAreRefusedAtTheConsoleWhereTheyAreNotOffered) {
  const auto requests = all_attempts();
  const auto before = rows();
  for (const auto& to : http::admin::routes()) {
    if (http::only_reads(to) || to.replay)
      continue;
    const auto found = requests.find(name_of(to));
    const auto how = found == requests.end() ? attempt{1, "", "{}"} : found->second;
    const std::string verb{verbs[static_cast<std::size_t>(to.verb)]};
    const auto answer = console().send(verb, how.target.empty() ? target_of(to) : how.target,
                                       with_json(by_bearer(admin_token()), "once"), how.body);
    EXPECT_EQ(code(answer), "400 BAD_REQUEST") << name_of(to) << " " << answer.body;
    EXPECT_TRUE(has(answer.body, "Idempotency-Key is not offered here")) << name_of(to) << " " << answer.body;
  }
  EXPECT_EQ(rows(), before);
}

TEST_F(DryRuns, AreNotMeantByTheTextsOfABody) {
  const auto made =
    post("reviews/create", 2, R"({"subject":"profileId:3","score":"positive","comment":"\"dryRun\":"})");
  EXPECT_GT(json_number(made.body, "/id"), 0) << made.body;
}

TEST_F(DryRuns, AreDecidedLikeWhatIsMeant) {
  const std::string vote = R"({"voteType":"BULLISH"})", tip = R"({"receiverUserkey":"profileId:7","amount":1})";
  ASSERT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  const auto post = [&](const std::string& target, const std::string& text, int who = 3) {
    return api_tests::post(target, who, text);
  };
  EXPECT_EQ(post("projects/1/votes?dryRun=true", vote).body, R"({"ok":true})");
  EXPECT_EQ(post("projects/1/votes?dryRun=true", vote).body, R"({"ok":true})") << "it was not cast";
  EXPECT_EQ(post("projects/1/votes", vote).status, 200);
  EXPECT_EQ(json_text(post("projects/1/votes?dryRun=true", vote).body, "/code"), "ALREADY_VOTED");
  EXPECT_EQ(json_text(post("projects/999/votes?dryRun=true", vote).body, "/code"), "PROJECT_NOT_FOUND");
  EXPECT_EQ(post("projects/1/votes?dryRun=perhaps", vote).status, 400);
  EXPECT_EQ(
    json_text(post("xp/tip?dryRun=true", R"({"receiverUserkey":"profileId:7","amount":1000000000})").body, "/code"),
    "INSUFFICIENT_XP");
  EXPECT_EQ(json_text(post("xp/tip?dryRun=true", R"({"receiverUserkey":"profileId:3","amount":1})").body, "/code"),
            "CANNOT_TIP_SELF");
  EXPECT_EQ(post("xp/tip?dryRun=true", tip).body, R"({"ok":true})");
  const std::string review = R"({"subject":"profileId:3","score":"positive","comment":"x"})";
  EXPECT_EQ(code(post("reviews/create?dryRun=true", review)), "400 CANNOT_REVIEW_SELF");
  EXPECT_EQ(json_number(post("reviews/create?dryRun=true", review, 4).body, "/id"), 0);
  EXPECT_EQ(
    json_text(
      post("markets/withdrawals?dryRun=true", R"({"profileId":7,"amount":"1000000000000000000000000"})", 1).body,
      "/code"),
    "INSUFFICIENT_FUNDS");
  EXPECT_EQ(json_text(post("markets?dryRun=true", R"({"configType":"NORMAL"})", 9).body, "/code"),
            "INSUFFICIENT_FUNDS");
  ASSERT_EQ(post("markets/deposits", R"({"profileId":9,"amount":"1000000000000000000000"})", 1).status, 200);
  EXPECT_EQ(post("markets?dryRun=true", R"({"configType":"NORMAL"})", 9).body, R"({"ok":true})");
  EXPECT_EQ(sql("SELECT count(*) FROM markets WHERE profile_id = 9"), "0");
  EXPECT_EQ(post("markets?dryRun=false", R"({"configType":"NORMAL"})", 9).status, 200) << "the money was let go";
}

} // namespace
} // namespace credence::test
