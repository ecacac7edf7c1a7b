// Written by contract.mjs from http/admin/openapi.json; change that instead.

export type Activity = {
  votesPerSecond: number | null;
  tradesPerSecond: number | null;
  tipsPerSecond: number | null;
  /** Since the start of the process. */
  votesTotal: number;
};

export type Actor = {
  /** Such as `project:7`. */
  key: string;
  /** Such as `project`, `profile`, `writer`. */
  kind: string;
  phase: "live" | "stopping" | "settling" | "waiting_to_retry" | "absent";
  waiting: number;
  /** Passed on to it in its present life. */
  messages: number;
  /** Lately. */
  failures: number;
  /** Unix milliseconds. */
  lastMessageAt: number | null;
};

export type ActorChange = {
  /** Its name, such as `vote_cast`. */
  fact: string;
  /** Among the changes that the actor sent in its present life, from 1. */
  number: number;
  /** When it was sent, in Unix milliseconds. */
  at: number;
  /** `refused`: by the database. `given_up`: the actor waits for it no more, and decides again or is loaded again. */
  fate: "under_way" | "committed" | "refused" | "given_up";
};

export type ActorFigure = {
  /** Such as `pendingVotes`. */
  name: string;
  /** Amounts of wei are text. Null where the actor has not read it. */
  value: number | boolean | string | null;
};

export type ActorKind = {
  /** Such as `project`, `profile`, `writer`. */
  kind: string;
  live: number;
  /** Questions admitted and not answered yet. */
  waiting: number;
  /** Longest wait in a mailbox since the last scrape of Prometheus. */
  oldestWaitMs: number;
  handled: number;
  handledPerSecond: number;
  handlingP50Ms: number | null;
  handlingP99Ms: number | null;
  spawned: number;
  stoppedIdle: number;
  /** Started afresh after a failure. */
  restarts: number;
  refusedFull: number;
  /** One actor for each entity: it has busiest ones and can be looked up. */
  perEntity: boolean;
};

export type Actors = {
  /** Unix milliseconds. */
  at: number;
  values: Array<ActorKind>;
};

export type Advance = {
  dryRun: boolean;
  closes: Period;
  opens: Period;
  allocationsCreated: number;
  totalVotesAllocated: number;
  usersAffected: number;
};

export type AdvanceOrder = {
  /** The open period as year/number, such as `2026/11`: an advance that somebody else was faster with is refused. */
  confirm: string;
};

export type Analysis = {
  state: "none" | "running" | "done" | "failed" | "stopped";
  /** Unix milliseconds. */
  startedAt: number | null;
  /** Unix milliseconds. */
  endedAt: number | null;
  share: number;
  error: string | null;
  /** Unix milliseconds; null while none has come to its end. */
  foundAt: number | null;
  /** Votes it looked at; of more than eight million the newest. */
  votes: number | null;
  /** Profiles there were. */
  people: number | null;
  /** Whose votes go together in several ways. */
  groups: Array<Finding>;
  reciprocal: Array<Finding>;
  bursts: Array<Finding>;
  sameSecond: Array<Finding>;
  /** Fresh accounts that vote alike. */
  fresh: Array<Finding>;
};

export type ApiAccessOrder = {
  allowed: boolean;
};

export type ApiKey = {
  id: string;
  profileId: number;
  name: string;
  address: string;
  scopes: Array<string> | null;
  networks: Array<string>;
  /** Unix milliseconds. */
  createdAt: number;
  /** Unix milliseconds. */
  expiresAt: number;
  /** Unix milliseconds. */
  lastUsedAt: number | null;
};

export type AuditEntry = {
  number: number;
  /** Unix milliseconds. */
  at: number;
  act: string;
  profileId: number | null;
  callerId: number | null;
  credential: string;
  requestId: string;
  address: string;
  subject: string;
  before: string | null;
  after: string | null;
};

export type Budget = {
  bucket: "read" | "write" | "wallet" | "admin" | "anonymous" | "credentials" | "address";
  /** What it counts, as its setting says. */
  counts: string;
  /** As in the setting, such as `200/s burst 2000`; `0` for no bound. */
  rate: string;
  /** Answered 429 since the start. */
  refused: number;
};

export type BusiestActors = {
  values: Array<Actor>;
};

export type Chain = {
  followed: boolean;
  chainId: number | null;
  state: "starting" | "backfill" | "following" | "unavailable" | "halted" | "replaying" | null;
  why: string;
  head: number | null;
  safe: number | null;
  finalized: number | null;
  stored: number | null;
  authority: number | null;
  lagBlocks: number | null;
  endpoints: number;
  endpointsWrong: number;
  reorganisations: number;
  failed: number;
  events: Array<{
    contract: string;
    event: string;
    applied: number;
    ignored: number;
    failed: number;
  }>;
};

export type ChartPoint = {
  /** Unix milliseconds. */
  at: number;
  bullish: number;
  bearish: number;
};

export type Client = {
  /** By `X-Service-Client`, up to an `@`; `none` without one, `other` for all beyond those that are counted by themselves. */
  client: string;
  requests: number;
  clientErrors: number;
  rateLimited: number;
  serverErrors: number;
  deprecated: number;
};

export type Clients = {
  /** Unix milliseconds. */
  since: number;
  values: Array<Client>;
};

export type CreditOrder = {
  /** Wei, in decimal digits. */
  amountWei: string;
  /** The profile's id once more, typed. */
  confirm: string;
};

export type DatabaseStandby = {
  /** Its application_name. */
  name: string;
  /** As `pg_stat_replication` has it, such as `streaming`. */
  state: string | null;
  /** `sync`, `potential`, `quorum` or `async`. */
  syncState: string | null;
  /** Log that it has not replayed. */
  lagBytes: number | null;
  /** From a commit to its replay; null while nothing is written. */
  lagSeconds: number | null;
};

export type DeprecatedRoute = {
  route: string;
  clients: Array<{
    client: string;
    requests: number;
  }>;
};

export type Done = {
  ok: boolean;
};

export type Error = {
  code: string;
  message: string;
  issues?: Array<string>;
};

export type Evidence = {
  /** For people. */
  text: string;
  /** Unix milliseconds. */
  at?: number;
  projectId?: number;
};

export type FailedEvent = {
  contract: string;
  event: string;
  reason: string;
  events: number;
  lastId: number;
};

export type Finding = {
  id: string;
  profiles: Array<number>;
  size: number;
  /** 0 to 1: 1 - 10^(-d/10) where chance does this less than once in 10^d. */
  confidence: number;
  summary: string;
  evidence: Array<Evidence>;
  /** Unix milliseconds; when its members first voted together, or joined where they did not. */
  firstAt: number;
  /** Unix milliseconds. */
  lastAt: number;
};

export type Firing = {
  /** As the alert of Prometheus is called. */
  name: string;
  severity: "page" | "warn";
  /** `false`: it holds, but not yet for as long as its alert waits. */
  fires: boolean;
  /** How long its alert waits. */
  firesAfterSeconds: number;
  /** Unix milliseconds. */
  since: number;
  summary: string;
  /** What this server knows besides, such as the writer's last error, or who paused writes and why. */
  detail: string | null;
  /** What to do. */
  action: string;
  /** A section of docs/operating.md, such as `operating.md#failures`; `GET /manual` has it. */
  docs: string;
};

export type FreezeOrder = {
  /** `false`: it goes on. */
  frozen: boolean;
  /** The profile's id once more, typed. */
  confirm: string;
};

export type GrantOrder = {
  /** XP, whole points. */
  amount: number;
  /** Why; for the audit alone. */
  reason: string;
  /** The profile's id once more, typed. */
  confirm: string;
};

export type History = {
  stepMs: number;
  values: Array<Sample>;
};

export type InspectedActor = Actor & {
  /** What it holds in memory. Null where no actor is, and where none answered within half a second, such as while it is loaded. */
  state: Array<ActorFigure> | null;
  /** The last 16 that it sent to the database, newest first; null where `state` is. */
  changes: Array<ActorChange> | null;
};

export type Intake = {
  open: boolean;
  /** Unix milliseconds. */
  since: number | null;
  /** It opens by itself then. */
  until: number | null;
  reason: string;
  by: string;
};

export type IntakeOrder = {
  open: boolean;
  /** Required to close it. */
  reason?: string;
  /** After so many it opens by itself. */
  minutes?: number;
};

export type LinkSignIn = {
  /** Of a link that `credence console-link` prints: what follows `#link=` in it. */
  code: string;
};

export type LogLevel = {
  level: "debug" | "info" | "warn" | "error" | "off";
  configured: "debug" | "info" | "warn" | "error" | "off";
  /** The configured one returns then. */
  until: number | null;
  by: string | null;
};

export type LogLevelOrder = {
  level: "debug" | "info" | "warn" | "error" | "off";
  /** Then the configured one returns. */
  minutes: number;
};

export type LogLine = {
  /** Grows from line to line; begins anew with the process. */
  number: number;
  /** Unix milliseconds. */
  at: number;
  level: "debug" | "info" | "warn" | "error";
  event: string;
  /** As in the line that is written. */
  fields: Record<string, string | number | boolean>;
};

export type LogPage = {
  /** Oldest first. */
  values: Array<LogLine>;
  /** Send it as `after`: what comes then is newer. */
  next: number;
  /** Lines after `after` are gone from memory. */
  dropped: boolean;
};

export type MarketRow = {
  profileId: number;
  name: string;
  trustVotes: number;
  distrustVotes: number;
  /** Wei, in decimal digits. */
  trustPriceWei: string;
  /** Wei, in decimal digits. */
  volumeWei: string;
  /** Whether an admin froze it: nobody buys or sells on it. */
  frozen: boolean;
  /** Its actor, such as `market:7`; null where markets are mirrored from a chain, by one actor for all. */
  actor: string | null;
};

export type MergeOrder = {
  /** An address or an account of the person, such as `address:0x…`, `service:x.com:<id>` or `service:x.com:username:<handle>`. */
  userkey: string;
  /** The profile's id once more, typed. */
  confirm: string;
};

export type Migration = {
  version: number;
  name: string;
  state: "applied" | "pending" | "changed" | "unknown";
};

export type OpenSession = {
  id: string;
  /** Who is signed in, for people: `profile 7`, or who made the link. */
  name: string;
  profileId: number | null;
  role: Role;
  by: "wallet" | "link";
  /** From where they signed in. */
  address: string;
  /** Unix milliseconds. */
  signedInAt: number;
  /** The last request that showed its cookie; null where there was none since the server started. */
  lastUsedAt: number | null;
  /** Ends then at the latest unless something is called before. */
  idleEndsAt: number;
  /** Unix milliseconds. */
  endsAt: number;
  /** How the audit names it; as `credential` of the audit it lists what the session did. */
  credential: string;
  /** Whether it is the one that asks. */
  own: boolean;
};

export type Overview = {
  /** Unix milliseconds. */
  at: number;
  server: {
    version: string;
    /** Unix milliseconds. */
    startedAt: number;
  };
  ready: boolean;
  parts: Array<Part>;
  traffic: Traffic;
  activity: Activity;
  store: StorePulse;
  period: Period | null;
  firing: Array<Firing>;
};

export type Part = {
  /** A check of `/readyz`, such as `store`. */
  name: string;
  ready: boolean;
  meaning: string;
};

export type Period = {
  id: number;
  year: number;
  number: number;
  /** Unix milliseconds. */
  startsAt: number;
  /** Planned, of the open one. */
  endsAt: number;
  /** Unix milliseconds. */
  closedAt: number | null;
  /** When it was opened. */
  liveProfiles: number;
  activeProjects: number;
};

export type Periods = {
  values: Array<Period>;
  total: number;
  /** `actors.period_advance`. */
  advance: "monthly" | "manual";
};

export type Person = {
  userId: number;
  profileId: number | null;
  username: string | null;
  displayName: string;
  score: number;
  xp: number | null;
  addresses: Array<string>;
  archived: boolean | null;
  apiAccess: boolean | null;
  balance: {
    /** Wei, in decimal digits. */
    wei: string;
    /** Wei, in decimal digits. */
    availableWei: string;
  } | null;
  /** Unix milliseconds. */
  createdAt: number | null;
};

export type PersonRow = {
  profileId: number | null;
  userId: number;
  username: string | null;
  displayName: string;
  score: number;
};

export type PricePoint = {
  /** Unix milliseconds. */
  at: number;
  /** Wei, in decimal digits. */
  trustPriceWei: string;
  /** Wei, in decimal digits. */
  distrustPriceWei: string;
};

export type Project = ProjectRow & {
  description: string;
  /** Unix milliseconds. */
  createdAt: number;
  /** In the open period. */
  bullishNow: number;
  bearishNow: number;
};

export type ProjectOrder = {
  /** Whose project it is, such as `service:x.com:username:…`. */
  userkey: string;
  name?: string;
  description?: string;
  categories?: Array<number>;
  chains?: Array<number>;
};

export type ProjectRow = {
  projectId: number;
  username: string;
  name: string;
  status: "ACTIVE" | "ARCHIVED";
  bullish: number;
  bearish: number;
};

export type Replication = {
  /** A standby was asked. */
  inRecovery: boolean;
  /** A failover begins another. */
  timeline: number;
  /** Standbys that a commit waits for; 0 where none is named. */
  needed: number;
  /** Of the standbys that are named, those that stream. */
  there: number | null;
  /** The server's role may not see states and lags, which are null: it needs pg_read_all_stats. */
  hidden: boolean;
  standbys: Array<DatabaseStandby>;
};

export type Role = "viewer" | "operator" | "admin";

export type Sample = {
  /** Unix milliseconds. */
  at: number;
  requestsPerSecond: number;
  errorsPerSecond: number;
  p50Ms: number | null;
  p99Ms: number | null;
  votesPerSecond: number;
  tradesPerSecond: number;
  tipsPerSecond: number;
  queued: number;
};

export type Session = {
  /** Who is signed in, for people: `profile 7` or `link of root`. */
  name: string;
  profileId: number | null;
  role: Role;
  by: "wallet" | "link" | "token";
  /** Send it as `X-CSRF-Token` with every write; null for an access token, which needs none. */
  csrfToken: string | null;
  /** Unix milliseconds. */
  signedInAt: number;
  /** Ends then unless something is called before. */
  idleEndsAt: number | null;
  /** Unix milliseconds. */
  endsAt: number | null;
};

export type Setting = {
  name: string;
  /** `***` for a secret that is set. */
  value: string;
  /** `flag`, `environment`, `file:LINE` or `default`. */
  origin: string;
  default: string;
  help: string;
  secret: boolean;
  /** Where a restart would change it. */
  afterRestart?: string;
};

export type Settings = {
  /** Where it is read from. */
  file: string | null;
  values: Array<Setting>;
  mistakes: Array<string>;
};

export type Shard = {
  shard: number;
  owner: string;
  epoch: number;
  /** Kept in the table of batches. */
  batches: number;
  lastSequence: number;
  /** The last global number given out. */
  lastNumber: number;
};

export type SignIn = {
  /** EIP-4361. */
  message: string;
  signature: string;
};

export type SignInTerms = {
  /** Good for ten minutes. */
  nonce: string;
  /** That the message names where the page's own host is none of `domains`. */
  domain: string;
  uri: string;
  scheme: string;
  chainId: number;
  statement: string;
  version: "1";
  /** RFC 3339; `Expiration Time` of the message. */
  expirationTime: string;
  /** RFC 3339; `Issued At` of the message. */
  issuedAt: string;
  domains: Array<string>;
};

export type SlashRow = {
  slashId: number;
  authorProfileId: number;
  subject: string;
  amount: number;
  state: string;
  /** Unix milliseconds. */
  createdAt: number;
  /** Unix milliseconds. */
  endsAt: number;
};

export type Store = {
  /** Unix milliseconds. */
  at: number;
  /** Null, as `database`, `tables` and `migrations`, while the database does not tell. */
  shards: Array<Shard> | null;
  writer: Writer;
  database: {
    version: string;
    bytes: number;
  } | null;
  /** The largest first. */
  tables: Array<Table> | null;
  migrations: Array<Migration> | null;
  replication: Replication | null;
  intake: Intake;
  verification: Verification | null;
};

export type StorePulse = {
  writable: boolean;
  intakeOpen: boolean;
  /** Changes that wait for the writer. */
  queued: number;
  batchesPerSecond: number | null;
  changesPerBatch: number | null;
  flushP50Ms: number | null;
  flushP99Ms: number | null;
  leaseAgeMs: number;
  clockGood: boolean;
  clockDifferenceUs: number;
};

export type Table = {
  name: string;
  /** As PostgreSQL estimates. */
  rows: number;
  bytes: number;
  indexBytes: number;
};

export type Traffic = {
  /** Null, as all rates, in the first second or two after a start. */
  requestsPerSecond: number | null;
  /** Answers 5xx. */
  errorsPerSecond: number | null;
  /** Answers 4xx. */
  refusalsPerSecond: number | null;
  /** Of the last ten seconds; null where nothing was asked. */
  p50Ms: number | null;
  p99Ms: number | null;
  inFlight: number;
  connections: number;
};

export type Verification = {
  id: number;
  state: "running" | "done" | "stopped" | "failed";
  /** Unix milliseconds. */
  startedAt: number;
  /** Unix milliseconds. */
  endedAt: number | null;
  by: string;
  /** What is being checked. */
  part: string;
  /** 0 to 1. */
  share: number;
  differences: number;
  error: string | null;
  results: Array<{
    name: string;
    promise: string;
    differences: number;
    examples: Array<string>;
  }>;
};

export type Writer = {
  writable: boolean;
  queued: number;
  queueMax: number;
  batches: number;
  changes: number;
  batchFailures: number;
  changesFailed: number;
  unknownOutcomes: number;
  resolvedStored: number;
  resolvedAbsent: number;
  reconnects: number;
  commitP50Ms: number | null;
  commitP99Ms: number | null;
  /** Why nothing can be written: the last error. */
  trouble: {
    /** As PostgreSQL says it, such as `53100`; null where it cannot be reached. */
    sqlstate: string | null;
    error: string;
    /** Unix milliseconds. */
    at: number;
  } | null;
  readsWaiting: {
    loads: number;
    lists: number;
  };
};
