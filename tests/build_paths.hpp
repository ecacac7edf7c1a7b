#pragma once

#include <string>

namespace credence::test::built {

/// Where this build lies: absolute paths, the same for the whole run.
extern const std::string source;        // the checkout
extern const std::string executable;    // the server
extern const std::string demo;          // fills a database with demo data
extern const std::string faulty_disk;   // stands in front of libc and fails writes
extern const std::string shifted_clock; // stands in front of libc and moves the clock
extern const std::string faulty_actors; // stands in front of the actor library and ends actors

} // namespace credence::test::built
