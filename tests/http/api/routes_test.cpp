#include "http/routes.hpp"
#include "tests/build_paths.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
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

TEST(Routes, LeadToEveryHandler) {
  int handlers = 0;
  for (const auto& resource : std::filesystem::directory_iterator{std::filesystem::path{test::built::source} / "http/api"}) {
    if (!resource.is_directory())
      continue;
    const auto routes_of = text_of_file(resource.path() / "routes.hpp");
    for (const auto& name : handlers_in(text_of_file(resource.path() / "handlers.hpp"))) {
      ++handlers;
      EXPECT_TRUE(std::regex_search(routes_of, std::regex{"\\b" + name + "\\b"}))
        << name << " is declared in " << resource.path() << "/handlers.hpp, and no line of routes.hpp there leads to it";
    }
  }
  EXPECT_GE(handlers, static_cast<int>(routes().size()));
}

TEST(Routes, AreInTheTableOnceEachWhereAResourceDeclaresThem) {
  std::size_t declared = 0;
  for (const auto& resource : std::filesystem::directory_iterator{std::filesystem::path{test::built::source} / "http/api"}) {
    if (!resource.is_directory())
      continue;
    const auto text = text_of_file(resource.path() / "routes.hpp");
    static const std::regex path{R"re(\("/api/)re"};
    declared += static_cast<std::size_t>(std::distance(std::sregex_iterator{text.begin(), text.end(), path}, {}));
  }
  EXPECT_EQ(routes().size(), declared) << "a resource's routes are not among those that http/routes.cpp joins";
  std::set<std::pair<method, std::string_view>> seen;
  for (const auto& route : routes())
    EXPECT_TRUE(seen.emplace(route.verb, route.path).second) << route.path << " is there twice";
}

TEST(Routes, SayWhatBecomesOfAWriteThatComesAgain) {
  const route base{method::post, "/x", access::bearer, scope::none, nothing};
  const auto with = [&](auto change) {
    auto out = base;
    change(out);
    return declares_its_repeats(out);
  };
  EXPECT_FALSE(with([](route&) {})) << "a write without its repeat";
  EXPECT_TRUE(with([](route& r) { r.again = nothing_again; }));
  EXPECT_TRUE(with([](route& r) { r.repeated = repeats::by_handler; }));
  EXPECT_TRUE(with([](route& r) { r.repeated = repeats::by_rules; }));
  EXPECT_FALSE(with([](route& r) { r.again = nothing_again, r.repeated = repeats::by_rules; })) << "both";
  EXPECT_FALSE(with([](route& r) { r.again = nothing_again, r.who = access::open; })) << "nobody knows whose the key is";
  EXPECT_TRUE(with([](route& r) { r.verb = method::get; })) << "reads have none";
  EXPECT_TRUE(with([](route& r) { r.does = effect::none; }));
  EXPECT_FALSE(with([](route& r) { r.does = effect::none, r.again = nothing_again; }));
  EXPECT_FALSE(with([](route& r) { r.verb = method::del; }));
}

} // namespace
} // namespace credence::http
