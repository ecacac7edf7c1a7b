#include "http/admin/routes.hpp"

#include "http/routes.hpp"
#include "http/server/route_table.hpp"
#include "tests/build_paths.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

// The table of the admin listener, and its description.

namespace credence::http::admin {
namespace {

using named = std::map<std::string, const route*>; // `get /admin/…`

std::string verb_in(method verb) {
  std::string out{http::name_of(verb)};
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

named table() {
  named out;
  for (const auto& each : routes())
    out[verb_in(each.verb) + " " + std::string{each.path}] = &each;
  return out;
}

struct described {
  std::string role, topic;
  bool takes_csrf = false;
};

std::map<std::string, described> document() {
  static simdjson::dom::parser parser;
  const auto root = parser.load(std::string{credence::test::built::source} + "/http/admin/openapi.json");
  std::map<std::string, described> out;
  const simdjson::dom::object paths = root["paths"].get_object().value(); // a loop would not keep it
  for (const auto [path, of_path] : paths) {
    const simdjson::dom::object verbs = of_path.get_object().value();
    for (const auto [verb, operation] : verbs) {
      described each;
      std::string_view role, topic;
      if (!operation["x-role"].get(role))
        each.role = role;
      if (!operation["x-topic"].get(topic))
        each.topic = topic;
      simdjson::dom::array parameters;
      if (!operation["parameters"].get(parameters))
        for (const auto parameter : parameters) {
          std::string_view reference;
          each.takes_csrf = each.takes_csrf || (!parameter["$ref"].get(reference) && reference.ends_with("/CsrfToken"));
        }
      out[std::string{verb} + " " + std::string{path}] = each;
    }
  }
  return out;
}

TEST(AdminRoutes, AreThoseThatTheReferenceDescribes) {
  const auto said = document();
  const auto there = table();
  for (const auto& [name, route] : there)
    EXPECT_TRUE(said.contains(name)) << name << " is not described";
  for (const auto& [name, operation] : said)
    EXPECT_TRUE(there.contains(name)) << name << " is described, and is no route";
}

TEST(AdminRoutes, NeedTheRoleThatTheReferenceSays) {
  const auto said = document();
  for (const auto& [name, route] : table()) {
    const auto found = said.find(name);
    if (found == said.end())
      continue;
    EXPECT_EQ(route->least == role::none ? "open" : admin::name_of(route->least), found->second.role) << name;
    EXPECT_EQ(route->topic, found->second.topic) << name;
    EXPECT_EQ(route->verb != method::get && route->least != role::none, found->second.takes_csrf) << name;
  }
}

TEST(AdminRoutes, AreNoneOfThePublicListener) {
  for (const auto& each : http::routes())
    EXPECT_FALSE(each.path.starts_with("/admin")) << each.path;
  for (const auto& each : routes())
    EXPECT_TRUE(each.path.starts_with("/admin/api/v1/")) << each.path;
}

TEST(AdminRoutes, LetNobodyWriteWhoOnlyLooks) {
  const std::set<std::string_view> of_the_caller{"/admin/api/v1/session"};
  for (const auto& each : routes())
    if (each.verb != method::get && each.least != role::none && !of_the_caller.contains(each.path)) {
      EXPECT_GE(each.least, role::operator_) << each.path;
    }
}

} // namespace
} // namespace credence::http::admin
