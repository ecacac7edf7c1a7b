#include "http/server/request.hpp"

#include <gtest/gtest.h>

#include <set>

namespace credence::http {
namespace {

/// Feeds bytes in pieces until the request ends or is refused; returns what is left.
std::string feed(request_reader& reader, std::string bytes, std::size_t piece) {
  std::string pending;
  std::size_t given = 0;
  while (!reader.done() && !reader.error()) {
    const auto used = reader.put(pending);
    pending.erase(0, used);
    if (used > 0)
      continue;
    if (given == bytes.size())
      break;
    pending += bytes.substr(given, piece);
    given = std::min(bytes.size(), given + piece);
  }
  return pending + bytes.substr(given);
}

const std::string post = "POST /a?b=c HTTP/1.1\r\nHost: h\r\nAccept: text/html\r\nAccept: */*;q=0.1\r\n"
                         "x-request-id: 17\r\nContent-Type: application/json\r\n";

TEST(RequestReader, ReadsARequestHoweverItIsCut) {
  for (std::size_t piece = 1; piece < 200; ++piece) {
    for (const bool chunked : {false, true}) {
      request_reader reader{1024, 1024};
      reader.begin();
      const auto whole =
        post
        + (chunked ? "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n"
                   : "Content-Length: 5\r\n\r\nabcde");
      EXPECT_EQ(feed(reader, whole + "GET", piece).substr(0, 3), "GET") << piece;
      ASSERT_TRUE(reader.done()) << piece;
      EXPECT_EQ(reader.body(), "abcde");
      EXPECT_EQ(reader.head().target, "/a?b=c");
      EXPECT_EQ(reader.head().accept, "text/html,*/*;q=0.1");
      EXPECT_EQ(reader.head().request_id, "17");
      EXPECT_EQ(reader.head().content_type, "application/json");
      EXPECT_EQ(reader.head().verb, method::post);
      EXPECT_TRUE(reader.head().keep_alive);
    }
  }
}

TEST(RequestReader, ReadsAnEmptyChunkedBodyHoweverItIsCut) {
  for (std::size_t piece = 1; piece < 20; ++piece)
    for (const auto* body : {"0\r\n\r\n", "00\r\n\r\n", "0;a=b\r\n\r\n", "0\r\nTrailer: t\r\n\r\n"}) {
      request_reader reader{1024, 1024};
      reader.begin();
      feed(reader, post + "Transfer-Encoding: chunked\r\n\r\n" + body, piece);
      EXPECT_TRUE(reader.done()) << body << " " << piece;
      EXPECT_EQ(reader.body(), "");
    }
}

TEST(RequestReader, ReadsAnyChunksWithoutHarm) {
  const std::string words[]{
    "0", "1", "5", "a", "\r\n", "\r\n", "\r", "\n", ";", "=", "\"", " ", "X: y", std::string(1, '\0'), "\r\n\r\n"};
  std::uint64_t dice = 42;
  const auto roll = [&](std::uint64_t sides) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((dice >> 33) % sides);
  };
  for (int round = 0; round < 20'000; ++round) {
    std::string body;
    for (auto i = roll(12); i > 0; --i)
      body += words[roll(std::size(words))];
    request_reader reader{1024, 1024};
    reader.begin();
    feed(reader, post + "Transfer-Encoding: chunked\r\n\r\n" + body + "\r\n0\r\n\r\n", 1 + roll(7));
  }
}

TEST(RequestReader, StopsBehindAHeaderItRefusesBeforeAnyBody) {
  request_reader reader{1024, 1024};
  reader.begin();
  const auto left = feed(reader, post + "Transfer-Encoding: gzip\r\n\r\nGET / HTTP/1.1\r\n", 1000);
  ASSERT_TRUE(reader.error());
  EXPECT_EQ(reader.error()->status, 400u);
  EXPECT_EQ(left, "GET / HTTP/1.1\r\n");
}

TEST(RequestReader, DoesNotTakeTrailersForHeaders) {
  request_reader reader{1024, 1024};
  reader.begin();
  feed(reader, post + "Transfer-Encoding: chunked\r\n\r\n0\r\nAuthorization: Bearer x\r\n\r\n", 1000);
  ASSERT_TRUE(reader.done());
  EXPECT_EQ(reader.head().authorization_count, 0u);
}

TEST(RequestReader, StartsAfreshForTheNextRequest) {
  request_reader reader{1024, 1024};
  reader.begin();
  feed(reader, post + "Content-Length: 1\r\n\r\nx", 1000);
  reader.begin();
  feed(reader, "HEAD / HTTP/1.0\r\n\r\n", 1000);
  ASSERT_TRUE(reader.done());
  EXPECT_TRUE(reader.head().head_only);
  EXPECT_EQ(reader.head().verb, method::get);
  EXPECT_TRUE(reader.head().accept.empty());
  EXPECT_TRUE(reader.body().empty());
  EXPECT_FALSE(reader.head().keep_alive);
}

TEST(RequestReader, GathersWhatSaysWhoCalls) {
  const auto head_of = [](request_reader& reader, std::string fields) -> const request_head& {
    reader.begin();
    feed(reader, "GET / HTTP/1.1\r\nHost: h\r\n" + std::move(fields) + "\r\n", 1000);
    EXPECT_TRUE(reader.done());
    return reader.head();
  };
  request_reader reader{4096, 1024};
  const auto& all =
    head_of(reader, "Origin: https://a.example\r\nCookie: a=1\r\nx-service-api-key: k1\r\nX-SERVICE-CLIENT: bot@1\r\n"
                    "Idempotency-Key: i1\r\nX-Forwarded-For: 1.1.1.1\r\ncookie: b=2\r\nX-Forwarded-For: 2.2.2.2\r\n");
  EXPECT_EQ(all.origin, "https://a.example");
  EXPECT_EQ(all.cookie, "a=1; b=2");
  EXPECT_EQ(all.api_key, "k1");
  EXPECT_EQ(all.api_key_count, 1u);
  EXPECT_EQ(all.service_client, "bot@1");
  EXPECT_EQ(all.idempotency_key, "i1");
  EXPECT_EQ(all.idempotency_key_count, 1u);
  EXPECT_EQ(all.forwarded_for, "1.1.1.1,2.2.2.2");
  const auto& twice =
    head_of(reader, "Origin: a\r\nOrigin: a\r\nX-Service-Api-Key: k1\r\nX-Service-Api-Key: k1\r\n"
                    "Idempotency-Key: i\r\nIdempotency-Key:\r\nX-Service-Client: a\r\nX-Service-Client: a\r\n");
  EXPECT_EQ(twice.origin, "");
  EXPECT_EQ(twice.origin_count, 2u);
  EXPECT_EQ(twice.api_key_count, 2u);
  EXPECT_EQ(twice.idempotency_key_count, 2u);
  EXPECT_EQ(twice.service_client, "");
  EXPECT_EQ(twice.cookie, "");
  for (const std::string& bad : {std::string{}, std::string{"two words"}, std::string(101, 'x'), std::string{"t\tb"},
                                 std::string{"caf\xC3\xA9"}})
    EXPECT_EQ(head_of(reader, "X-Service-Client: " + bad + "\r\n").service_client, "") << bad;
  EXPECT_EQ(head_of(reader, "X-Service-Client: " + std::string(100, '~') + "\r\n").service_client.size(), 100u);
}

TEST(RequestReader, BoundsHeaderAndBody) {
  request_reader reader{256, 16};
  reader.begin();
  feed(reader, "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(300, 'x'), 1000);
  ASSERT_TRUE(reader.error());
  EXPECT_EQ(reader.error()->status, 431u);
  std::string fields;
  for (int i = 0; i < 40; ++i)
    fields += "X: y\r\n";
  for (const std::size_t piece : {1u, 10u, 100u, 1000u}) {
    reader.begin();
    feed(reader, "GET / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n", piece);
    ASSERT_TRUE(reader.error()) << "small fields that are together too large, " << piece;
    EXPECT_EQ(reader.error()->status, 431u);
  }
  reader.begin();
  feed(reader, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n11\r\n" + std::string(17, 'x') + "\r\n",
       1000);
  ASSERT_TRUE(reader.error());
  EXPECT_EQ(reader.error()->status, 413u);
}

TEST(RequestId, TakesWhatIsSafeInHeadersAndLogs) {
  for (const std::string good : {"a", "A-Z_0.9", "00000000-0000-4000-8000-000000000000"})
    EXPECT_TRUE(good_request_id(good)) << good;
  EXPECT_TRUE(good_request_id(std::string(128, 'x')));
  EXPECT_FALSE(good_request_id(std::string(129, 'x')));
  for (const auto* bad : {"", " ", "a b", "a\r\nb", "a\"b", "a/b", "ä", "a,b"})
    EXPECT_FALSE(good_request_id(bad)) << bad;
}

TEST(RequestId, MakesIdsThatAreGoodAndNeverTheSame) {
  request_ids one, other;
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i)
    for (auto* each : {&one, &other}) {
      std::string id;
      each->append(id);
      EXPECT_TRUE(good_request_id(id)) << id;
      EXPECT_TRUE(seen.insert(id).second) << id;
    }
}

using namespace std::chrono_literals;

constexpr steady_time start{1h};

TEST(BodyPace, SmallBodiesMayTakeTheTimeOfTheRequest) {
  body_pace pace;
  pace.begin();
  pace.came(1, start);
  EXPECT_FALSE(pace.too_slow(start + 25s)) << "a slow phone sends a vote";
  pace.came(1000, start + 25s);
  EXPECT_FALSE(pace.too_slow(start + 29s));
}

TEST(BodyPace, LargeOnesHaveToComeAtTheLeastRateAfterAGrace) {
  body_pace pace;
  pace.begin();
  pace.came(1000, start);
  pace.came(24, start + 10s);
  EXPECT_FALSE(pace.too_slow(start + 15s)) << "the grace begins with the first second's worth of bytes";
  EXPECT_FALSE(pace.too_slow(start + 15900ms));
  EXPECT_TRUE(pace.too_slow(start + 16s)) << "1024 more were due";
  pace.came(1024, start + 16s);
  EXPECT_FALSE(pace.too_slow(start + 16s));
  EXPECT_TRUE(pace.too_slow(start + 17s));
  pace.begin();
  EXPECT_FALSE(pace.too_slow(start + 17s)) << "the next body";
}

} // namespace
} // namespace credence::http
