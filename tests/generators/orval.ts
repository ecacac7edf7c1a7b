import assert from "node:assert/strict";
import * as api from "./api.js";
import * as operators from "./console.js";
import { admin, name, refused, run, voter } from "./story.js";

const by = (authorization?: string): RequestInit => ({ headers: { "X-Service-Client": name, ...(authorization && { Authorization: authorization }) } });

/** The answer of this status, or an end with the one that came. */
function answered<Answer extends { status: number; data: unknown }, Status extends number>(answer: Answer, status: Status): Extract<Answer, { status: Status }>["data"] {
  assert.equal(answer.status, status, JSON.stringify(answer.data));
  return answer.data;
}

await run("orval", {
  openPeriod: async () => answered(await api.openNextVotingPeriod(by(admin)), 200),
  voters: async (projectId, sentiment, limit, offset) => answered(await api.listProjectVoters(projectId, { sentiment, scope: "global", limit, offset }, by()), 200),
  totals: async (projectId, profileIds) => answered(await api.getVoteTotalsOfProfiles({ projectId, profileIds }, by()), 200),
  replies: async (ids) => answered(await api.listRepliesById({ ids }, by()), 200),
  reply: async (id, content) => answered(await api.createReply({ type: "review", id, content }, {}, by(voter)), 200),
  review: async (subject, score) => answered(await api.createReview({ subject, score, comment: "kept its word" }, {}, by(voter)), 200),
  vote: async (projectId, voteType) => {
    const answer = await api.voteOnProject(projectId, { voteType }, {}, by(voter));
    return answer.status === 400 ? refused(400, answer.data) : answered(answer, 200);
  },
  deposit: async (profileId, amount, reference) => answered(await api.depositMoney({ profileId, amount, reference }, {}, by(admin)), 200),
  balance: async () => answered(await api.getMarketBalance(by(voter)), 200),
  overview: async () => answered(await operators.getOverview(by(admin)), 200),
  nobody: async (profileId) => {
    const answer = await operators.getPerson(profileId, by(admin));
    return { status: answer.status, ...answered(answer, 404) };
  },
});
