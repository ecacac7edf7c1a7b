import assert from "node:assert/strict";
import * as api from "./api/index.js";
import { client } from "./api/client.gen.js";
import * as operators from "./console/index.js";
import { client as operatorsClient } from "./console/client.gen.js";
import * as story from "./story.js";
import { admin, name, refused, run, voter } from "./story.js";

client.setConfig({ baseUrl: story.api, headers: { "X-Service-Client": name } });
operatorsClient.setConfig({ baseUrl: story.operators });

const by = (authorization: string) => ({ headers: { Authorization: authorization } });

/** The answer, or an end with what came instead. */
function answered<Data>({ data, error }: { data: Data | undefined; error: unknown }): Data {
  assert.ok(data !== undefined, JSON.stringify(error));
  return data;
}

await run("hey-api", {
  openPeriod: async () => answered(await api.openNextVotingPeriod(by(admin))),
  voters: async (projectId, sentiment, limit, offset) =>
    answered(await api.listProjectVoters({ path: { projectId }, query: { sentiment, scope: "global", limit, offset } })),
  totals: async (projectId, profileIds) => answered(await api.getVoteTotalsOfProfiles({ query: { projectId, profileIds } })),
  replies: async (ids) => answered(await api.listRepliesById({ query: { ids } })),
  reply: async (id, content) => answered(await api.createReply({ body: { type: "review", id, content }, ...by(voter) })),
  review: async (subject, score) => answered(await api.createReview({ body: { subject, score, comment: "kept its word" }, ...by(voter) })),
  vote: async (projectId, voteType) => {
    const answer = await api.voteOnProject({ path: { projectId }, body: { voteType }, ...by(voter) });
    return answer.error ? refused(answer.response?.status ?? 0, answer.error) : answered(answer);
  },
  deposit: async (profileId, amount, reference) => answered(await api.depositMoney({ body: { profileId, amount, reference }, ...by(admin) })),
  balance: async () => answered(await api.getMarketBalance(by(voter))),
  overview: async () => answered(await operators.getOverview(by(admin))),
  nobody: async (profileId) => {
    const { error, response } = await operators.getPerson({ path: { profileId }, ...by(admin) });
    assert.ok(error);
    return { status: response?.status ?? 0, ...error };
  },
});
