// What happens on the chain: every event that the server reads, at least once, in an order that makes sense.
//
// Who writes are people of the demo: their addresses are the development wallets that the node signs for, so they are who
// they are in the database, too. What they write about, and what the chain itself creates, is new: newcomers join, and
// every id begins behind a million, as if the contracts had counted for years before the first block that is followed.
// Profiles, reviews, markets and so on of the demo were made over the API and have small ids, so nothing of the chain
// takes the place of one of them, or is refused because one of them is there. Without the demo three founders write, who
// join first.
import { encodeAbiParameters, getAddress, keccak256, stringToHex, zeroAddress, zeroHash } from "viem";
import { contracts } from "./contracts.mjs";

/** The first id of everything that the chain creates is this one plus one, but for founders, who come before. */
const idsBehind = 1_000_000;
const id = (n) => idsBehind + n;
const ether = (thousandths) => BigInt(thousandths) * 10n ** 15n;
const addressOf = (text) => getAddress("0x" + keccak256(stringToHex(text)).slice(-40));
const accountHash = (service, account) =>
  keccak256(encodeAbiParameters([{ type: "string" }, { type: "string" }], [service, account]));
const text = (value) => JSON.stringify(value);

/** Who writes where there is no demo; their wallets are the first that the node signs for. */
export const foundersOf = (wallets) => wallets.slice(0, 3).map((each, i) => ({ profileId: id(i - 2), address: getAddress(each) }));
/** Newcomers, who are on the chain alone. */
const newcomers = [1, 2, 3, 4].map((n) => ({ profileId: id(n), address: addressOf(`newcomer ${n}`) }));
const mock = id(5);
const rosa = { profileId: id(6), address: addressOf("who is invited twice") };
const [nina, omar, pia, quin] = newcomers;
const account = { service: "x.com", account: "1800000000000000001" };
const hash = accountHash(account.service, account.account);
const token = contracts.whuffie;

function identity(people) {
  const [ada, bob] = people;
  const spare = addressOf("the second wallet of a newcomer");
  const late = addressOf("who never comes");
  const attestation = { ...account, attestationId: id(1) };
  return [
    ["contractAddressManager", "ContractAddressUpdated", { name: "REVIEW", contractAddress: contracts.review }],
    ["profile", "Initialized", { version: 1 }],
    ["profile", "RoleGranted", { role: zeroHash, account: ada.address, sender: ada.address }],
    ["profile", "RoleAdminChanged", { role: hash, previousAdminRole: zeroHash, newAdminRole: hash }],
    ["profile", "RoleRevoked", { role: hash, account: bob.address, sender: ada.address }],
    ["profile", "Upgraded", { implementation: addressOf("a new implementation") }],
    ["profile", "Paused", { account: ada.address }],
    ["profile", "Unpaused", { account: ada.address }],
    ["profile", "DefaultInvitesChanged", { defaultInvites: 5 }],
    ...people.filter((who) => who.profileId > id(-3)).map((who) => ["profile", "ProfileCreated", { profileId: who.profileId, addr: who.address }]),
    ["profile", "InvitesAdded", { profileId: ada.profileId, amount: 10 }],
    ...newcomers.flatMap((who) => [
      ["profile", "UserInvited", { inviterID: ada.profileId, inviteeAddress: who.address }],
      ["profile", "ProfileCreated", { profileId: who.profileId, addr: who.address }],
    ]),
    ["profile", "UserInvited", { inviterID: bob.profileId, inviteeAddress: late }],
    ["profile", "Uninvited", { inviterId: bob.profileId, inviterAddress: bob.address, remainingInvites: 5, uninvitedUser: late }],
    ["profile", "AddressClaim", { profileId: nina.profileId, addr: spare, claim: 1 }],
    ["profile", "AddressClaim", { profileId: nina.profileId, addr: spare, claim: 0 }],
    ["profile", "ProfileArchived", { profileId: quin.profileId }],
    ["profile", "ProfileRestored", { profileId: quin.profileId }],
    ["profile", "MockProfileCreated", { mockId: mock }],
    ["attestation", "AttestationCreated", { ...attestation, profileId: nina.profileId, evidence: "a post" }],
    ["attestation", "AttestationArchived", { ...attestation, profileId: nina.profileId }],
    ["attestation", "AttestationRestored", { ...attestation, profileId: nina.profileId }],
    ["attestation", "AttestationClaimed", { ...attestation, profileId: omar.profileId, evidence: "another post" }],
  ];
}

function reviews([ada, bob, eve]) {
  const unknown = addressOf("who has no profile");
  const byAda = { reviewId: id(1), author: ada.address, subject: nina.address };
  return [
    ["review", "ReviewFeeBurned", { author: ada.address, paymentToken: token, amount: ether(5) }],
    ["review", "ReviewCreated", { ...byAda, score: 2, attestationHash: zeroHash, profileId: nina.profileId }],
    ["review", "ReviewCreated", { reviewId: id(2), author: bob.address, subject: zeroAddress, score: 1, attestationHash: hash, profileId: omar.profileId }],
    ["review", "ReviewCreated", { reviewId: id(3), author: eve.address, subject: unknown, score: 0, attestationHash: zeroHash, profileId: mock }],
    ["review", "ReviewEdited", byAda],
    ["review", "ReviewArchived", byAda],
    ["review", "ReviewRestored", byAda],
    ["vote", "Voted", { isUpvote: true, voter: bob.profileId, targetContract: contracts.review, targetId: id(1), voteId: id(1) }],
    ["vote", "VoteChanged", { isUnvote: false, isUpvote: false, voter: bob.profileId, targetContract: contracts.review, targetId: id(1), voteId: id(1) }],
    ["discussion", "ReplyAdded", { author: eve.profileId, targetContract: contracts.review, replyId: id(1) }],
    ["discussion", "ReplyAdded", { author: ada.profileId, targetContract: contracts.discussion, replyId: id(2) }],
    ["discussion", "ReplyEdited", { author: eve.profileId, replyId: id(1) }],
  ];
}

function vouches([ada, bob, eve]) {
  const on = (n, author, subject) => ({ vouchId: id(n), authorProfileId: author.profileId, subjectProfileId: subject.profileId });
  const early = on(1, ada, pia);
  const later = { ...on(2, bob, nina), subjectAddress: nina.address, attestationHash: zeroHash };
  const ended = on(3, eve, omar);
  const paid = (thousandths) => ({ amountStaked: ether(thousandths), amountDeposited: ether(thousandths - 1) });
  return [
    ["vouch", "ProtocolFeeAddressUpdated", { newFeeProtocolAddress: ada.address }],
    ["vouch", "EntryProtocolFeeBasisPointsUpdated", { bps: 100 }],
    ["vouch", "EntryDonationFeeBasisPointsUpdated", { bps: 100 }],
    ["vouch", "EntryVouchersPoolFeeBasisPointsUpdated", { bps: 400 }],
    ["vouch", "ExitFeeBasisPointsUpdated", { bps: 100 }],
    ["vouch", "Vouched", { ...early, ...paid(51) }],
    ["vouch", "VouchIncreased", { ...early, ...paid(11) }],
    ["vouch", "Vouched", { ...later, ...paid(102) }],
    ["vouch", "VouchIncreased", { ...later, ...paid(21) }],
    ["vouch", "DepositedToRewards", { recipientProfileId: nina.profileId, amount: ether(1) }],
    ["vouch", "WithdrawnFromRewards", { accountProfileId: nina.profileId, amount: ether(1) }],
    ["vouch", "Vouched", { ...ended, subjectAddress: omar.address, attestationHash: zeroHash, ...paid(31) }],
    ["vouch", "Unvouched", { ...ended, amountWithdrawn: ether(29) }],
    ["vouch", "MarkedUnhealthy", ended],
    ["vouch", "AttestationVouchMappingUpdated", { attestationHash: hash, formerProfileId: nina.profileId, newProfileId: omar.profileId }],
    ["vouch", "Frozen", { authorProfileId: bob.profileId, isFrozen: true }],
    ["vouch", "Frozen", { authorProfileId: bob.profileId, isFrozen: false }],
    ["vouch", "Slashed", { authorProfileId: bob.profileId, slashBasisPoints: 1000, totalSlashed: ether(12) }],
  ];
}

function vouchesInTokens([ada, bob]) {
  const target = `address:${pia.address}`;
  const targetHash = keccak256(stringToHex(target));
  const vouchId = id(1);
  return [
    ["vouchV2", "Vouched", { author: ada.address, targetHash, vouchId, target, balance: ether(990), fee: ether(10), metadata: text({ description: "solid" }) }],
    ["vouchV2", "VouchIncreased", { vouchId, increment: ether(99), fee: ether(1), newBalance: ether(1089) }],
    ["vouchV2", "VouchDecreased", { vouchId, decrement: ether(89), fee: ether(1), newBalance: ether(1000) }],
    ["vouchV2", "VouchMetadataUpdated", { vouchId, metadata: text({ description: "still solid" }) }],
    ["vouchV2", "Frozen", { account: ada.address, isFrozen: true }],
    ["vouchV2", "Frozen", { account: ada.address, isFrozen: false }],
    ["vouchV2", "VouchSlashed", { vouchId, prevBalance: ether(1000), newBalance: ether(900), amount: ether(100) }],
    ["vouchV2", "AccountSlashed", { account: ada.address, bps: 1000, amountApplied: ether(100) }],
    ["vouchV2", "Unvouched", { vouchId, prevBalance: ether(900), fee: ether(9), payout: ether(891) }],
    ["vouchV2", "MarkedUnhealthy", { vouchId, author: ada.address, targetHash }],
    ["whuffie", "TransfersUnlocked", { owner: bob.address, timestamp: 1_780_000_000 }],
  ];
}

function slashes(people, now) {
  const author = people.at(-1);
  const made = (n, subject, slashType) => ["slash", "SlashCreated", {
    id: id(n), createdAt: now, duration: 172_800, subject, attestationHash: zeroHash, authorProfileId: author.profileId,
    cancelledAt: 0, amount: slashType === 1 ? 500 : 100, slashType, comment: "broken promises", metadata: text({ description: "see the thread" }),
  }];
  return [
    ["slash", "EditWindowUpdated", { newEditWindow: 3600 }],
    ["slash", "CancelWindowUpdated", { newCancelWindow: 3600 }],
    ["slash", "DefaultDurationUpdated", { newDefaultDuration: 172_800 }],
    made(1, pia.address, 0),
    ["slash", "SlashEdited", { id: id(1), newComment: "more broken promises", newMetadata: text({ description: "see both threads" }) }],
    ["slash", "SlashExtended", { id: id(1), newDuration: 345_600 }],
    ["slash", "SlashResolved", { id: id(1), resolution: 2, bps: 0 }],
    ["slash", "ResolutionExecuted", { id: id(1) }],
    made(2, quin.address, 1),
    ["slash", "FinancialSlashCreated", { id: id(2), subjectProfileId: quin.profileId, authorProfileId: author.profileId, subjectAddrCount: 1, authorAddrCount: 1 }],
    ["slash", "SlashCancelled", { id: id(2), cancelledBy: author.address, cancelledAt: now }],
    made(3, omar.address, 2),
    ["vote", "Voted", { isUpvote: true, voter: people[0].profileId, targetContract: contracts.slash, targetId: id(3), voteId: id(2) }],
  ];
}

function markets([ada, bob, eve], now) {
  const config = { liquidity: 1000, basePrice: ether(10), creationCost: ether(200) };
  const half = ether(5);
  const update = (voteTrust, delta) => ["reputationMarket", "MarketUpdated", {
    profileId: nina.profileId, voteTrust, voteDistrust: 1, trustPrice: half + 1n, distrustPrice: half - 1n, deltaVoteTrust: delta,
    deltaVoteDistrust: 0, deltaTrustPrice: Math.sign(delta), deltaDistrustPrice: -Math.sign(delta), blockNumber: 1, updatedAt: now,
  }];
  const trade = { profileId: nina.profileId, isPositive: true };
  return [
    ["reputationMarket", "MarketConfigAdded", { configIndex: 3, config }],
    ["reputationMarket", "MarketConfigRemoved", { configIndex: 3, config }],
    ["reputationMarket", "MarketCreated", { profileId: nina.profileId, creator: ada.address, config }],
    ["reputationMarket", "VotesBought", { ...trade, buyer: bob.address, amount: 10, funds: ether(51), boughtAt: now }],
    update(11, 10),
    ["reputationMarket", "VotesSold", { ...trade, seller: bob.address, amount: 4, funds: ether(20), soldAt: now }],
    update(7, -4),
    ["reputationMarket", "DonationRecipientUpdated", { profileId: nina.profileId, oldRecipient: ada.address, newRecipient: nina.address }],
    ["reputationMarket", "DonationWithdrawn", { recipient: nina.address, amount: ether(1) }],
    ["reputationMarket", "MarketGraduated", { profileId: nina.profileId }],
    ["reputationMarket", "MarketFundsWithdrawn", { profileId: nina.profileId, withdrawer: ada.address, amount: ether(30) }],
    ...marketsInTokens(bob, eve),
  ];
}

function marketsInTokens(creator, trader) {
  const marketId = id(1);
  const userkey = `address:${omar.address.toLowerCase()}`;
  const pricingContract = addressOf("prices");
  const one = 10n ** 18n;
  return [
    ["market", "MarketCreated", { marketId, userkeyHash: keccak256(stringToHex(userkey)), creator: creator.address, pricingContract,
      trustToken: addressOf("trust"), distrustToken: addressOf("distrust"), userkey }],
    ["market", "PositionOpened", { marketId, buyer: trader.address, isPositive: true, paymentAmount: 20n * one, tokensMinted: 30n * one }],
    ["market", "MarketUpdated", { marketId, trustSupply: 30n * one, distrustSupply: 0, trustPrice: (6n * one) / 10n, distrustPrice: (4n * one) / 10n, poolBacking: 20n * one }],
    ["market", "PositionClosed", { marketId, seller: trader.address, isPositive: true, positionTokenAmount: 10n * one, netCreditsOut: 6n * one }],
    ["market", "MarketUpdateFailed", { marketId, pricingContract, isPositive: true, reason: "0x01" }],
    ["market", "MarketPauseStateUpdated", { marketId, newState: 1 }],
  ];
}

function postsAndBonds([ada, bob, eve], now) {
  const post = { id: id(1), authorProfileId: bob.profileId, price: "100 WHUF", metadata: text({ tags: ["audit"] }) };
  const bond = (n, author) => ({ bondId: id(n), authorProfileId: author.profileId });
  return [
    ["broker", "PostCreated", { ...post, level: 1, title: "Audit of a contract", description: "two weeks", createdAt: now }],
    ["broker", "PremiumPostFeePaid", { postId: id(1), token, fee: ether(50), recipient: ada.address }],
    ["broker", "PostUpdated", { ...post, title: "Audit of two contracts", description: "three weeks", updatedAt: now }],
    ["broker", "CreditBalanceUpdated", { profileId: bob.profileId, token, oldBalance: 0, newBalance: ether(500) }],
    ["broker", "CreditUsed", { profileId: bob.profileId, token, postId: id(1), amount: ether(50), remainingBalance: ether(450) }],
    ["bond", "BondCreated", { ...bond(1, ada), bondType: "human-verification", amount: "100", amountType: "WHUF" }],
    ["bond", "BondExpirationUpdated", { ...bond(1, ada), updatedBy: ada.address, expiration: "2029-01-01T00:00:00.000Z" }],
    ["bond", "BondCreated", { ...bond(2, eve), bondType: "human-verification", amount: "100", amountType: "WHUF" }],
    ["bond", "BondArchived", { ...bond(2, eve), archivedBy: eve.address, archiveReason: "a mistake" }],
  ];
}

function projects([ada, bob], now) {
  const attestationDetails = { service: "x.com", account: "1800000000000000002" };
  const metadata = text({ description: "A lighthouse keeps its log on a chain", bannerImageUrl: "https://lighthouse.example/banner.png" });
  const projectId = id(1);
  return [
    ["project", "ProjectCreated", { id: projectId, createdAt: now, archived: false, metadata, attestationDetails, managerProfileIds: [ada.profileId] }],
    ["project", "ProjectDetailsUpdated", { id: projectId, name: "Lighthouse", metadata, attestationDetails }],
    ["project", "ProjectManagerProfileIdsUpdated", { id: projectId, managerProfileIds: [ada.profileId, bob.profileId] }],
    ["project", "ProjectArchived", { id: projectId, archived: true }],
    ["project", "ProjectArchived", { id: projectId, archived: false }],
  ];
}

function tokens(people) {
  const [ada, bob] = people;
  return [
    ...people.map((who, i) => ["whuffie", "Transfer", { from: zeroAddress, to: who.address, value: ether(5_000_000 + 1000 * i) }]),
    ["whuffie", "Transfer", { from: ada.address, to: bob.address, value: ether(250_000) }],
    ["rewards", "Credited", { accruingContract: contracts.vouch, user: ada.address, amount: ether(40), newCommittedBalance: ether(40) }],
    ["rewards", "Debited", { accruingContract: contracts.vouch, user: ada.address, amount: ether(15), newCommittedBalance: ether(25) }],
    ["rewards", "RewardClaimed", { user: ada.address, amount: ether(15) }],
  ];
}

/** Somebody whom two invited, a person whom three verify, and a wallet that held something before the first block. */
function whatIsRead([ada, bob, eve]) {
  const bond = (n, author) => ({ bondId: id(n), authorProfileId: author.profileId, bondType: "human-verification", amount: "100", amountType: "WHUF" });
  return [
    ["profile", "UserInvited", { inviterID: ada.profileId, inviteeAddress: rosa.address }],
    ["profile", "UserInvited", { inviterID: bob.profileId, inviteeAddress: rosa.address }],
    ["profile", "ProfileCreated", { profileId: rosa.profileId, addr: rosa.address }],
    ["bond", "BondCreated", bond(3, bob)],
    ["bond", "BondCreated", bond(4, eve)],
    ["whuffie", "Transfer", { from: nina.address, to: bob.address, value: ether(1000) }],
  ];
}

/** `[contract, arguments, result]` of what the contracts return: the functions of abi.mjs. */
export function answers([ada, bob, eve], now) {
  const at = BigInt(now);
  const metadata = (description) => text({ description });
  const nobody = { account: "", service: "" };
  const review = (n, score, author, subject, comment, attestationDetails = nobody) =>
    ["review", [BigInt(id(n))], [false, score, author.address, subject, BigInt(id(n)), at, comment, metadata(`${comment}, at length`), attestationDetails]];
  const reply = (n, author, targetContract, parentId, parentIsOriginal, content) =>
    ["discussion", [[BigInt(id(n))]], [{ parentIsOriginal, targetContract, authorProfileId: BigInt(author.profileId), id: BigInt(id(n)), parentId: BigInt(parentId), createdAt: at, edits: 0n, content, metadata: "" }]];
  const vouch = (n, author, subject, balance, comment, archived = false) =>
    ["vouch", [BigInt(id(n))], [archived, archived, BigInt(author.profileId), author.address, BigInt(id(n)), BigInt(subject.profileId), balance, comment, metadata(`${comment}, at length`), at, archived ? at : 0n, archived ? at : 0n]];
  const bond = (n, author, subject, statement, expiration) =>
    ["bond", [BigInt(id(n))], [BigInt(id(n)), BigInt(author.profileId), BigInt(subject.profileId), statement, expiration]];
  return [
    review(1, 2, ada, nina.address, "keeps what she promises"),
    review(2, 1, bob, zeroAddress, "an account like many", account),
    review(3, 0, eve, addressOf("who has no profile"), "never answers"),
    reply(1, eve, contracts.review, id(1), true, "I agree"),
    reply(2, ada, contracts.discussion, id(1), true, "thank you"),
    vouch(1, ada, pia, ether(60), "known for years"),
    vouch(2, bob, nina, ether(108) + ether(9) / 10n, "built the lighthouse"),
    vouch(3, eve, omar, 0n, "seemed honest", true),
    bond(1, ada, nina, "met her in Lisbon", "2029-01-01T00:00:00.000Z"),
    bond(2, eve, omar, "a video call", "2028-06-01"),
    bond(3, bob, nina, "worked beside her", "2029-06-01"),
    bond(4, eve, nina, "a video call", "2029-06-01"),
    ["profile", [BigInt(rosa.profileId)], { sent: [], acceptedIds: [], available: 5n, invitedBy: BigInt(bob.profileId) }],
    ["whuffie", [nina.address], ether(4000)],
  ];
}

/** The last ids that contracts give out in the story, for those that go on from there. */
export const lastIds = { profile: id(6), review: id(3), vote: id(2), discussion: id(2) };

/** `[contract, event, arguments]` of every log, in order. `people`: three or more who write; `now`: seconds since 1970. */
export function story(people, now) {
  return [identity, tokens, reviews, vouches, vouchesInTokens, slashes, markets, postsAndBonds, projects, whatIsRead].flatMap((part) => part(people, now));
}
