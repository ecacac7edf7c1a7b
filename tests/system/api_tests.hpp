#pragma once

#include "tests/system/identity.hpp"

namespace credence::test {

/// What tests of the API begin with: a service, and requests of profiles of the demo. Targets are those behind
/// `/api/v2/`.
struct api_tests : testing::Test {
  /// With a service of its own.
  api_tests() : own_(std::make_unique<service>()), server(*own_) {}
  /// With one that others use as well.
  explicit api_tests(service& shared) : server(shared) {}

  http_response send(const std::string& method, const std::string& target, int who, const std::string& body = "{}",
                     const std::string& key = {}) const {
    return server.client().send(method, "/api/v2/" + target, with_json(by_bearer(server.token(who)), key), body);
  }
  http_response post(const std::string& target, int who, const std::string& body = "{}",
                     const std::string& key = {}) const {
    return send("POST", target, who, body, key);
  }
  http_response get(const std::string& target, const std::string& version = "v2") const {
    return server.client().get("/api/" + version + "/" + target);
  }
  /// A POST of nobody in particular.
  http_response ask(const std::string& target, const std::string& body, const std::string& version = "v2") const {
    return server.client().send("POST", "/api/" + version + "/" + target, with_json({}), body);
  }
  http_response review(int author, const std::string& subject, const std::string& score = "positive",
                       const std::string& key = {}) const {
    return post("reviews/create", author,
                R"({"subject":")" + subject + R"(","score":")" + score + R"(","comment":"kept its word"})", key);
  }
  /// How many positive reviews somebody has received.
  std::int64_t received(const std::string& userkey, const std::string& score = "positive") const {
    return json_number(get("internal/users/" + userkey).body, "/user/stats/review/received/" + score);
  }

  http_client console() const { return http_client{server.admin_port()}; }
  /// At the console; as an admin, unless a token says otherwise.
  http_response manage(const std::string& method, const std::string& path, const std::string& body = {},
                       const std::string& token = {}) const {
    const auto by = by_bearer(token.empty() ? admin_token() : token);
    return console().send(method, "/admin/api/v1" + path, body.empty() ? by : with_json(by), body);
  }
  /// The same, read by profile 5.
  http_response look(const std::string& path) const { return manage("GET", path, {}, server.token(5)); }
  const std::string& admin_token() const {
    if (admin_token_.empty()) {
      const auto made = server.command({"token", "1", "--admin"}).out;
      admin_token_ = made.substr(0, made.find('\n'));
    }
    return admin_token_;
  }

  std::string sql(const std::string& text) const { return server.database().sql(text); }
  /// A column of the newest row of the audit that tells of `act`.
  std::string newest(const std::string& act, const std::string& column) const {
    return sql("SELECT coalesce(" + column + "::text, 'null') FROM audit_log WHERE act = '" + act
               + "' ORDER BY number DESC LIMIT 1");
  }
  void expect_audited(const std::string& act, const std::vector<std::pair<std::string, std::string>>& told) const {
    for (const auto& [column, value] : told)
      EXPECT_EQ(newest(act, column), value) << column;
  }
  void expect_sound(bool compared = false) const { EXPECT_TRUE(sound(server, compared)); }

private:
  std::unique_ptr<service> own_;
  mutable std::string admin_token_;

protected:
  service& server;
};

} // namespace credence::test
