#include "http/commands/command.hpp"

#include "actors/domain/hash.hpp"
#include "http/call/json_writer.hpp"
#include "http/outside/chain_rpc_node.hpp"
#include "persistence/sql/chain_replay.hpp"
#include "persistence/sql/chain_sql.hpp"

#include <iostream>
#include <string>

namespace credence::commands {

namespace {

/// How far the chain is stored that this database follows, and how many events there are by what became of them.
constexpr auto place_sql = "SELECT chain_id, contracts, start_block, tip_number, tip_hash, tip_at, finalized, "
                           "authority, last_event, reorganisations, kinds, replaying,"
                           " (SELECT count(*) FROM chain_events WHERE status = 'failed') AS failed FROM chain_follow";
constexpr auto failed_sql =
  "SELECT contract, coalesce(event_name, '') AS event_name, reason, count(*) AS events, max(id) AS last_id"
  " FROM chain_events WHERE status = 'failed' GROUP BY 1, 2, 3 ORDER BY events DESC, contract, event_name, reason";

using persistence::column;

std::string hash_text(const digest32& of) {
  std::string out = "0x";
  append_hex(out, of);
  return out;
}

persistence::replayed replay(const command_line& line, const settings::all& with) {
  auto on = connect(with, "chain");
  auto told = progress_of(line, "chain replay");
  return persistence::replay_chain(on, http::follow_settings_of(with.chain), persistence::deadline_in(timeout), told);
}

} // namespace

int chain_status(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "chain");
  const auto found = on.exec_params(place_sql, persistence::deadline_in(timeout));
  if (found.empty()) {
    std::cout << (line.json ? "null\n" : "no chain is stored\n");
    return ok;
  }
  const auto number = [&](const char* name) { return found.first<std::int64_t>(name); };
  const auto hash = hash_text(found.first<digest32>("tip_hash"));
  const auto kinds = found.first<std::string>("kinds"), replaying = found.first<std::string>("replaying");
  const auto at = found.first<timestamp>("tip_at");
  if (line.json) {
    std::string out;
    http::json_writer to{out};
    to.begin_object();
    to.field("chainId", number("chain_id"));
    to.field("contracts", found.first<std::string>("contracts"));
    to.field("startBlock", number("start_block"));
    to.field("tip", number("tip_number"));
    to.field("tipHash", hash);
    to.field("tipAt", at);
    to.field("finalized", number("finalized"));
    to.field("authority", number("authority"));
    to.field("lastEvent", number("last_event"));
    to.field("failedEvents", number("failed"));
    to.field("reorganisations", number("reorganisations"));
    to.field("kinds", kinds);
    to.field("replaying", replaying);
    to.end_object();
    std::cout << out << "\n";
    return ok;
  }
  std::cout << "chain " << number("chain_id") << " from block " << number("start_block") << "\ntip "
            << number("tip_number") << " " << hash << " of " << iso_text(at) << "\nfinal up to block "
            << number("finalized") << "\nrights up to block " << number("authority") << "\nlast event "
            << number("last_event") << ", failed " << number("failed") << "\nreorganisations "
            << number("reorganisations") << "\ncontracts " << found.first<std::string>("contracts") << "\nkinds "
            << (kinds.empty() ? "none" : kinds) << "\n";
  if (!replaying.empty())
    std::cout << "stored events of the kinds " << replaying << " are being applied\n";
  return ok;
}

int chain_failed(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "chain");
  const auto found = on.exec_params(failed_sql, persistence::deadline_in(timeout));
  const column<std::string> contract{found, "contract"}, event{found, "event_name"}, reason{found, "reason"};
  const column<std::int64_t> events{found, "events"}, last{found, "last_id"};
  std::string out;
  http::json_writer to{out};
  to.begin_array();
  for (int i = 0; i < found.count(); ++i) {
    if (!line.json) {
      std::cout << contract[i] << " " << (event[i].empty() ? "(unknown event)" : event[i]) << " " << reason[i] << ": "
                << events[i] << (events[i] == 1 ? " event" : " events") << ", the last one " << last[i] << "\n";
      continue;
    }
    to.begin_object();
    to.field("contract", contract[i]);
    to.field("eventName", event[i]);
    to.field("reason", reason[i]);
    to.field("events", events[i]);
    to.field("lastId", last[i]);
    to.end_object();
  }
  to.end_array();
  if (line.json)
    std::cout << out << "\n";
  else if (found.empty())
    std::cout << "no event has failed\n";
  return ok;
}

int chain_texts(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "chain");
  const auto counts = persistence::count_texts(on, persistence::deadline_in(timeout));
  std::string out;
  http::json_writer to{out};
  to.begin_array();
  for (const auto& each : counts) {
    if (!line.json) {
      std::cout << each.kind << " " << each.state << (each.reason.empty() ? "" : " " + each.reason) << ": "
                << each.texts << (each.texts == 1 ? " text\n" : " texts\n");
      continue;
    }
    to.begin_object();
    to.field("kind", each.kind);
    to.field("state", each.state);
    to.field("reason", each.reason.empty() ? std::nullopt : std::optional{each.reason});
    to.field("texts", each.texts);
    to.end_object();
  }
  to.end_array();
  if (line.json)
    std::cout << out << "\n";
  else if (counts.empty())
    std::cout << "no text is read from a contract\n";
  return ok;
}

int chain_retry_texts(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "chain");
  const auto until = persistence::deadline_in(timeout);
  persistence::transaction all{on, until};
  const auto again = persistence::retry_texts(on, until);
  audit_by_operator(on, {system_now(), "texts_retried", std::nullopt, "texts of the chain", std::nullopt,
                         std::to_string(again) + " tried again"});
  all.commit(until);
  if (line.json)
    std::cout << R"({"triedAgain":)" << again << "}\n";
  else
    std::cout << again << (again == 1 ? " text is" : " texts are") << " tried again\n";
  return ok;
}

int chain_reprocess(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "chain");
  const auto until = persistence::deadline_in(timeout);
  persistence::transaction all{on, until};
  const auto failed = persistence::reprocess_failed(on, until);
  if (failed)
    audit_by_operator(on, {system_now(), "events_reprocessed", std::nullopt, "events of the chain", std::nullopt,
                           std::to_string(*failed) + " tried again"});
  all.commit(until);
  if (line.json)
    std::cout << R"({"triedAgain":)" << failed.value_or(0) << "}\n";
  else if (failed)
    std::cout << *failed << (*failed == 1 ? " event is" : " events are") << " tried again\n";
  else
    std::cout << "no chain is stored\n";
  return ok;
}

int chain_replay(const command_line& line) {
  const auto with = good_settings(line);
  const auto found = replay(line, with);
  if (line.json) {
    std::string out;
    http::json_writer to{out};
    to.begin_object();
    to.field("good", found.differences == 0);
    to.field("events", found.events);
    to.field("differences", found.differences);
    to.array("examples", found.examples, [&](const auto& each) { to.value(each); });
    to.end_object();
    std::cout << out << "\n";
  } else {
    for (const auto& each : found.examples)
      std::cout << each << "\n";
    std::cout << found.events << (found.events == 1 ? " event, " : " events, ") << found.differences
              << (found.differences == 1 ? " difference\n" : " differences\n");
  }
  return found.differences == 0 ? ok : differs;
}

} // namespace credence::commands
