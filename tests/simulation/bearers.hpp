#pragma once

#include "tests/simulation/asking.hpp"

namespace credence::test {

/// Who makes API keys and sessions, uses them and ends them, and the model: what was made is
/// good, what was ended is not from the answer on, and a signed nonce counts once.
class bearers final : public asking {
public:
  using asking::asking;

  void act();
  /// What is stored, what bearers were told and what the actors say must be the same.
  void compare();

private:
  struct credential {
    profile::credential_kind kind{};
    std::string id;
    profile_id owner;
    digest32 hash{};
    told made = told::unknown;
    told ended = told::nothing; // nobody has tried
    bool renewing = false;
    std::shared_ptr<profile::credential_slot> slot; // as the front of a process keeps it, once it was shown
    const process* shown_to = nullptr;
  };

  void make();
  void end(credential& which);
  void renew(credential& which);
  void use(credential& which);
  bool stored(const credential& which) const;
  void made(credential& which, bool yes, bool no);
  profile::stored_credentials in_store(profile_id owner) const;

  std::deque<credential> held_;
  int nonces_ = 0;
  std::set<std::string> used_;
};

} // namespace credence::test
