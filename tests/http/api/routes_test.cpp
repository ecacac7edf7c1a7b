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

namespace credence::http {
namespace {

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file{path};
  std::stringstream out;
  out << file.rdbuf();
  return out.str();
}

/// What the front answers by itself (http/server/built_in.cpp): it is in the reference, and no route.
const std::set<std::string> built_in{"GET /livez", "GET /readyz", "GET /metrics"};

std::string name_of(const route& route) {
  static constexpr std::array<std::string_view, 5> verbs{"GET", "POST", "PUT", "PATCH", "DELETE"};
  return std::string{verbs[static_cast<std::size_t>(route.verb)]} + " " + std::string{route.path};
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

} // namespace
} // namespace credence::http
