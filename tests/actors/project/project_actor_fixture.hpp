#pragma once

#include "tests/actors/deterministic_world.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace credence::project {

struct ProjectActorTest : testing::Test, protected test::deterministic_world {
  /// The database refuses the oldest vote of project 1 under way, and nothing sent after it was written.
  void refuse_oldest() {
    const auto request = storage->written.front();
    storage->written.clear();
    send(request.from, write_outcome{request.stream, write_result::failed, 1, 0, 0});
    run();
  }
};

} // namespace credence::project
