#include "http/admin/pages.hpp"

#include <gtest/gtest.h>

namespace credence::http::admin {
namespace {

TEST(AdminPages, LeadToTheConsoleByRelativeLinksAlone) {
  for (const auto& [path, where] : {std::pair{"/admin", "./"}, std::pair{"/admin/", "../"}}) {
    const auto found = page_at(path, {});
    EXPECT_EQ(found.status, 308u) << path;
    EXPECT_NE(found.headers.find("Location: " + std::string{where} + "\r\n"), std::string::npos) << path;
  }
}

TEST(AdminPages, CarryTheReferenceAndTheManualInTheExecutable) {
  for (const auto& [name, beginning] : {std::pair{"openapi.json", "{"}, std::pair{"operating.md", "# "}}) {
    const auto* found = find_embedded(name);
    ASSERT_TRUE(found) << name;
    EXPECT_TRUE(found->content.starts_with(beginning)) << name;
    EXPECT_LT(found->zipped.size(), found->content.size()) << name;
    EXPECT_TRUE(found->zipped.starts_with("\x1f\x8b")) << name << " as gzip";
  }
}

TEST(AdminPages, SayWhereNoBundleIsBuiltIn) {
  const auto found = page_at("/", {});
  if (find_embedded("console/index.html")) {
    EXPECT_EQ(found.status, 200u);
    EXPECT_NE(page_at("/actors/project:7", {}).body.find("<base href=\"../\">"), std::string::npos);
  } else {
    EXPECT_EQ(found.status, 503u);
    EXPECT_NE(found.body.find("without the pages of the console"), std::string::npos);
  }
}

TEST(AdminPages, AreFoundAgainByTheirTag) {
  for (const auto& each : embedded_files()) {
    if (!each.name.starts_with("console/") || each.name == "console/index.html")
      continue;
    const auto path = "/" + std::string{each.name.substr(8)};
    request_head head;
    EXPECT_EQ(page_at(path, head).body, each.content) << path;
    head.accept_encoding = "br, gzip;q=0.5";
    const auto zipped = page_at(path, head);
    EXPECT_EQ(zipped.headers.find("Content-Encoding: gzip") != std::string::npos,
              each.zipped.size() < each.content.size())
      << path;
    head.if_none_match = each.etag;
    EXPECT_EQ(page_at(path, head).status, 304u) << path;
  }
}

TEST(AdminPages, LeadNowhereElse) {
  for (const auto* path :
       {"/missing.js", "/assets/../../../etc/passwd.txt", "/console/index.html", "/openapi.json", "/operating.md"})
    EXPECT_NE(page_at(path, {}).status, 200u) << path;
}

} // namespace
} // namespace credence::http::admin
