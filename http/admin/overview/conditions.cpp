#include "http/admin/overview/conditions.hpp"

#include "actors/kernel/writes.hpp"
#include "http/admin/desk.hpp"
#include "http/server/server.hpp"

#include <array>
#include <utility>

namespace credence::http::admin {

namespace {

/// What to do about errors of PostgreSQL that say it plainly, by the beginning of their SQLSTATE.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> remedies{{
  {"53100", "Its disk is full: make room there."},
  {"53300", "It takes no more connections: raise max_connections, or end what holds them."},
  {"57P03", "It is starting or stopping: wait for it."},
  {"28", "It refuses the server's role or its password."},
  {"3D", "It has no such database."},
  {"42501", "The server's role lacks a right."},
}};

/// The writer's last error with its SQLSTATE, in the words of PostgreSQL.
std::string last_words() {
  const auto told = ops::the_metrics().store.trouble.read();
  if (!told)
    return {};
  auto out = "The writer's last error, " + iso_text(std::chrono::floor<std::chrono::microseconds>(told->at)) + ": "
             + (told->code.empty() ? "" : told->code + " ") + told->text + ".";
  for (const auto& [code, remedy] : remedies)
    if (told->code.starts_with(code))
      return out.append(" ").append(remedy);
  return out;
}

std::string without_writes(const desk& of) {
  const auto* storage = of.with().actors->storage;
  return storage && storage->clock.load() != clock_verdict::good
           ? "The wall clock of this machine is wrong, so nothing is written."
           : last_words();
}

std::string pause_of(desk& of) {
  const auto& now = of.intake().now();
  return now.open ? "" : "By " + now.by + ", until " + iso_text(*now.until) + ": " + now.reason;
}

} // namespace

std::string detail_of(desk& of, std::string_view alert) {
  if (alert == "CredenceCannotWrite")
    return without_writes(of);
  if (alert == "CredenceReadsWithoutLease")
    return last_words();
  if (alert == "CredenceWritesPaused")
    return pause_of(of);
  if (alert == "CredenceStandsStill" && of.with().standing_still)
    return "These stand still: " + of.with().standing_still();
  if (alert == "CredenceLastRunCutOff")
    return "It had begun at " + of.by().cut_off + "; this one began at " + iso_text(of.by().started_at) + ".";
  return {};
}

} // namespace credence::http::admin
