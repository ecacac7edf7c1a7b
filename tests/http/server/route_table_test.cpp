#include "http/server/route_table.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace credence::http {
namespace {

void nothing(call&) {}

constexpr route table[]{
  {method::get, "/projects/{id}/votes", access::open, scope::none, nothing},
  {method::post, "/projects/{id}/votes", access::bearer, scope::none, nothing},
  {method::get, "/projects/votes/balance", access::bearer, scope::none, nothing},
  {method::get, "/projects/{id}/{part}", access::open, scope::none, nothing},
  {method::get, "/projects/username/{name}", access::open, scope::none, nothing},
  {method::del, "/things", access::admin, scope::none, nothing},
};

class RouteTableTest : public testing::Test {
protected:
  const route_table::match& find(std::string_view path) {
    routes_.find(path, found_);
    return found_;
  }
  std::string get(std::string_view path) {
    const auto* entry = find(path).found ? found_.by_method[0] : nullptr;
    return entry ? std::string{entry->route->path} : "none";
  }
  route_table routes_{table};
  route_table::match found_;
};

TEST_F(RouteTableTest, PrefersLiteralSegments) {
  EXPECT_EQ(get("/projects/7/votes"), "/projects/{id}/votes");
  EXPECT_EQ(get("/projects/votes/balance"), "/projects/votes/balance");
  EXPECT_EQ(get("/projects/7/balance"), "/projects/{id}/{part}");
}

TEST_F(RouteTableTest, GivesThePartsStillEncoded) {
  find("/projects/a%2Fb/x");
  ASSERT_EQ(found_.parts.size(), 2u);
  EXPECT_EQ(found_.parts[0], (std::pair<std::string_view, std::string_view>{"id", "a%2Fb"}));
  EXPECT_EQ(found_.parts[1].first, "part");
  find("/projects/votes/balance");
  EXPECT_TRUE(found_.parts.empty());
}

TEST_F(RouteTableTest, MatchesWholePathsOnly) {
  for (const auto* path : {"/", "//", "/projects", "/projects/", "/projects/7", "/projects//votes",
                           "/projects/7/votes/", "/projects/7/votes/x", "/Things", "/things/"})
    EXPECT_FALSE(find(path).found) << path;
}

/// A part that is first taken for a literal one is taken for a name where the path goes on otherwise.
TEST_F(RouteTableTest, GoesBackWhereALiteralSegmentLeadsNowhere) {
  EXPECT_EQ(get("/projects/votes/votes"), "/projects/{id}/votes");
  EXPECT_EQ(found_.parts.at(0).second, "votes");
  EXPECT_EQ(get("/projects/votes/x"), "/projects/{id}/{part}");
  EXPECT_EQ(found_.parts.size(), 2u);
}

/// Of two forms that both fit: a project of the user `votes`, not the votes of a project `username`.
TEST_F(RouteTableTest, PrefersTheOneThatIsLiteralFirst) {
  EXPECT_EQ(get("/projects/username/votes"), "/projects/username/{name}");
  EXPECT_EQ(get("/projects/7/votes"), "/projects/{id}/votes");
}

TEST_F(RouteTableTest, RefusesOneFormWithTwoNamesAndARouteTwice) {
  static constexpr route twice[]{{method::get, "/projects/{id}", access::open, scope::none, nothing},
                                 {method::post, "/projects/{projectId}", access::bearer, scope::none, nothing}};
  EXPECT_THROW(route_table{twice}, std::invalid_argument);
  static constexpr route again[]{{method::get, "/projects/{id}", access::open, scope::none, nothing},
                                 {method::get, "/projects/{id}", access::bearer, scope::none, nothing}};
  EXPECT_THROW(route_table{again}, std::invalid_argument);
}

TEST_F(RouteTableTest, ListsTheMethodsOfAPath) {
  EXPECT_EQ(find("/projects/7/votes").allow(), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(find("/things").allow(), "DELETE, OPTIONS");
}

} // namespace
} // namespace credence::http
