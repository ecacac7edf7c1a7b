#include "http/outside/provider_keys.hpp"

#include "tests/auth/provider_signer.hpp"
#include "tests/http/outside/key_server.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace credence::http {
namespace {

using namespace std::chrono_literals;
using test::key_server;
using test::provider_signer;

// -- when they are read ------------------------------------------------------------------------

TEST(KeySchedule, ReadsAtOnceAndThenNowAndThen) {
  const steady_time start{1h};
  key_schedule plan;
  EXPECT_LE(plan.due(false), start);
  plan.begin(start, false);
  plan.end(start + 1s, true);
  EXPECT_EQ(plan.due(false), start + 1s + 10min);
  plan.begin(start + 11min, false);
  plan.end(start + 11min, false);
  EXPECT_EQ(plan.due(false), start + 11min + 30s) << "sooner after a failure";
}

TEST(KeySchedule, ReadsAtOnceForAKeyThatIsNotThereButOnlySoOften) {
  const steady_time start{1h};
  key_schedule plan;
  plan.begin(start, false);
  plan.end(start, true);
  EXPECT_LE(plan.due(true), start) << "the first time nobody waits";
  plan.begin(start + 1s, true);
  plan.end(start + 2s, true);
  EXPECT_EQ(plan.due(true), start + 31s);
  EXPECT_EQ(plan.due(false), start + 2s + 10min);
  plan.begin(start + 31s, true);
  plan.end(start + 31s, false);
  EXPECT_EQ(plan.due(true), start + 61s);
}

// -- from where --------------------------------------------------------------------------------

const std::atomic<bool> never{false};

class scratch_file {
public:
  scratch_file() : path_(std::filesystem::temp_directory_path() / ("credence-keys-" + std::to_string(::getpid()))) {}
  ~scratch_file() { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream{path_} << text; }
  std::string path() const { return path_.string(); }

private:
  std::filesystem::path path_;
};

TEST(ProviderKeys, AreReadFromAFile) {
  const scratch_file file;
  const auto read = reader_of(file.path());
  EXPECT_THROW(read(never), std::runtime_error) << "not there";
  file.write("one");
  EXPECT_EQ(read(never), "one");
  file.write("");
  EXPECT_EQ(read(never), "");
  file.write(std::string(auth::jwk_set::bytes_max + 10, 'x'));
  EXPECT_THROW(auth::jwk_set{read(never)}, auth::jwks_error);
  EXPECT_THROW(reader_of("/")(never), std::runtime_error);
}

TEST(ProviderKeys, AreReadFromAServerThatAnswersTwoHundred) {
  key_server server{"keys"};
  const auto read = reader_of(server.url());
  EXPECT_EQ(read(never), "keys");
  server.answer(std::string(auth::jwk_set::bytes_max, 'x'));
  EXPECT_EQ(read(never).size(), auth::jwk_set::bytes_max);
  server.answer(std::string(auth::jwk_set::bytes_max + 1, 'x'));
  EXPECT_THROW(read(never), std::runtime_error) << "too large";
  const auto before = server.requests();
  server.answer("elsewhere", "302 Found\r\nLocation: " + server.url());
  EXPECT_THROW(read(never), std::runtime_error);
  EXPECT_EQ(server.requests(), before + 1) << "a redirect is not followed";
  server.answer("keys", "404 Not Found");
  EXPECT_THROW(read(never), std::runtime_error);
  const std::atomic<bool> given_up{true};
  server.answer("keys");
  EXPECT_THROW(read(given_up), std::runtime_error);
}

// -- and again -----------------------------------------------------------------------------------

using test::comes_true;

TEST(ProviderKeys, AreThoseOfTheFileOnceATokenNamesANewOne) {
  const provider_signer one{"one"};
  const provider_signer two{"two"};
  const scratch_file file;
  file.write(one.set());
  provider_keys keys{reader_of(file.path())};
  ASSERT_TRUE(comes_true([&] { return keys.tried(); }));
  const auto before = keys.current();
  EXPECT_TRUE(before->holds("one"));
  file.write(two.set());
  EXPECT_FALSE(keys.current()->holds("two")) << "nobody has asked for it";
  keys.refresh();
  EXPECT_TRUE(comes_true([&] { return keys.current()->holds("two"); }));
  EXPECT_FALSE(keys.current()->holds("one"));
  EXPECT_TRUE(before->holds("one")) << "whoever is at work with a set keeps it";
}

TEST(ProviderKeys, StayWhenAReadingFails) {
  const provider_signer one{"one"};
  for (const auto& broken :
       {std::string{"not a set"}, std::string{}, provider_signer::set_of({one.jwk(), one.jwk()})}) {
    std::atomic<int> read{0};
    provider_keys keys{[&](const std::atomic<bool>&) { return read++ == 0 ? one.set() : broken; }};
    ASSERT_TRUE(comes_true([&] { return keys.tried(); }));
    keys.refresh();
    ASSERT_TRUE(comes_true([&] { return read == 2; }));
    EXPECT_TRUE(keys.current()->holds("one"));
  }
}

TEST(ProviderKeys, AreAskedForOnceHoweverManyTokensNameOneThatIsNotThere) {
  std::atomic<int> read{0};
  provider_keys keys{[&](const std::atomic<bool>&) {
    ++read;
    return std::string{R"({"keys":[]})"};
  }};
  ASSERT_TRUE(comes_true([&] { return keys.tried(); }));
  keys.refresh();
  ASSERT_TRUE(comes_true([&] { return read == 2; }));
  for (int i = 0; i < 1000; ++i)
    keys.refresh();
  EXPECT_EQ(read, 2);
}

TEST(ProviderKeys, AreNoneWhenTheFirstReadingFails) {
  provider_keys keys{[](const std::atomic<bool>&) -> std::string { throw std::runtime_error("away"); }};
  ASSERT_TRUE(comes_true([&] { return keys.tried(); }));
  EXPECT_EQ(keys.current()->size(), 0u);
}

} // namespace
} // namespace credence::http
