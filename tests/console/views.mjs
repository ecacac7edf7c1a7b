// Every view of the console, with what it must show. `project` and `person` are of the demo.

export const pages = [
  ["overview", "Overview"], ["history", "History"], ["periods", "Voting periods"], ["actors", "Actors"], ["store", "Store"], ["clients", "Clients and keys"],
  ["chain", "Chain"], ["records", "Records"], ["integrity", "Integrity"], ["logs", "Logs"], ["audit", "Audit"], ["sessions", "Who is in"], ["reference", "API reference"],
  ["settings", "Settings"], ["manual", "Manual"],
];

export const details = [
  "wall",
  "history?last=14d", "history?last=5m", "history?moment=1790000000000", "actors/project:1", "clients/keys", "clients/budgets", "clients/deprecated", "records/people", "records/people?query=a", "records/people/1", "records/people/1?only=score", "records/people/1?only=votes", "records/people/1?only=sessions",
  "records/projects", "records/projects/1", "records/projects/1?side=bearish", "records/projects/1?from=2020-01-01&to=2099-12-31", "records/projects/new", "records/markets", "records/slashes", "integrity/reciprocal",
  "integrity/bursts", "integrity/sameSecond", "integrity/fresh", "integrity/rings", "integrity/rings?mark=honest", "audit?act=nothing_like_it", "audit?from=2020-01-01&to=2099-12-31%2023:59",
  "audit?from=yesterday", "audit?from=soon", "logs?from=2020-01-01&to=2099-12-31", "logs?from=soon", "logs?repeats=each",
  "logs/1?at=1790000000000", "logs/request/nothing-like-it", "reference/advancePeriod", "reference/getOverview",
  "settings?show=set", "no-such-page",
];

export const all = [...pages.map(([view]) => view), ...details];
