import assert from "node:assert/strict";
import * as api from "./api.js";
import * as operators from "./console.js";
import * as story from "./story.js";
import { admin, name, refused, run, voter } from "./story.js";

api.defaults.baseUrl = story.api;
api.defaults.headers = { "X-Service-Client": name };
operators.defaults.baseUrl = story.operators;

const by = (authorization: string) => ({ headers: { Authorization: authorization } });

/** The answer 200, or an end with the one that came. */
function answered<Answer extends { status: number; data?: unknown }>(answer: Answer): Extract<Answer, { status: 200 }>["data"] {
  assert.equal(answer.status, 200, JSON.stringify(answer.data));
  return answer.data;
}

await run("oazapfts", {
  openPeriod: async () => answered(await api.openNextVotingPeriod({}, by(admin))),
  voters: async (projectId, sentiment, limit, offset) => answered(await api.listProjectVoters(projectId, { sentiment, scope: "global", limit, offset })),
  totals: async (projectId, profileIds) => answered(await api.getVoteTotalsOfProfiles(projectId, profileIds)),
  replies: async (ids) => answered(await api.listRepliesById(ids)),
  reply: async (id, content) => answered(await api.createReply({ type: "review", id, content }, {}, by(voter))),
  review: async (subject, score) => answered(await api.createReview({ subject, score, comment: "kept its word" }, {}, by(voter))),
  vote: async (projectId, voteType) => {
    const answer = await api.voteOnProject(projectId, { voteType }, {}, by(voter));
    return answer.status === 400 ? refused(answer.status, answer.data) : answered(answer);
  },
  deposit: async (profileId, amount, reference) => answered(await api.depositMoney({ profileId, amount, reference }, {}, by(admin))),
  balance: async () => answered(await api.getMarketBalance({}, by(voter))),
  overview: async () => answered(await operators.getOverview(by(admin))),
  nobody: async (profileId) => {
    const answer = await operators.getPerson(profileId, by(admin));
    assert.ok(answer.status === 404);
    return { status: answer.status, ...answer.data };
  },
});
