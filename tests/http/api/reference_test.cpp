#include "http/api/reference/document.hpp"
#include "http/callers/rate_limiter.hpp"
#include "http/routes.hpp"
#include "http/server/packer.hpp"
#include "tests/build_paths.hpp"
#include "tests/text_of_file.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <utility>

namespace credence::http {
namespace {

using simdjson::dom::element;

constexpr std::array<std::string_view, 5> verbs{"get", "post", "put", "patch", "delete"};

/// The document, parsed once.
const element& document() {
  static simdjson::dom::parser parser;
  static const element root = parser.parse(std::string{openapi_document()});
  return root;
}

/// Nothing where the document has no such member.
std::string text_at(const element& of, std::string_view name) {
  std::string_view out;
  return of[name].get(out) == simdjson::SUCCESS ? std::string{out} : std::string{};
}

/// The schemes that the document names, and whether it names none beside them.
std::pair<std::set<std::string>, bool> security_of(const element& operation) {
  std::set<std::string> schemes;
  bool without = false;
  simdjson::dom::array all;
  if (operation["security"].get(all) != simdjson::SUCCESS)
    return {{"(left out)"}, false};
  without = all.size() == 0;
  for (const element& each : all) {
    simdjson::dom::object one = each;
    without = without || one.size() == 0;
    for (const auto& field : one)
      schemes.emplace(field.key);
  }
  return {schemes, without};
}

std::string rate_of(const route& route) {
  switch (bucket_of(route)) {
    case bucket::read: return "read";
    case bucket::write: return "write";
    case bucket::wallet: return "wallet";
    case bucket::admin: return "admin";
    default: return {};
  }
}

bool in_example(const route& route) { return route.path.starts_with("/api/v2/notes"); }

/// Access, scope, parameters and repeats of both are made of one `x-route` (ops/reference.py). Compared is what the
/// code adds to it, and what a description may say by itself.
TEST(ReferenceDocument, SaysOfEveryRouteWhatTheTableSays) {
  for (const auto& route : routes()) {
    if (in_example(route))
      continue;
    const auto verb = verbs[static_cast<std::size_t>(route.verb)];
    const auto name = std::string{verb} + " " + std::string{route.path};
    element operation;
    ASSERT_EQ(document()["paths"][route.path][verb].get(operation), simdjson::SUCCESS) << name << " is not described";
    EXPECT_EQ(text_at(operation, "x-rate-class"), rate_of(route)) << name;
    const auto [schemes, without] = security_of(operation);
    const bool for_all = route.who == access::open;
    EXPECT_TRUE(for_all || !without) << name << " needs a credential, and the document lets everybody";
    EXPECT_TRUE(!for_all || !only_reads(route) || without) << name << " needs no credential";
    EXPECT_FALSE(route.who == access::owner && schemes.contains("apiKey")) << name << " refuses API keys";
    EXPECT_TRUE(route.who != access::admin || schemes == std::set<std::string>{"accessToken"})
      << name << " takes access tokens alone";
  }
}

TEST(ReferenceDocument, IsShortEnoughToBePacked) { EXPECT_LE(openapi_document().size(), packer::bytes_max); }

/// Each call that goes away says so, and in words what to call instead.
TEST(ReferenceDocument, SaysWhatSucceedsWhatGoesAway) {
  for (const auto& route : routes()) {
    if (in_example(route))
      continue;
    const element operation = document()["paths"][route.path][verbs[static_cast<std::size_t>(route.verb)]];
    bool deprecated = false;
    EXPECT_EQ(operation["deprecated"].get(deprecated) == simdjson::SUCCESS && deprecated, !route.deprecated.empty())
      << route.path;
    if (deprecated)
      EXPECT_NE(text_at(operation, "description").find("Use `" + std::string{route.successor} + "` instead."),
                std::string::npos)
        << route.path;
  }
}

/// What the front answers by itself (http/server/built_in.cpp): it is in the reference, and no route.
const std::set<std::string> built_in{"GET /livez", "GET /readyz", "GET /metrics"};

std::string name_of(const route& route) {
  static constexpr std::array<std::string_view, 5> methods{"GET", "POST", "PUT", "PATCH", "DELETE"};
  return std::string{methods[static_cast<std::size_t>(route.verb)]} + " " + std::string{route.path};
}

/// What the rows of the reference name in their first column, such as `GET /api/v2/markets`, each with its page.
std::multimap<std::string, std::string> rows_of_reference() {
  static const std::regex row{R"re(\n\| `([A-Z]+ /[^`? ]*)[^`]*` \|)re"};
  std::multimap<std::string, std::string> out;
  for (const auto* folder : {"docs/api", "tests/example"})
    for (const auto& page : std::filesystem::directory_iterator{std::filesystem::path{test::built::source} / folder}) {
      const auto text = page.path().extension() == ".md" ? credence::test::text_of_file(page.path()) : std::string{};
      for (std::sregex_iterator at{text.begin(), text.end(), row}, end; at != end; ++at)
        out.emplace((*at)[1], page.path().filename());
    }
  return out;
}

TEST(Routes, HaveARowEachInTheReference) {
  const auto rows = rows_of_reference();
  std::set<std::string> known = built_in;
  for (const auto& route : routes()) {
    const auto name = name_of(route);
    known.insert(name);
    EXPECT_EQ(rows.count(name), 1u) << "docs/api has " << rows.count(name) << " rows for " << name << "; it needs one";
  }
  for (const auto& name : built_in)
    EXPECT_TRUE(rows.contains(name)) << "docs/api has no row for " << name << ", which the front answers by itself";
  for (const auto& [name, page] : rows)
    EXPECT_TRUE(known.contains(name)) << "docs/api/" << page << " has a row for " << name << ", which is no route";
}

TEST(DailyBounds, AreInTheReferenceAsTheyAreDeclared) {
  static const std::regex row{R"re(\n\| `(\w+)` \| ([^|]+) \| ([0-9,]+) \|)re"};
  const auto page = credence::test::text_of_file(std::filesystem::path{test::built::source} / "docs/api/README.md");
  std::map<std::string, std::string> told;
  for (std::sregex_iterator at{page.begin(), page.end(), row}, end; at != end; ++at) {
    auto most = (*at)[3].str();
    std::erase(most, ',');
    told[(*at)[1]] = (*at)[2].str() + ": " + most;
  }
  std::map<std::string, std::string> declared;
  for (const auto& each : daily_bounds)
    declared[std::string{each.name}] = std::string{each.what} + ": " + std::to_string(each.most);
  EXPECT_EQ(told, declared)
    << "the table of docs/api/README.md, under \"Acts of a day\", and actors/domain/daily_act.hpp";
}

} // namespace
} // namespace credence::http
