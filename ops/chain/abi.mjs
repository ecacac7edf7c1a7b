// The events that the server reads, as their contracts declare them; `any` are those of every contract.
const config = "(uint256 liquidity, uint256 basePrice, uint256 creationCost) config";
const account = "(string account, string service) attestationDetails";

export const declared = {
  attestation: [
    "AttestationCreated(uint256 indexed profileId, string service, string account, string evidence, uint256 indexed attestationId)",
    "AttestationArchived(uint256 indexed profileId, string service, string account, uint256 indexed attestationId)",
    "AttestationClaimed(uint256 indexed attestationId, string service, string account, string evidence, uint256 indexed profileId)",
    "AttestationRestored(uint256 indexed attestationId, string service, string account, uint256 indexed profileId)",
  ],
  profile: [
    "ProfileCreated(uint256 indexed profileId, address indexed addr)",
    "MockProfileCreated(uint256 indexed mockId)",
    "ProfileArchived(uint256 indexed profileId)",
    "ProfileRestored(uint256 indexed profileId)",
    "AddressClaim(uint256 indexed profileId, address indexed addr, uint8 indexed claim)",
    "UserInvited(uint256 inviterID, address inviteeAddress)",
    "Uninvited(uint256 inviterId, address inviterAddress, uint256 remainingInvites, address uninvitedUser)",
    "InvitesAdded(uint256 profileId, uint256 amount)",
    "DefaultInvitesChanged(uint256 defaultInvites)",
  ],
  review: [
    "ReviewCreated(uint8 score, address indexed author, bytes32 indexed attestationHash, address indexed subject, uint256 reviewId, uint256 profileId)",
    "ReviewEdited(uint256 indexed reviewId, address indexed author, address indexed subject)",
    "ReviewArchived(uint256 indexed reviewId, address indexed author, address indexed subject)",
    "ReviewRestored(uint256 indexed reviewId, address indexed author, address indexed subject)",
    "ReviewFeeBurned(address indexed author, address indexed paymentToken, uint256 amount)",
  ],
  vote: [
    "Voted(bool isUpvote, uint256 indexed voter, address indexed targetContract, uint256 indexed targetId, uint256 voteId)",
    "VoteChanged(bool isUnvote, bool isUpvote, uint256 indexed voter, address indexed targetContract, uint256 indexed targetId, uint256 voteId)",
  ],
  discussion: [
    "ReplyAdded(uint256 author, address indexed targetContract, uint256 indexed replyId)",
    "ReplyEdited(uint256 author, uint256 replyId)",
  ],
  vouch: [
    "Vouched(uint256 indexed vouchId, uint256 indexed authorProfileId, uint256 indexed subjectProfileId, address subjectAddress, bytes32 attestationHash, uint256 amountStaked, uint256 amountDeposited)",
    "Vouched(uint256 indexed vouchId, uint256 indexed authorProfileId, uint256 indexed subjectProfileId, uint256 amountStaked, uint256 amountDeposited)",
    "VouchIncreased(uint256 indexed vouchId, uint256 indexed authorProfileId, uint256 indexed subjectProfileId, address subjectAddress, bytes32 attestationHash, uint256 amountStaked, uint256 amountDeposited)",
    "VouchIncreased(uint256 indexed vouchId, uint256 indexed authorProfileId, uint256 indexed subjectProfileId, uint256 amountStaked, uint256 amountDeposited)",
    "Unvouched(uint256 indexed vouchId, uint256 indexed authorProfileId, uint256 indexed subjectProfileId, uint256 amountWithdrawn)",
    "MarkedUnhealthy(uint256 indexed vouchId, uint256 indexed authorProfileId, uint256 indexed subjectProfileId)",
    "Slashed(uint256 indexed authorProfileId, uint256 slashBasisPoints, uint256 totalSlashed)",
    "Frozen(uint256 indexed authorProfileId, bool isFrozen)",
    "AttestationVouchMappingUpdated(bytes32 indexed attestationHash, uint256 indexed formerProfileId, uint256 indexed newProfileId)",
    "DepositedToRewards(uint256 indexed recipientProfileId, uint256 amount)",
    "WithdrawnFromRewards(uint256 indexed accountProfileId, uint256 amount)",
    "ProtocolFeeAddressUpdated(address newFeeProtocolAddress)",
    "EntryProtocolFeeBasisPointsUpdated(uint256 bps)",
    "EntryDonationFeeBasisPointsUpdated(uint256 bps)",
    "EntryVouchersPoolFeeBasisPointsUpdated(uint256 bps)",
    "ExitFeeBasisPointsUpdated(uint256 bps)",
  ],
  slash: [
    "SlashCreated(uint256 id, uint256 createdAt, uint256 duration, address indexed subject, bytes32 indexed attestationHash, uint256 authorProfileId, uint256 cancelledAt, uint256 amount, uint8 slashType, string comment, string metadata)",
    "SlashEdited(uint256 id, string newComment, string newMetadata)",
    "SlashCancelled(uint256 id, address cancelledBy, uint256 cancelledAt)",
    "SlashExtended(uint256 id, uint256 newDuration)",
    "FinancialSlashCreated(uint256 indexed id, uint256 subjectProfileId, uint256 authorProfileId, uint256 subjectAddrCount, uint256 authorAddrCount)",
    "SlashResolved(uint256 indexed id, uint8 indexed resolution, uint256 bps)",
    "ResolutionExecuted(uint256 indexed id)",
    "EditWindowUpdated(uint256 newEditWindow)",
    "CancelWindowUpdated(uint256 newCancelWindow)",
    "DefaultDurationUpdated(uint256 newDefaultDuration)",
  ],
  reputationMarket: [
    `MarketCreated(uint256 indexed profileId, address indexed creator, ${config})`,
    `MarketConfigAdded(uint256 indexed configIndex, ${config})`,
    `MarketConfigRemoved(uint256 indexed configIndex, ${config})`,
    "VotesBought(uint256 indexed profileId, address indexed buyer, bool indexed isPositive, uint256 amount, uint256 funds, uint256 boughtAt)",
    "VotesSold(uint256 indexed profileId, address indexed seller, bool indexed isPositive, uint256 amount, uint256 funds, uint256 soldAt)",
    "MarketUpdated(uint256 indexed profileId, uint256 indexed voteTrust, uint256 indexed voteDistrust, uint256 trustPrice, uint256 distrustPrice, int256 deltaVoteTrust, int256 deltaVoteDistrust, int256 deltaTrustPrice, int256 deltaDistrustPrice, uint256 blockNumber, uint256 updatedAt)",
    "DonationWithdrawn(address indexed recipient, uint256 amount)",
    "DonationRecipientUpdated(uint256 indexed profileId, address indexed oldRecipient, address indexed newRecipient)",
    "MarketGraduated(uint256 indexed profileId)",
    "MarketFundsWithdrawn(uint256 indexed profileId, address indexed withdrawer, uint256 amount)",
  ],
  broker: [
    "PostCreated(uint256 indexed id, uint256 indexed authorProfileId, uint8 level, string title, string description, string price, string metadata, uint256 createdAt)",
    "PostUpdated(uint256 indexed id, uint256 indexed authorProfileId, string title, string description, string price, string metadata, uint256 indexed updatedAt)",
    "PremiumPostFeePaid(uint256 indexed postId, address indexed token, uint256 indexed fee, address recipient)",
    "CreditBalanceUpdated(uint256 indexed profileId, address indexed token, uint256 indexed oldBalance, uint256 newBalance)",
    "CreditUsed(uint256 indexed profileId, address indexed token, uint256 postId, uint256 indexed amount, uint256 remainingBalance)",
  ],
  bond: [
    "BondCreated(uint256 indexed bondId, uint256 indexed authorProfileId, string bondType, string amount, string amountType)",
    "BondArchived(uint256 indexed bondId, uint256 indexed authorProfileId, address indexed archivedBy, string archiveReason)",
    "BondExpirationUpdated(uint256 indexed bondId, uint256 indexed authorProfileId, address indexed updatedBy, string expiration)",
  ],
  project: [
    `ProjectCreated(uint256 id, uint256 createdAt, bool archived, string metadata, ${account}, uint256[] managerProfileIds)`,
    "ProjectArchived(uint256 id, bool archived)",
    `ProjectDetailsUpdated(uint256 id, string name, string metadata, ${account})`,
    "ProjectManagerProfileIdsUpdated(uint256 id, uint256[] managerProfileIds)",
  ],
  vouchV2: [
    "Vouched(address indexed author, bytes32 indexed targetHash, uint256 vouchId, string target, uint256 balance, uint256 fee, string metadata)",
    "VouchIncreased(uint256 indexed vouchId, uint256 increment, uint256 fee, uint256 newBalance)",
    "VouchDecreased(uint256 indexed vouchId, uint256 decrement, uint256 fee, uint256 newBalance)",
    "Unvouched(uint256 indexed vouchId, uint256 prevBalance, uint256 fee, uint256 payout)",
    "MarkedUnhealthy(uint256 indexed vouchId, address indexed author, bytes32 indexed targetHash)",
    "VouchSlashed(uint256 indexed vouchId, uint256 prevBalance, uint256 newBalance, uint256 amount)",
    "AccountSlashed(address indexed account, uint256 bps, uint256 amountApplied)",
    "VouchMetadataUpdated(uint256 indexed vouchId, string metadata)",
    "Frozen(address indexed account, bool isFrozen)",
  ],
  market: [
    "MarketCreated(uint256 indexed marketId, bytes32 indexed userkeyHash, address indexed creator, address pricingContract, address trustToken, address distrustToken, string userkey)",
    "PositionOpened(uint256 indexed marketId, address indexed buyer, bool isPositive, uint256 paymentAmount, uint256 tokensMinted)",
    "PositionClosed(uint256 indexed marketId, address indexed seller, bool isPositive, uint256 positionTokenAmount, uint256 netCreditsOut)",
    "MarketUpdated(uint256 indexed marketId, uint256 trustSupply, uint256 distrustSupply, uint256 trustPrice, uint256 distrustPrice, uint256 poolBacking)",
    "MarketUpdateFailed(uint256 indexed marketId, address indexed pricingContract, bool isPositive, bytes reason)",
    "MarketPauseStateUpdated(uint256 indexed marketId, uint8 newState)",
  ],
  rewards: [
    "Credited(address indexed accruingContract, address indexed user, uint256 amount, uint256 newCommittedBalance)",
    "Debited(address indexed accruingContract, address indexed user, uint256 amount, uint256 newCommittedBalance)",
    "RewardClaimed(address indexed user, uint256 amount)",
  ],
  whuffie: [
    "Transfer(address indexed from, address indexed to, uint256 value)",
    "TransfersUnlocked(address indexed owner, uint256 timestamp)",
  ],
  contractAddressManager: ["ContractAddressUpdated(string indexed name, address indexed contractAddress)"],
  any: [
    "Paused(address account)",
    "Unpaused(address account)",
    "Upgraded(address indexed implementation)",
    "Initialized(uint64 version)",
    "RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
    "RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
    "RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)",
  ],
};

const reply =
  "(bool parentIsOriginal, address targetContract, uint256 authorProfileId, uint256 id, uint256 parentId, uint256 createdAt, uint256 edits, string content, string metadata)";

// The functions that the server reads; that of bonds is our own, as their contract publishes none.
export const functions = {
  review:
    "reviews(uint256) returns (bool archived, uint8 score, address author, address subject, uint256 reviewId, uint256 createdAt, string comment, string metadata, (string account, string service) attestationDetails)",
  discussion: `repliesById(uint256[]) returns (${reply}[] replies)`,
  vouch:
    "vouches(uint256) returns (bool archived, bool unhealthy, uint256 authorProfileId, address authorAddress, uint256 vouchId, uint256 subjectProfileId, uint256 balance, string comment, string metadata, uint256 vouchedAt, uint256 unvouchedAt, uint256 unhealthyAt)",
  bond: "bonds(uint256) returns (uint256 bondId, uint256 authorProfileId, uint256 subjectProfileId, string statement, string expiration)",
  profile: "inviteInfoForProfileId(uint256) returns ((address[] sent, uint256[] acceptedIds, uint256 available, uint256 invitedBy) info)",
  whuffie: "balanceOf(address) returns (uint256 balance)",
};
