#include "http/commands/command.hpp"

#include "actors/domain/hash.hpp"
#include "http/commands/output.hpp"
#include "http/outside/chain_rpc_node.hpp"
#include "persistence/sql/chain_replay.hpp"
#include "persistence/sql/chain_sql.hpp"

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

/// Events of one kind that failed for one reason.
struct failed_events {
  std::string contract, event, reason;
  std::int64_t events = 0, last_id = 0;
};

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
  const auto hash = hex_text(found.first<digest32>("tip_hash"));
  const auto kinds = found.first<std::string>("kinds"), replaying = found.first<std::string>("replaying");
  const auto at = found.first<timestamp>("tip_at");
  if (line.json) {
    print_object([&](auto& to) {
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
    });
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
  using of = failed_events;
  static constexpr auto fields = CREDENCE_FIELDS(of, contract, (event_name, event), reason, events, last_id);
  print_rows(
    line.json, all_of(found, fields),
    [](auto& to, const of& each) {
      to.field("contract", each.contract);
      to.field("eventName", each.event);
      to.field("reason", each.reason);
      to.field("events", each.events);
      to.field("lastId", each.last_id);
    },
    [](const of& each) {
      return each.contract + " " + (each.event.empty() ? "(unknown event)" : each.event) + " " + each.reason + ": "
             + counted(each.events, "event", "events") + ", the last one " + std::to_string(each.last_id);
    },
    "no event has failed\n");
  return ok;
}

int chain_texts(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "chain");
  const auto counts = persistence::count_texts(on, persistence::deadline_in(timeout));
  print_rows(
    line.json, counts,
    [](auto& to, const auto& each) {
      to.field("kind", each.kind);
      to.field("state", each.state);
      to.field("reason", each.reason.empty() ? std::nullopt : std::optional{each.reason});
      to.field("texts", each.texts);
    },
    [](const auto& each) {
      return each.kind + " " + each.state + (each.reason.empty() ? "" : " " + each.reason) + ": "
             + counted(each.texts, "text", "texts");
    },
    "no text is read from a contract\n");
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
    std::cout << counted(again, "text is", "texts are") << " tried again\n";
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
    std::cout << counted(*failed, "event is", "events are") << " tried again\n";
  else
    std::cout << "no chain is stored\n";
  return ok;
}

int chain_replay(const command_line& line) {
  const auto with = good_settings(line);
  const auto found = replay(line, with);
  if (line.json) {
    print_object([&](auto& to) {
      to.field("good", found.differences == 0);
      to.field("events", found.events);
      to.field("differences", found.differences);
      to.array("examples", found.examples, [&](const auto& each) { to.value(each); });
    });
  } else {
    for (const auto& each : found.examples)
      std::cout << each << "\n";
    std::cout << counted(found.events, "event, ", "events, ")
              << counted(found.differences, "difference\n", "differences\n");
  }
  return found.differences == 0 ? ok : differs;
}

} // namespace credence::commands
