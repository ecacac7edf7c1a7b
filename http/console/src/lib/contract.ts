// Written by contract.mjs from http/admin/openapi.json; change that instead.

export type ActedOn = {
  /** The member. */
  profileId: number;
  /** API keys that were revoked, or would be. */
  keysRevoked: number;
  /** Whether it could have API keys before. */
  apiAccessTaken: boolean;
  /** Whether it has a market that was not frozen before. */
  marketFrozen: boolean;
  /** Why its market is not frozen; null where nothing was refused. */
  refused: string | null;
};

export type Activity = {
  /** Votes on projects. */
  votesPerSecond: number | null;
  /** Trades on markets. */
  tradesPerSecond: number | null;
  /** Tips. */
  tipsPerSecond: number | null;
  /** Since the start of the process. */
  votesTotal: number;
};

export type Actor = {
  /** Such as `project:7`. */
  key: string;
  /** Such as `project`, `profile`, `writer`. */
  kind: string;
  /** Whether it is in memory. */
  phase: "live" | "stopping" | "settling" | "waiting_to_retry" | "absent";
  /** Questions that wait. */
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
  /** How many are in memory. */
  live: number;
  /** Questions admitted and not answered yet. */
  waiting: number;
  /** Longest wait in a mailbox since the last scrape of Prometheus. */
  oldestWaitMs: number;
  /** Messages since the start. */
  handled: number;
  /** Messages in the last ten seconds. */
  handledPerSecond: number;
  /** Half of the messages take less. */
  handlingP50Ms: number | null;
  /** 99 of 100 messages take less. */
  handlingP99Ms: number | null;
  /** How many were started. */
  spawned: number;
  /** How many left memory because nobody asked. */
  stoppedIdle: number;
  /** Started afresh after a failure. */
  restarts: number;
  /** Questions turned away because too many waited. */
  refusedFull: number;
  /** One actor for each entity: it has busiest ones and can be looked up. */
  perEntity: boolean;
};

export type Actors = {
  /** Unix milliseconds. */
  at: number;
  /** The rows. */
  values: Array<ActorKind>;
};

export type Advance = {
  /** Whether it was tried and not done. */
  dryRun: boolean;
  /** The period that ends. */
  closes: Period;
  /** The period that begins. */
  opens: Period;
  /** Allocations that are made. */
  allocationsCreated: number;
  /** All votes that are given out. */
  totalVotesAllocated: number;
  /** Profiles that get votes. */
  usersAffected: number;
};

export type AdvanceOrder = {
  /** The open period as year/number, such as `2026/11`: an advance that somebody else was faster with is refused. */
  confirm: string;
};

export type Analysis = {
  /** How it stands. */
  state: "none" | "running" | "done" | "failed" | "stopped";
  /** Unix milliseconds. */
  startedAt: number | null;
  /** Unix milliseconds. */
  endedAt: number | null;
  /** How much of it is done, 0 to 1. */
  share: number;
  /** Why it failed; null where it did not. */
  error: string | null;
  /** Unix milliseconds; null while none has come to its end. */
  foundAt: number | null;
  /** Votes it looked at; of more than eight million the newest. */
  votes: number | null;
  /** Profiles there were. */
  people: number | null;
  /** Whose votes go together in several ways. */
  groups: Array<Finding>;
  /** Profiles that vote for each other. */
  reciprocal: Array<Finding>;
  /** Many votes on a project within moments. */
  bursts: Array<Finding>;
  /** Profiles that vote within the same second again and again. */
  sameSecond: Array<Finding>;
  /** Fresh accounts that vote alike. */
  fresh: Array<Finding>;
};

export type ApiAccessOrder = {
  /** Whether it may have API keys. */
  allowed: boolean;
};

export type ApiKey = {
  /** Its id. */
  id: string;
  /** Whose it is. */
  profileId: number;
  /** What the owner calls it. */
  name: string;
  /** The wallet that signed for it. */
  address: string;
  /** What it may do; null for everything. */
  scopes: Array<string> | null;
  /** From where it works; empty for anywhere. */
  networks: Array<string>;
  /** Unix milliseconds. */
  createdAt: number;
  /** Unix milliseconds. */
  expiresAt: number;
  /** Unix milliseconds. */
  lastUsedAt: number | null;
};

export type AuditEntry = {
  /** Its number; entries are chained in this order. */
  number: number;
  /** Unix milliseconds. */
  at: number;
  /** What was done, as one name. */
  act: string;
  /** Whom it is about; null for nobody. */
  profileId: number | null;
  /** Who asked; null for whoever has no profile. */
  callerId: number | null;
  /** What they showed. */
  credential: string;
  /** The request. */
  requestId: string;
  /** From where. */
  address: string;
  /** What it was done to. */
  subject: string;
  /** The state before; null for none. */
  before: string | null;
  /** The state after; null for none. */
  after: string | null;
};

export type Budget = {
  /** Its name. */
  bucket: "read" | "write" | "wallet" | "admin" | "anonymous" | "credentials" | "address";
  /** What it counts, as its setting says. */
  counts: string;
  /** As in the setting, such as `200/s burst 2000`; `0` for no bound. */
  rate: string;
  /** Answered 429 since the start. */
  refused: number;
};

export type BusiestActors = {
  /** The rows. */
  values: Array<Actor>;
};

export type CastVote = {
  /** The project. */
  projectId: number;
  /** Its name. */
  projectName: string;
  /** Who voted. */
  profileId: number;
  /** The name that others see. */
  name: string;
  /** The project's own count of its votes. */
  number: number;
  /** For which side. */
  side: "bullish" | "bearish";
  /** By the level of the voter at that moment; the board ranks by it. */
  weight: number;
  /** What the voter said; null for nothing. */
  reason: string | null;
  /** Unix milliseconds. */
  castAt: number;
};

export type Chain = {
  /** Whether a chain is followed. */
  followed: boolean;
  /** Which chain. */
  chainId: number | null;
  /** How following goes. */
  state: "starting" | "backfill" | "following" | "unavailable" | "halted" | "replaying" | null;
  /** Why it does not go on. */
  why: string;
  /** The newest block of the node. */
  head: number | null;
  /** The newest safe block. */
  safe: number | null;
  /** The newest final block. */
  finalized: number | null;
  /** The newest block whose events are stored. */
  stored: number | null;
  /** The block that rights rest on. */
  authority: number | null;
  /** Blocks between `stored` and `head`. */
  lagBlocks: number | null;
  /** Nodes. */
  endpoints: number;
  /** Nodes that are not believed. */
  endpointsWrong: number;
  /** Times that blocks were taken back. */
  reorganisations: number;
  /** Events that became no records. */
  failed: number;
  /** By contract and kind. */
  events: Array<{
    /** The contract. */
    contract: string;
    /** Its kind. */
    event: string;
    /** Those that became records. */
    applied: number;
    /** Those that make none. */
    ignored: number;
    /** Those that could not. */
    failed: number;
  }>;
};

export type ChartPoint = {
  /** Unix milliseconds. */
  at: number;
  /** Votes for it. */
  bullish: number;
  /** Votes against it. */
  bearish: number;
};

export type Client = {
  /** By `X-Service-Client`, up to an `@`; `none` without one, `other` for all beyond those that are counted by themselves. */
  client: string;
  /** All requests. */
  requests: number;
  /** Answered 4xx. */
  clientErrors: number;
  /** Of these, 429. */
  rateLimited: number;
  /** Answered 5xx. */
  serverErrors: number;
  /** Calls of routes that go away. */
  deprecated: number;
};

export type Clients = {
  /** Unix milliseconds. */
  since: number;
  /** The rows. */
  values: Array<Client>;
};

export type ConnectionCount = {
  /** What the sessions call themselves. */
  application: string;
  /** As PostgreSQL calls it. */
  state: string;
  /** How many there are. */
  count: number;
};

export type CreditOrder = {
  /** Wei, in decimal digits. */
  amountWei: string;
  /** The profile's id once more, typed. */
  confirm: string;
};

export type DatabaseActivity = {
  /** Transactions that are open, 50 at most, the oldest first. */
  underWay: Array<StatementUnderWay>;
  /** Connections to this database, by who holds them. */
  connections: Array<ConnectionCount>;
  /** The 30 statements that took most time in all, as pg_stat_statements counts; of other roles than the server's only those that read or change rows, whose constants it leaves out; null where PostgreSQL has not loaded it, or it was not created in this database. */
  slow: Array<SlowStatement> | null;
  /** The disk with `data_dir`, which is that of PostgreSQL only where both are on one; null where it cannot be looked at. */
  disk: {
    /** What is used of it. */
    usedBytes: number;
    /** How much of it can be used. */
    sizeBytes: number;
  } | null;
  /** When a piece of the write-ahead log was last archived, in Unix milliseconds; null where none was. */
  archivedAt: number | null;
  /** When a backup last came to its end, in Unix milliseconds, as its unit on this machine left it for the node exporter; null where it left nothing. */
  backupAt: number | null;
  /** When what is stored was last verified, here or by the unit on this machine, in Unix milliseconds; null where neither is known. */
  verifiedAt: number | null;
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
  /** The route. */
  route: string;
  /** Who calls it. */
  clients: Array<{
    /** As it names itself. */
    client: string;
    /** All requests. */
    requests: number;
  }>;
};

export type Done = {
  /** It is done. */
  ok: boolean;
};

export type EndAccessOrder = {
  /** The profile's id once more, typed. */
  confirm: string;
};

export type EndedAccess = {
  /** Whether it was tried and not done. */
  dryRun: boolean;
  /** Sessions that ended, or would. */
  sessions: number;
  /** API keys that were revoked, or would be. */
  apiKeys: number;
  /** Partners whose pages may act no more, or would. */
  partners: number;
  /** Whether some are left, as one request ends 50 keys and partners: repeat it. `false` for a dry run. */
  more: boolean;
};

export type Error = {
  /** Which error it is, for programs. */
  code: string;
  /** What is wrong, and what would be right. */
  message: string;
  /** Every mistake of the request. */
  issues?: Array<string>;
};

export type Evidence = {
  /** For people. */
  text: string;
  /** Unix milliseconds. */
  at?: number;
  /** The project. */
  projectId?: number;
};

export type FailedEvent = {
  /** The contract. */
  contract: string;
  /** Its kind. */
  event: string;
  /** Why. */
  reason: string;
  /** How many. */
  events: number;
  /** The id of the latest. */
  lastId: number;
};

export type Finding = {
  /** Its name within the analysis. */
  id: string;
  /** Whom it is about. */
  profiles: Array<number>;
  /** How many they are. */
  size: number;
  /** 0 to 1: 1 - 10^(-d/10) where chance does this less than once in 10^d. */
  confidence: number;
  /** What was found. */
  summary: string;
  /** The votes that it rests on. */
  evidence: Array<Evidence>;
  /** Unix milliseconds; when its members first voted together, or joined where they did not. */
  firstAt: number;
  /** Unix milliseconds. */
  lastAt: number;
};

export type Firing = {
  /** As the alert of Prometheus is called. */
  name: string;
  /** `page`: at once; `warn`: on the next working day. */
  severity: "page" | "warn";
  /** `false`: it holds, but not yet for as long as its alert waits. */
  fires: boolean;
  /** How long its alert waits. */
  firesAfterSeconds: number;
  /** Unix milliseconds. */
  since: number;
  /** What holds, in a sentence. */
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
  /** How far the samples are apart, where the server was there. */
  stepMs: number;
  /** The rows. */
  values: Array<Sample>;
  /** What routes answered in this time, the busiest first. Of each second and minute the 12 busiest are kept. */
  routes: Array<SeriesTotal>;
  /** What clients asked in this time, the busiest first. Of each second and minute the 8 busiest are kept. */
  clients: Array<SeriesTotal>;
  /** What happened in this time, the oldest first; of the last 384 acts and the last 128 of each other kind. */
  marks: Array<SeriesMark>;
  /** The room that all figures take, in memory and on disk. It does not grow. */
  keptBytes: number;
  /** Whether they are in a file; else `data_dir` had no room, or another server has the file. */
  outlivesRestarts: boolean;
};

export type HumanOrder = {
  /** Whether the person is verified. */
  verified: boolean;
  /** Why; it is shown with the verification. */
  comment: string;
};

export type InspectedActor = Actor & {
  /** What it holds in memory. Null where no actor is, and where none answered within half a second, such as while it is loaded. */
  state: Array<ActorFigure> | null;
  /** The last 16 that it sent to the database, newest first; null where `state` is. */
  changes: Array<ActorChange> | null;
};

export type Intake = {
  /** Whether writes are let in. */
  open: boolean;
  /** Unix milliseconds. */
  since: number | null;
  /** It opens by itself then. */
  until: number | null;
  /** Why they are not; empty while they are. */
  reason: string;
  /** Who paused them. */
  by: string;
};

export type IntakeOrder = {
  /** Whether to let writes in. */
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
  /** What is logged now, and what is graver. */
  level: "debug" | "info" | "warn" | "error" | "off";
  /** What the settings say. */
  configured: "debug" | "info" | "warn" | "error" | "off";
  /** The configured one returns then. */
  until: number | null;
  /** Who changed it; null for nobody. */
  by: string | null;
};

export type LogLevelOrder = {
  /** What to log, and what is graver. */
  level: "debug" | "info" | "warn" | "error" | "off";
  /** Then the configured one returns. */
  minutes: number;
};

export type LogLine = {
  /** Grows from line to line; begins anew with the process. */
  number: number;
  /** Unix milliseconds. */
  at: number;
  /** Its level. */
  level: "debug" | "info" | "warn" | "error";
  /** What happened, as one name. */
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
  /** The profile that it is about. */
  profileId: number;
  /** The name of the person. */
  name: string;
  /** Votes of trust that are held. */
  trustVotes: number;
  /** Votes of distrust that are held. */
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
  /** Its number. */
  version: number;
  /** Its title. */
  name: string;
  /** Whether it is applied. */
  state: "applied" | "pending" | "changed" | "unknown";
};

export type OpenSession = {
  /** Its name; `endSession` takes it. */
  id: string;
  /** Who is signed in, for people: `profile 7`, or who made the link. */
  name: string;
  /** The profile; null for a link. */
  profileId: number | null;
  role: Role;
  /** How they came in. */
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

export type OpenSessions = {
  /** The rows. */
  values: Array<OpenSession>;
  /** A session ends so long after its last call. */
  idleMaxSeconds: number;
  /** It ends so long after it began, however it is used. */
  maxSeconds: number;
  /** One of the role `wall` ends so long after it began, and not sooner (`http.admin_wall_days`). */
  wallMaxSeconds: number;
};

export type Overview = {
  /** Unix milliseconds. */
  at: number;
  /** The process. */
  server: {
    /** Its version. */
    version: string;
    /** Unix milliseconds. */
    startedAt: number;
  };
  /** Whether it serves. */
  ready: boolean;
  /** The checks of `/readyz`. */
  parts: Array<Part>;
  /** Requests of the last ten seconds. */
  traffic: Traffic;
  /** What clients did in the last ten seconds. */
  activity: Activity;
  /** The writer, in the last ten seconds. */
  store: StorePulse;
  /** The open voting period; null for none. */
  period: Period | null;
  /** Alerts whose condition holds. */
  firing: Array<Firing>;
};

export type Part = {
  /** A check of `/readyz`, such as `store`. */
  name: string;
  /** Whether it is. */
  ready: boolean;
  /** What it checks. */
  meaning: string;
};

export type Period = {
  /** Its id. */
  id: number;
  /** The year in which it began. */
  year: number;
  /** Its number in the year. */
  number: number;
  /** Unix milliseconds. */
  startsAt: number;
  /** Planned, of the open one. */
  endsAt: number;
  /** Unix milliseconds. */
  closedAt: number | null;
  /** When it was opened. */
  liveProfiles: number;
  /** Projects that took votes when it opened. */
  activeProjects: number;
};

export type Periods = {
  /** The rows. */
  values: Array<Period>;
  /** How many there are in all. */
  total: number;
  /** `actors.period_advance`. */
  advance: "monthly" | "manual";
};

export type Person = {
  /** The user. */
  userId: number;
  /** The profile; null for none. */
  profileId: number | null;
  /** The username; null for none. */
  username: string | null;
  /** The name that others see. */
  displayName: string;
  /** The score, 0 to 2800. */
  score: number;
  /** XP that may be tipped; null without a profile. */
  xp: number | null;
  /** Every address. */
  addresses: Array<string>;
  /** Whether the profile is archived; null without one. */
  archived: boolean | null;
  /** Whether it may have API keys; null without a profile. */
  apiAccess: boolean | null;
  /** Money for markets; null where there is none. */
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
  /** The profile; null for none. */
  profileId: number | null;
  /** The user. */
  userId: number;
  /** The username; null for none. */
  username: string | null;
  /** The name that others see. */
  displayName: string;
  /** The score, 0 to 2800. */
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
  /** What it is. */
  description: string;
  /** Unix milliseconds. */
  createdAt: number;
  /** In the open period. */
  bullishNow: number;
  /** Votes against it in the open period. */
  bearishNow: number;
};

export type ProjectOrder = {
  /** Whose project it is, such as `service:x.com:username:…`. */
  userkey: string;
  /** Its name; left out, the account's. */
  name?: string;
  /** What it is. */
  description?: string;
  /** Ids of its categories. */
  categories?: Array<number>;
  /** Ids of its chains. */
  chains?: Array<number>;
};

export type ProjectRow = {
  /** The project. */
  projectId: number;
  /** The username of its account. */
  username: string;
  /** Its name. */
  name: string;
  /** Archived projects take no votes. */
  status: "ACTIVE" | "ARCHIVED";
  /** Votes for it. */
  bullish: number;
  /** Votes against it. */
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
  /** Standbys that are connected. */
  standbys: Array<DatabaseStandby>;
};

export type Ring = {
  /** The same from run to run. */
  ringId: number;
  /** What the newest run says of it; where that run found 100 rings, and this is none of them, what a run before has said. */
  change: "new" | "grown" | "same" | "gone";
  /** What somebody has made of it; `open` where nobody has, or it has grown since. */
  mark: "open" | "looked_at" | "honest" | "acted_on";
  /** Who marked it last. */
  markedBy: string | null;
  /** Unix milliseconds. */
  markedAt: number | null;
  /** What was said with the mark. */
  remark: string;
  /** Unix milliseconds; the first run that found it. */
  firstFoundAt: number;
  /** Unix milliseconds; the newest run that found it. */
  lastFoundAt: number;
  /** How many runs found it. */
  runs: number;
  /** Its members, in the newest run that found it; 500 at most. */
  profiles: Array<number>;
  /** How many they are. */
  size: number;
  /** 0 to 1: 1 - 10^(-d/10) where chance does this less than once in 10^d. */
  confidence: number;
  /** What was found. */
  summary: string;
  /** What it rests on. */
  evidence: Array<Evidence>;
  /** Unix milliseconds; when its members first voted together, or joined where they did not. */
  firstAt: number;
  /** Unix milliseconds. */
  lastAt: number;
};

export type RingActs = {
  /** Whether it was only tried. */
  dryRun: boolean;
  /** Member by member. */
  done: Array<ActedOn>;
  /** `after` of the next request; null where this was the last member. */
  next: number | null;
};

export type RingMark = {
  /** What it is. */
  mark: "open" | "looked_at" | "honest" | "acted_on";
  /** `runs` of the ring as the caller has seen it. */
  runs: number;
  /** Why, or what was done. */
  remark?: string;
};

export type RingOrder = {
  /** What is done to each member. */
  acts: Array<"revoke_keys" | "take_api_access" | "freeze_market">;
  /** `runs` of the ring as the caller has seen it. */
  runs: number;
  /** `next` of the answer before; without it from the first member on. */
  after?: number;
  /** The ring's id once more, typed. */
  confirm: string;
};

export type RingReview = {
  /** Votes of several members for one side of a project, those of most members first; 200 at most. */
  votes: Array<SharedVote>;
  /** What they did for each other, the newest first; 500 at most. */
  ties: Array<RingTie>;
};

export type RingRun = {
  /** Unix milliseconds. */
  startedAt: number;
  /** Unix milliseconds. */
  endedAt: number;
  /** Votes it looked at. */
  votes: number;
  /** Profiles there were. */
  people: number;
  /** Rings it found. */
  found: number;
  /** Of these, those that no run had found. */
  new: number;
  /** Of these, those with a member that no run had seen in them. */
  grown: number;
  /** Rings that were there before and that it did not find. 0 where it found 100, as it tells no more. */
  gone: number;
};

export type RingTie = {
  /** A positive review, a vouch that stands, or an upvote of a review. */
  kind: "REVIEW" | "VOUCH" | "UPVOTE";
  /** Whose it is. */
  from: number;
  /** Whom it is for. */
  to: number;
  /** Unix milliseconds. */
  at: number;
};

export type Rings = {
  /** The page. */
  values: Array<Ring>;
  /** `cursor` of the page behind; null at the end. */
  next: string | null;
  /** How many there are. */
  total: number;
  /** The newest ten, the newest first. */
  runs: Array<RingRun>;
};

export type Role = "wall" | "viewer" | "operator" | "admin";

export type Sample = {
  /** Unix milliseconds. */
  at: number;
  /** Requests. */
  requestsPerSecond: number;
  /** Answers with 5xx. */
  errorsPerSecond: number;
  /** Half of the answers are faster. */
  p50Ms: number | null;
  /** 99 of 100 answers are faster. */
  p99Ms: number | null;
  /** Votes on projects. */
  votesPerSecond: number;
  /** Trades on markets. */
  tradesPerSecond: number;
  /** Tips. */
  tipsPerSecond: number;
  /** Changes that wait for the writer; the most within the step. */
  queued: number;
  /** Batches that were committed. */
  batchesPerSecond: number;
  /** Changes in one of them. */
  changesPerBatch: number | null;
  /** Room that the database takes on disk, in whole MiB; asked for once a minute. */
  databaseBytes: number | null;
  /** Half of the commits are faster. */
  commitP50Ms: number | null;
  /** 99 of 100 commits are faster; the highest within the step. */
  commitP99Ms: number | null;
  /** Answers with 4xx. */
  refusalsPerSecond: number;
  /** Requests turned away because a bucket was empty (429). */
  limitedPerSecond: number;
};

export type SeriesMark = {
  /** Unix milliseconds. */
  at: number;
  /** A start, one with another version, a stop by itself, what somebody did at the console or its API, an alert that began to fire, one that is over. */
  kind: "start" | "deployment" | "stop" | "act" | "alert" | "alertOver";
  /** What happened. */
  text: string;
};

export type SeriesTotal = {
  /** Of a route its method and path, of a client the name in X-Service-Client, or `none` or `other`. */
  name: string;
  /** Requests. */
  requests: number;
  /** Answers with 5xx. */
  errors: number;
  /** Answers with 4xx. */
  refusals: number;
  /** Answers with 429, of clients; of routes 0. */
  limited: number;
  /** Of routes, the highest of the values that 99 of 100 answers of a step stayed below. */
  p99Ms: number | null;
};

export type Session = {
  /** Who is signed in, for people: `profile 7` or `link of root`. */
  name: string;
  /** The profile; null for a link. */
  profileId: number | null;
  role: Role;
  /** How they came in. */
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
  /** Its name. */
  name: string;
  /** `***` for a secret that is set. */
  value: string;
  /** `flag`, `environment`, `file:LINE` or `default`. */
  origin: string;
  /** Its value where nobody sets it. */
  default: string;
  /** What it is for. */
  help: string;
  /** Whether its value is hidden. */
  secret: boolean;
  /** Where a restart would change it. */
  afterRestart?: string;
};

export type Settings = {
  /** Where it is read from. */
  file: string | null;
  /** The rows. */
  values: Array<Setting>;
  /** Why a restart would fail. */
  mistakes: Array<string>;
};

export type Shard = {
  /** Its number. */
  shard: number;
  /** The process that writes it. */
  owner: string;
  /** How often its owner has changed. */
  epoch: number;
  /** Kept in the table of batches. */
  batches: number;
  /** The number of its last transaction. */
  lastSequence: number;
  /** The last global number given out. */
  lastNumber: number;
};

export type SharedVote = {
  /** On what they voted. */
  projectId: number;
  /** For which side. */
  bullish: boolean;
  /** Who did. */
  profiles: Array<number>;
  /** Unix milliseconds; the first of these votes. */
  firstAt: number;
  /** Unix milliseconds; the last of these votes. */
  lastAt: number;
};

export type SignIn = {
  /** EIP-4361. */
  message: string;
  /** Of the message, by the wallet. */
  signature: string;
};

export type SignInTerms = {
  /** Good for ten minutes. */
  nonce: string;
  /** That the message names where the page's own host is none of `domains`. */
  domain: string;
  /** The URI of the message. */
  uri: string;
  /** `http` or `https`. */
  scheme: string;
  /** The chain of the message. */
  chainId: number;
  /** The statement of the message. */
  statement: string;
  /** The version of the message. */
  version: "1";
  /** RFC 3339; `Expiration Time` of the message. */
  expirationTime: string;
  /** RFC 3339; `Issued At` of the message. */
  issuedAt: string;
  /** Every domain that a message may name. */
  domains: Array<string>;
};

export type SlashRow = {
  /** The slash. */
  slashId: number;
  /** Who accuses. */
  authorProfileId: number;
  /** Who is accused. */
  subject: string;
  /** How much is at stake. */
  amount: number;
  /** How it stands. */
  state: string;
  /** Unix milliseconds. */
  createdAt: number;
  /** Unix milliseconds. */
  endsAt: number;
};

export type SlowStatement = {
  /** The statement without its parameters, 500 characters of it at most. */
  text: string;
  /** How often it ran since the counts began. */
  calls: number;
  /** Rows in all. */
  rows: number;
  /** Time in all. */
  totalMs: number;
  /** Time of one run. */
  meanMs: number;
};

export type StatementUnderWay = {
  /** The process of PostgreSQL. */
  pid: number;
  /** What the session calls itself. */
  application: string;
  /** As PostgreSQL calls it, such as `active` or `idle in transaction`. */
  state: string;
  /** How long the statement runs, or, where none does, how long the transaction is open. */
  seconds: number;
  /** What it waits for, as PostgreSQL calls it. */
  waitsFor: string | null;
  /** The processes whose locks it waits for, with commas between. */
  blockedBy: string | null;
  /** Its last statement, 500 characters of it at most; of another role than the server's its first word, as there may be a secret in it. */
  text: string;
};

export type Store = {
  /** Unix milliseconds. */
  at: number;
  /** Null, as `database`, `tables` and `migrations`, while the database does not tell. */
  shards: Array<Shard> | null;
  /** The writer. */
  writer: Writer;
  /** PostgreSQL; null while it does not answer. */
  database: {
    /** Its version. */
    version: string;
    /** How large it is. */
    bytes: number;
  } | null;
  /** The largest first. */
  tables: Array<Table> | null;
  /** Migrations; null while the database does not answer. */
  migrations: Array<Migration> | null;
  /** Standbys; null while the database does not answer. */
  replication: Replication | null;
  /** Whether writes are let in. */
  intake: Intake;
  /** The last verification; null for none. */
  verification: Verification | null;
};

export type StorePulse = {
  /** Whether changes can be written. */
  writable: boolean;
  /** Whether writes are let in. */
  intakeOpen: boolean;
  /** Changes that wait for the writer. */
  queued: number;
  /** Transactions of the writer. */
  batchesPerSecond: number | null;
  /** Changes in each of them, on average. */
  changesPerBatch: number | null;
  /** Half of the transactions are faster. */
  flushP50Ms: number | null;
  /** 99 of 100 transactions are faster. */
  flushP99Ms: number | null;
  /** Since the database last confirmed that this server owns it. */
  leaseAgeMs: number;
  /** Whether the clock agrees with the database's. */
  clockGood: boolean;
  /** By how much it differs. */
  clockDifferenceUs: number;
};

export type StoredRun = {
  /** `false` where a run that ended then or later is stored already. */
  stored: boolean;
  /** The run that was stored. */
  run: RingRun | null;
};

export type Table = {
  /** Its name. */
  name: string;
  /** As PostgreSQL estimates. */
  rows: number;
  /** With indexes and large values. */
  bytes: number;
  /** Of that, indexes. */
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
  /** 99 of 100 answers are faster. */
  p99Ms: number | null;
  /** Requests that are being answered. */
  inFlight: number;
  /** Open connections. */
  connections: number;
};

export type Verification = {
  /** Its number. */
  id: number;
  /** How it stands. */
  state: "running" | "done" | "stopped" | "failed";
  /** Unix milliseconds. */
  startedAt: number;
  /** Unix milliseconds. */
  endedAt: number | null;
  /** Who started it. */
  by: string;
  /** What is being checked. */
  part: string;
  /** 0 to 1. */
  share: number;
  /** What differs. */
  differences: number;
  /** Why it failed; null where it did not. */
  error: string | null;
  /** What was checked. */
  results: Array<{
    /** Its name. */
    name: string;
    /** What must hold. */
    promise: string;
    /** What differs. */
    differences: number;
    /** Some of the differences. */
    examples: Array<string>;
  }>;
};

export type Writer = {
  /** Whether changes can be written. */
  writable: boolean;
  /** Changes that wait. */
  queued: number;
  /** As many may wait at most. */
  queueMax: number;
  /** Transactions since the start. */
  batches: number;
  /** Changes since the start. */
  changes: number;
  /** Transactions that failed. */
  batchFailures: number;
  /** Changes that the database refused. */
  changesFailed: number;
  /** Transactions whose outcome was unknown at first. */
  unknownOutcomes: number;
  /** Of these, stored. */
  resolvedStored: number;
  /** Of these, not stored. */
  resolvedAbsent: number;
  /** Times that the connection was opened anew. */
  reconnects: number;
  /** Half of the commits are faster. */
  commitP50Ms: number | null;
  /** 99 of 100 commits are faster. */
  commitP99Ms: number | null;
  /** Why nothing can be written: the last error. */
  trouble: {
    /** As PostgreSQL says it, such as `53100`; null where it cannot be reached. */
    sqlstate: string | null;
    /** What the database said. */
    error: string;
    /** Unix milliseconds. */
    at: number;
  } | null;
  /** Reads that wait for a connection. */
  readsWaiting: {
    /** Of actors. */
    loads: number;
    /** Of lists and searches. */
    lists: number;
  };
};
