import assert from "node:assert/strict";
import { ActivityKind, Api, type HttpResponse } from "./api.js";
import { Api as Operators } from "./console.js";
import * as story from "./story.js";
import { admin, name, refused, run, voter } from "./story.js";

const { api } = new Api({ baseUrl: story.api, baseApiParams: { headers: { "X-Service-Client": name }, format: "json" } });
const { admin: operators } = new Operators({ baseUrl: story.operators });

const by = (authorization: string) => ({ headers: { Authorization: authorization } });
const data = async <Data>(answer: Promise<{ data: Data }>): Promise<Data> => (await answer).data;

/** What a call throws that is not answered with 2xx, of the type that the client says it has. */
async function thrown<Data, Failure>(call: Promise<HttpResponse<Data, Failure>>): Promise<HttpResponse<Data, Failure>> {
  return call.catch((answer: HttpResponse<Data, Failure>) => answer);
}

await run("swagger-typescript-api", {
  openPeriod: () => data(api.openNextVotingPeriod(by(admin))),
  voters: (projectId, sentiment, limit, offset) => data(api.listProjectVoters(projectId, { sentiment, scope: "global", limit, offset })),
  totals: (projectId, profileIds) => data(api.getVoteTotalsOfProfiles({ projectId, profileIds })),
  replies: (ids) => data(api.listRepliesById({ ids })),
  reply: (id, content) => data(api.createReply({ type: ActivityKind.Review, id, content }, {}, by(voter))),
  review: (subject, score) => data(api.createReview({ subject, score, comment: "kept its word" }, {}, by(voter))),
  vote: async (projectId, voteType) => {
    const answer = await thrown(api.voteOnProject(projectId, { voteType }, {}, by(voter)));
    return answer.ok ? answer.data : refused(answer.status, answer.error);
  },
  deposit: (profileId, amount, reference) => data(api.depositMoney({ profileId, amount, reference }, {}, by(admin))),
  balance: () => data(api.getMarketBalance(by(voter))),
  overview: () => data(operators.getOverview(by(admin))),
  nobody: async (profileId) => {
    const answer = await thrown(operators.getPerson(profileId, by(admin)));
    assert.equal(answer.ok, false);
    return { status: answer.status, ...answer.error };
  },
});
