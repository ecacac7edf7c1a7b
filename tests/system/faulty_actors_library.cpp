// Stands in front of the server's actor library and does to its actors what the file named by
// FAULTY_ACTORS says, which is removed once it is done:
//   kill NAME   the actor of that name that worked last ends, as one does that throws
//   hold NAME   the thread on which an actor of that name works next stands still until there is another order
//   hold io     so does the next thread that waits for sockets, and that one alone
//   go on       nothing stands still any more
#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/execution_unit.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/send.hpp>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace {

struct stage {
  std::mutex guard;
  std::map<std::string, caf::actor_addr> last; // by name
  std::string held;
  std::atomic<bool> holding{false};
};

stage& the_stage() {
  static auto* one = new stage; // threads outlive static objects
  return *one;
}

void rest() { ::usleep(5000); }

bool is_held(const std::string& name) {
  auto& on = the_stage();
  const std::lock_guard lock{on.guard};
  return on.holding && on.held == name;
}

void hold_here(const std::string& name) {
  while (is_held(name))
    rest();
}

void saw(caf::scheduled_actor& who) {
  auto& on = the_stage();
  auto address = caf::actor_cast<caf::actor_addr>(who.ctrl());
  const std::lock_guard lock{on.guard};
  on.last[who.name()] = std::move(address);
}

/// Whether there was somebody of that name.
bool kill_last(const std::string& name) {
  auto& on = the_stage();
  const std::lock_guard lock{on.guard};
  const auto found = on.last.find(name);
  const auto victim = found == on.last.end() ? nullptr : caf::actor_cast<caf::actor>(found->second);
  if (!victim)
    return false;
  caf::anon_send_exit(victim, caf::exit_reason::kill);
  return true;
}

void obey(const std::string& verb, const std::string& name) {
  if (verb == "kill" && !kill_last(name))
    return; // none yet: tried again
  if (verb != "kill") {
    auto& on = the_stage();
    const std::lock_guard lock{on.guard};
    on.held = name;
    on.holding = verb == "hold";
  }
  ::unlink(std::getenv("FAULTY_ACTORS"));
}

void listen() {
  for (;; rest()) {
    std::ifstream file{std::getenv("FAULTY_ACTORS")};
    std::string verb;
    std::string name;
    if (file >> verb && std::getline(file >> std::ws, name))
      obey(verb, name);
  }
}

[[gnu::constructor]] void begin() {
  if (!std::getenv("FAULTY_ACTORS"))
    return;
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread{listen}.detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace

namespace caf {

resumable::resume_result scheduled_actor::resume(execution_unit* on, size_t most) {
  using function = resume_result (*)(scheduled_actor*, execution_unit*, size_t);
  static const auto real =
    reinterpret_cast<function>(::dlsym(RTLD_NEXT, "_ZN3caf15scheduled_actor6resumeEPNS_14execution_unitEm"));
  saw(*this);
  if (the_stage().holding)
    hold_here(name());
  return real(this, on, most);
}

} // namespace caf

extern "C" int epoll_wait(int on, epoll_event* events, int most, int timeout) {
  using function = int (*)(int, epoll_event*, int, int);
  static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "epoll_wait"));
  static std::atomic<bool> one_held{false};
  if (the_stage().holding && is_held("io") && !one_held.exchange(true)) {
    hold_here("io");
    one_held = false;
  }
  return real(on, events, most, timeout);
}
