#include "http/api/declare.hpp"
#include "http/routes.hpp"
#include "tests/build_paths.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::http {
namespace {

void nothing(call&) {}
void nothing_again(call&, const idempotency::found_record&) {}

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file{path};
  std::stringstream out;
  out << file.rdbuf();
  return out.str();
}

/// The handlers that a header declares, each with the version that it is of: `v2::get_user`.
std::vector<std::string> handlers_in(const std::string& header) {
  static const std::regex either{R"(namespace credence::http::(v\d) \{|\nvoid (\w+)\(call&)"};
  std::vector<std::string> out;
  std::string version;
  for (std::sregex_iterator at{header.begin(), header.end(), either}, end; at != end; ++at) {
    if ((*at)[1].matched)
      version = (*at)[1];
    else
      out.push_back(version + "::" + (*at)[2].str());
  }
  return out;
}

/// What the front answers by itself (http/server/built_in.cpp): it is in the reference, and no route.
const std::set<std::string> built_in{"GET /livez", "GET /readyz", "GET /metrics"};

std::string name_of(const route& route) {
  static constexpr std::array<std::string_view, 5> verbs{"GET", "POST", "PUT", "PATCH", "DELETE"};
  return std::string{verbs[static_cast<std::size_t>(route.verb)]} + " " + std::string{route.path};
}

/// The folders that declare routes: a resource each, and the entity that docs/changing.md adds.
std::vector<std::filesystem::path> resources() {
  const std::filesystem::path source{test::built::source};
  std::vector<std::filesystem::path> out{source / "tests/example"};
  for (const auto& each : std::filesystem::directory_iterator{source / "http/api"})
    if (each.is_directory())
      out.push_back(each.path());
  return out;
}

/// What the rows of the reference name in their first column, such as `GET /api/v2/markets`, each with its page.
std::multimap<std::string, std::string> rows_of_reference() {
  static const std::regex row{R"re(\n\| `([A-Z]+ /[^`? ]*)[^`]*` \|)re"};
  std::multimap<std::string, std::string> out;
  for (const auto* folder : {"docs/api", "tests/example"})
    for (const auto& page : std::filesystem::directory_iterator{std::filesystem::path{test::built::source} / folder}) {
      const auto text = page.path().extension() == ".md" ? text_of_file(page.path()) : std::string{};
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

TEST(Routes, LeadToEveryHandler) {
  int handlers = 0;
  for (const auto& resource : resources()) {
    const auto routes_of = text_of_file(resource / "routes.hpp");
    for (const auto& name : handlers_in(text_of_file(resource / "handlers.hpp"))) {
      ++handlers;
      EXPECT_TRUE(std::regex_search(routes_of, std::regex{"\\b" + name + "\\b"}))
        << name << " is declared in " << resource << "/handlers.hpp, and no line of routes.hpp there leads to it";
    }
  }
  EXPECT_GE(handlers, static_cast<int>(routes().size()));
}

TEST(Routes, AreInTheTableOnceEachWhereAResourceDeclaresThem) {
  std::size_t declared = 0;
  for (const auto& resource : resources()) {
    const auto text = text_of_file(resource / "routes.hpp");
    static const std::regex path{R"re(\("/)re"};
    declared += static_cast<std::size_t>(std::distance(std::sregex_iterator{text.begin(), text.end(), path}, {}));
  }
  EXPECT_EQ(routes().size(), declared) << "a resource's routes are not among those that http/routes.cpp joins";
  std::set<std::pair<method, std::string_view>> seen;
  for (const auto& route : routes())
    EXPECT_TRUE(seen.emplace(route.verb, route.path).second) << route.path << " is there twice";
}

TEST(Routes, WritesSayWhatBoundsThemADay) {
  constexpr route write{method::post, "/x", access::bearer, scope::none, nothing};
  EXPECT_FALSE(declares_daily_bound(write));
  EXPECT_TRUE(declares_daily_bound(declare::a_day(write, daily_act::tips)));
  EXPECT_TRUE(declares_daily_bound(declare::a_day(write, daily_act::by_rules)));
  EXPECT_TRUE(declares_daily_bound({method::post, "/x", access::admin, scope::none, nothing})) << "admins are trusted";
  EXPECT_FALSE(declares_daily_bound(declare::a_day(declare::reads("/x", nothing), daily_act::tips)));
}

TEST(DailyBounds, AreInTheReferenceAsTheyAreDeclared) {
  static const std::regex row{R"re(\n\| `(\w+)` \| ([^|]+) \| ([0-9,]+) \|)re"};
  const auto page = text_of_file(std::filesystem::path{test::built::source} / "docs/api/README.md");
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

TEST(Routes, SayWhatBecomesOfAWriteThatComesAgain) {
  const route base{method::post, "/x", access::bearer, scope::none, nothing};
  const auto with = [&](auto change) {
    auto out = base;
    change(out);
    return declares_idempotency(out);
  };
  EXPECT_FALSE(with([](route&) {})) << "a write without its repeat";
  EXPECT_TRUE(with([](route& r) { r.replay = nothing_again; }));
  EXPECT_TRUE(with([](route& r) { r.idempotency_by = idempotency_keeper::by_handler; }));
  EXPECT_TRUE(with([](route& r) { r.idempotency_by = idempotency_keeper::by_rules; }));
  EXPECT_FALSE(with([](route& r) { r.replay = nothing_again, r.idempotency_by = idempotency_keeper::by_rules; }))
    << "both";
  EXPECT_FALSE(with([](route& r) { r.replay = nothing_again, r.who = access::open; }))
    << "nobody knows whose the key is";
  EXPECT_TRUE(with([](route& r) { r.verb = method::get; })) << "reads have none";
  EXPECT_TRUE(with([](route& r) { r.does = effect::none; }));
  EXPECT_FALSE(with([](route& r) { r.does = effect::none, r.replay = nothing_again; }));
  EXPECT_FALSE(with([](route& r) { r.verb = method::del; }));
}

} // namespace
} // namespace credence::http
