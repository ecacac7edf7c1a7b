import assert from "node:assert/strict";
import { isErrorFromAlias } from "@zodios/core";
import { createApiClient } from "./api.js";
import { createApiClient as createOperatorsClient } from "./console.js";
import * as story from "./story.js";
import { admin, name, refused, run, voter } from "./story.js";

// axios writes an array of a query as `ids[]=5&ids[]=6`, whatever the document says of it; `indexes: null` has it leave the brackets out.
const options = { axiosConfig: { headers: { "X-Service-Client": name }, paramsSerializer: { indexes: null } } };
const api = createApiClient(story.api, options); // every answer is compared with its schema
const operators = createOperatorsClient(story.operators, options);

const by = (authorization: string) => ({ headers: { Authorization: authorization } });

await run("openapi-zod-client", {
  openPeriod: () => api.openNextVotingPeriod(undefined, by(admin)),
  voters: (projectId, sentiment, limit, offset) => api.listProjectVoters({ params: { projectId }, queries: { sentiment, scope: "global", limit, offset } }),
  totals: (projectId, profileIds) => api.getVoteTotalsOfProfiles({ queries: { projectId, profileIds } }),
  replies: (ids) => api.listRepliesById({ queries: { ids } }),
  reply: (id, content) => api.createReply({ type: "review", id, content }, by(voter)),
  review: (subject, score) => api.createReview({ subject, score, comment: "kept its word" }, by(voter)),
  vote: async (projectId, voteType) => {
    try {
      return await api.voteOnProject({ voteType }, { params: { projectId }, ...by(voter) });
    } catch (error) {
      if (isErrorFromAlias(api.api, "voteOnProject", error) && error.response.status === 400) return refused(400, error.response.data);
      throw error;
    }
  },
  deposit: (profileId, amount, reference) => api.depositMoney({ profileId, amount, reference }, by(admin)),
  balance: () => api.getMarketBalance(by(voter)),
  overview: () => operators.getOverview(by(admin)),
  nobody: async (profileId) => {
    try {
      await operators.getPerson({ params: { profileId }, ...by(admin) });
    } catch (error) {
      if (isErrorFromAlias(operators.api, "getPerson", error) && error.response.status === 404) return { status: 404, ...error.response.data };
      throw error;
    }
    return assert.fail("there is such a person");
  },
});
