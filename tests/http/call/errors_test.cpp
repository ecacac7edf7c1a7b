#include "http/call/errors.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

std::string written(error_shape shape, std::string_view message, std::vector<std::string> issues = {}) {
  std::string out;
  write_error(out, shape, "BAD_REQUEST", message, issues);
  return out;
}

TEST(Errors, TakeTheShapeOfThePathsVersion) {
  for (const auto* v1 : {"/api/v1", "/api/v1/", "/api/v1/a/b"})
    EXPECT_EQ(shape_for(v1), error_shape::v1) << v1;
  for (const auto* v2 : {"", "/", "/api/v2/a", "/api/v10", "/api/v1x", "/x/api/v1"})
    EXPECT_EQ(shape_for(v2), error_shape::v2) << v2;
}

TEST(Errors, AreWrittenInBothShapes) {
  EXPECT_EQ(written(error_shape::v2, "no"), R"({"message":"no","code":"BAD_REQUEST"})");
  EXPECT_EQ(written(error_shape::v2, "no", {"a", "b"}),
            R"({"message":"no","code":"BAD_REQUEST","issues":[{"message":"a"},{"message":"b"}]})");
  EXPECT_EQ(
    written(error_shape::v1, "no",
            {"limit must be less", "each item of profileIds must be more", "source.type is required", "a mess"}),
    R"({"ok":false,"error":{"code":"VALIDATION_ERROR","message":"no","fields":[)"
    R"({"code":"custom","message":"limit must be less","path":["limit"]},)"
    R"({"code":"custom","message":"each item of profileIds must be more","path":["profileIds"]},)"
    R"({"code":"custom","message":"source.type is required","path":["source","type"]},)"
    R"({"code":"custom","message":"a mess","path":[]}]}})");
  EXPECT_EQ(written(error_shape::v1, "author: a userkey must be more"),
            R"({"ok":false,"error":{"code":"VALIDATION_ERROR","message":"author: a userkey must be more","fields":[)"
            R"({"code":"custom","message":"author: a userkey must be more","path":["author"]}]}})");
}

TEST(Errors, HaveTheCodesOfTheirVersion) {
  const auto in_v1 = [](std::string_view code) {
    std::string out;
    write_error(out, error_shape::v1, code, "no");
    return out;
  };
  EXPECT_EQ(fault_code(error_shape::v1), "PROCESSING_ERROR");
  EXPECT_EQ(fault_code(error_shape::v2), "INTERNAL_SERVER_ERROR");
  for (const std::string same : {"UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "RATE_LIMITED", "SERVICE_UNAVAILABLE"})
    EXPECT_EQ(in_v1(same), R"({"ok":false,"error":{"code":")" + same + R"(","message":"no"}})");
}

TEST(Errors, EscapeWhatClientsSent) {
  EXPECT_EQ(written(error_shape::v2, "a\"b\\c\n\x01é"),
            "{\"message\":\"a\\\"b\\\\c\\u000a\\u0001é\",\"code\":\"BAD_REQUEST\"}");
}

TEST(Errors, HaveTheStatusOfTheSpec) {
  EXPECT_EQ(kind_of(refusal_code::already_voted).status, 400u);
  EXPECT_EQ(kind_of(refusal_code::already_voted).code, "ALREADY_VOTED");
  EXPECT_EQ(kind_of(refusal_code::unauthenticated).status, 401u);
  EXPECT_EQ(kind_of(refusal_code::forbidden).code, "FORBIDDEN");
  EXPECT_EQ(kind_of(refusal_code::project_not_found).status, 404u);
  EXPECT_EQ(kind_of(failure::too_many).status, 429u);
  EXPECT_EQ(kind_of(failure::too_many).code, "RATE_LIMITED");
  for (const auto why : {failure::unavailable, failure::timed_out, failure::overloaded, failure::stranded}) {
    EXPECT_EQ(kind_of(why).status, 503u);
    EXPECT_EQ(kind_of(why).code, "SERVICE_UNAVAILABLE");
    for (const bool only_read : {false, true})
      EXPECT_FALSE(message_of(why, only_read).empty());
  }
  for (const auto why : {failure::timed_out, failure::stranded}) {
    EXPECT_NE(message_of(why, false).find("the outcome is unknown"), std::string_view::npos)
      << "whether it was written";
    EXPECT_EQ(message_of(why, true).find("outcome"), std::string_view::npos) << "a read has none";
  }
}

TEST(Errors, HaveAReasonPhraseForEveryStatusInUse) {
  for (const unsigned status :
       {200, 204, 400, 401, 403, 404, 405, 406, 408, 409, 413, 414, 415, 417, 422, 429, 431, 500, 501, 503, 505})
    EXPECT_NE(reason_phrase(status), "Unknown") << status;
}

} // namespace
} // namespace credence::http
