#include "ops/progress.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <stdexcept>

namespace credence::ops {
namespace {

using namespace std::chrono_literals;

/// What is written into a pipe.
class listener {
public:
  listener() {
    if (::pipe(ends_) != 0)
      throw std::runtime_error("pipe");
  }
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  ~listener() { ::close(ends_[0]); }

  int end() const { return ends_[1]; }
  /// Waits until this was written; all that was written so far.
  std::string heard_until(const std::string& words) {
    while (heard_.find(words) == std::string::npos && more()) {
    }
    return heard_;
  }
  /// Nobody writes any more.
  std::string heard_to_the_end() {
    ::close(ends_[1]);
    while (more()) {
    }
    return heard_;
  }

private:
  bool more() {
    char chunk[4096];
    const auto count = ::read(ends_[0], chunk, sizeof chunk);
    if (count > 0)
      heard_.append(chunk, static_cast<std::size_t>(count));
    return count > 0;
  }

  int ends_[2];
  std::string heard_;
};

TEST(Progress, SaysWhatIsDoneHowFarItIsAndHowLongItWillTake) {
  const progress_state how{"votes", 3'120'000, 5'000'000, 0.627, 100s, 70s};
  EXPECT_EQ(progress_text("demo", how, 100), "demo: votes, 3,120,000 of 5,000,000, 62 %, about 1 min 10 s left");
  EXPECT_EQ(progress_text("demo", how, 20), "demo: votes, 3,120,0") << "a line that is wrapped cannot be rewritten";
  const progress_state uncounted{"tallies", 0, 0, 0.9, 3725s, std::nullopt};
  EXPECT_EQ(progress_text("demo", uncounted, 100), "demo: tallies, 90 %, 1 h 2 min so far");
}

TEST(Progress, IsWrittenAsLinesWhereNothingCanBeRewritten) {
  listener file;
  {
    progress told{"work", {file.end(), false, 1ms}};
    told.expect(4);
    told.begin("first", 1, 10);
    told.at(5);
    file.heard_until("work: first, 5 of 10, 12 %, ");
    told.begin("second", 3, 2);
    file.heard_until("work: second, 0 of 2, 25 %, ");
  }
  const auto heard = file.heard_to_the_end();
  EXPECT_EQ(heard.find_first_of("\r\x1b"), std::string::npos) << heard;
  EXPECT_EQ(heard.back(), '\n');
}

TEST(Progress, RewritesOneLineOfATerminalAndWipesItInTheEnd) {
  listener terminal;
  {
    progress told{"work", {terminal.end(), true, 1h}};
    told.begin("first", 1, 10);
    told.begin("second", 1);
  }
  const auto heard = terminal.heard_to_the_end();
  EXPECT_EQ(heard, "\r\x1b[Kwork: first, 0 of 10, 0 %, 0 s so far\r\x1b[Kwork: second, 50 %, 0 s so far\r\x1b[K");
}

TEST(Progress, MayBeLongerThanWasExpected) {
  listener file;
  progress told{"work", {file.end(), true, 1h}};
  told.expect(1);
  told.begin("first", 1);
  told.begin("unexpected", 3);
  EXPECT_NE(file.heard_until("unexpected").find("25 %"), std::string::npos);
  progress& nobody = untold();
  nobody.begin("unheard", 1, 2);
  nobody.at(1);
}

TEST(ProgressDeathTest, EndsTheLineWhenItIsInterrupted) {
  const auto work = [] {
    ::signal(SIGINT, SIG_DFL); // shells have their background commands ignore it
    progress told{"work", {2, true, 1h}};
    told.begin("first", 1);
    ::raise(SIGINT);
  };
  EXPECT_EXIT(work(), testing::KilledBySignal(SIGINT), "work: first, 0 %, 0 s so far\n$");
}

} // namespace
} // namespace credence::ops
