#include "http/api/reference/document.hpp"
#include "http/callers/rate_limiter.hpp"
#include "http/routes.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
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

bool has_parameter(const element& operation, std::string_view reference) {
  simdjson::dom::array all;
  if (operation["parameters"].get(all) != simdjson::SUCCESS)
    return false;
  return std::any_of(all.begin(), all.end(), [&](const element& each) {
    return text_at(each, "$ref") == "#/components/parameters/" + std::string{reference};
  });
}

/// What a write acts by, as the document says: its parameters of the query, but `dryRun`.
std::set<std::string> query_of(const element& operation) {
  std::set<std::string> out;
  simdjson::dom::array all;
  if (operation["parameters"].get(all) != simdjson::SUCCESS)
    return out;
  for (const element& each : all)
    if (text_at(each, "in") == "query")
      out.insert(text_at(each, "name"));
    else if (const auto shared = text_at(each, "$ref"); !shared.empty()) {
      const auto name = shared.substr(shared.rfind('/') + 1);
      element found;
      if (document()["components"]["parameters"][name].get(found) == simdjson::SUCCESS
          && text_at(found, "in") == "query" && name != "DryRun")
        out.insert(text_at(found, "name"));
    }
  return out;
}

std::set<std::string> declared_query_of(const route& route) {
  std::set<std::string> out;
  for (auto rest = route.by_query; !rest.empty();) {
    const auto end = std::min(rest.find(','), rest.size());
    out.emplace(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
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

std::string access_of(const route& route) {
  if (route.partners == partner_use::act && route.who != access::open)
    return "partner";
  switch (route.who) {
    case access::open: return "open";
    case access::bearer: return "caller";
    case access::owner: return "owner";
    case access::admin: return "admin";
  }
  return {};
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

void expect_alike(const route& route, const element& operation, const std::string& name) {
  EXPECT_EQ(text_at(operation, "x-access"), access_of(route)) << name;
  EXPECT_EQ(text_at(operation, "x-scope"),
            std::string{route.may == scope::none ? "none" : scope_names[static_cast<std::size_t>(route.may)]})
    << name;
  EXPECT_EQ(text_at(operation, "x-rate-class"), rate_of(route)) << name;
  EXPECT_EQ(has_parameter(operation, "DryRun"), route.dry_runs) << name << ": dryRun";
  EXPECT_TRUE(only_reads(route) || query_of(operation) == declared_query_of(route))
    << name << ": a write gets what it declares, and nothing else";
  EXPECT_TRUE(!only_reads(route) || (route.by_query.empty() && !route.dry_runs)) << name << " only reads";
  const bool repeats =
    route.replay != nullptr || (!only_reads(route) && route.idempotency_by == idempotency_keeper::by_handler);
  EXPECT_EQ(has_parameter(operation, "IdempotencyKey"), repeats) << name << ": Idempotency-Key";
  const auto [schemes, without] = security_of(operation);
  const bool for_all = route.who == access::open;
  EXPECT_TRUE(for_all || !without) << name << " needs a credential, and the document lets everybody";
  EXPECT_TRUE(!for_all || !only_reads(route) || without) << name << " needs no credential";
  EXPECT_FALSE(route.who == access::owner && schemes.contains("apiKey")) << name << " refuses API keys";
  const std::set<std::string> of_admins{"accessToken"};
  EXPECT_TRUE(route.who != access::admin || schemes == of_admins) << name << " takes access tokens alone";
  bool deprecated = false;
  if (operation["deprecated"].get(deprecated) != simdjson::SUCCESS)
    deprecated = false;
  EXPECT_EQ(deprecated, route.path.starts_with("/api/v1/") || !route.deprecated.empty()) << name << ": deprecated";
}

TEST(ReferenceDocument, SaysOfEveryRouteWhatTheTableSays) {
  for (const auto& route : routes()) {
    if (in_example(route))
      continue;
    const auto verb = verbs[static_cast<std::size_t>(route.verb)];
    const auto name = std::string{verb} + " " + std::string{route.path};
    element operation;
    ASSERT_EQ(document()["paths"][route.path][verb].get(operation), simdjson::SUCCESS) << name << " is not described";
    expect_alike(route, operation, name);
  }
}

TEST(ReferenceDocument, NamesNothingThatIsNoRoute) {
  std::set<std::string> known{"get /livez", "get /readyz"}; // http/server/built_in.cpp
  for (const auto& route : routes())
    known.insert(std::string{verbs[static_cast<std::size_t>(route.verb)]} + " " + std::string{route.path});
  simdjson::dom::object paths = document()["paths"];
  EXPECT_GT(paths.size(), 200u);
  for (const auto& path : paths)
    for (const auto& verb : simdjson::dom::object(path.value))
      EXPECT_TRUE(known.contains(std::string{verb.key} + " " + std::string{path.key}))
        << verb.key << " " << path.key << " is no route";
}

TEST(ReferenceDocument, HasAnErrorForWhateverAnyRouteMayAnswer) {
  simdjson::dom::object paths = document()["paths"];
  for (const auto& path : paths)
    for (const auto& verb : simdjson::dom::object(path.value)) {
      element other;
      EXPECT_EQ(verb.value["responses"]["default"]["$ref"].get(other), simdjson::SUCCESS)
        << verb.key << " " << path.key;
      EXPECT_FALSE(text_at(verb.value, "operationId").empty()) << verb.key << " " << path.key;
    }
}

} // namespace
} // namespace credence::http
