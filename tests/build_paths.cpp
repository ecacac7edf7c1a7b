#include "tests/build_paths.hpp"

namespace credence::test::built {

// The only file compiled with paths, so that every other object is the same in every checkout.
const std::string source{CREDENCE_SOURCE};
const std::string executable{CREDENCE_EXECUTABLE};
const std::string demo{CREDENCE_DEMO};
const std::string faulty_disk{CREDENCE_FAULTY_DISK};
const std::string shifted_clock{CREDENCE_SHIFTED_CLOCK};
const std::string faulty_actors{CREDENCE_FAULTY_ACTORS};

} // namespace credence::test::built
