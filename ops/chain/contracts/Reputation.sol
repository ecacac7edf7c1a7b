// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

// Contracts of a chain to try managed wallets with: they run the functions that wallets sign for, keep what the server reads, emit the
// events of ops/chain/abi.mjs, and refuse what the real ones refuse. They lie at fixed addresses without a constructor having run, so each
// finds the others through its own storage, which `connect` fills once.

/// What the contracts know of each other.
abstract contract Connected {
  address internal profiles;
  address internal reviewsContract;
  address internal emitter;

  /// `emitter_`: code of contracts.mjs, which emits and returns what it is told to; zeros: there is none.
  function connect(address profiles_, address reviews_, address emitter_) external {
    require(profiles == address(0), "connected already");
    profiles = profiles_;
    reviewsContract = reviews_;
    emitter = emitter_;
  }

  /// Every other input goes to the emitter, as if its code lay here.
  fallback() external {
    emit_();
  }

  function emit_() internal {
    address to = emitter;
    require(to != address(0), "there is no such function");
    assembly {
      calldatacopy(0, 0, calldatasize())
      let good := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      switch good
      case 0 { revert(0, returndatasize()) }
      default { return(0, returndatasize()) }
    }
  }

  /// The sender's profile.
  function member() internal view returns (uint256 id) {
    id = Profiles(profiles).profileIdOf(msg.sender);
    require(id != 0, "the sender has no profile");
    require(!Profiles(profiles).archived(id), "the sender's profile is archived");
  }
}

/// People: profiles by address, and invitations.
contract Profiles is Connected {
  event ProfileCreated(uint256 indexed profileId, address indexed addr);
  event MockProfileCreated(uint256 indexed mockId);
  event ProfileArchived(uint256 indexed profileId);
  event AddressClaim(uint256 indexed profileId, address indexed addr, uint8 indexed claim);
  event UserInvited(uint256 inviterID, address inviteeAddress);
  event Uninvited(uint256 inviterId, address inviterAddress, uint256 remainingInvites, address uninvitedUser);

  struct InviteInfo {
    address[] sent;
    uint256[] acceptedIds;
    uint256 available;
    uint256 invitedBy;
  }

  error AlreadyInvited(address invitee);

  uint256 public profileCount;
  mapping(address => uint256) public profileIdOf;
  mapping(address => uint256) public mockIdOf;
  mapping(bytes32 => uint256) public mockIdOfAccount;
  mapping(uint256 => bool) public archived;
  mapping(uint256 => InviteInfo) private invites;

  /// For tests: anybody may join.
  function createProfile(address owner) external returns (uint256 id) {
    require(profileIdOf[owner] == 0, "the address has a profile");
    id = ++profileCount;
    profileIdOf[owner] = id;
    invites[id].available = 10;
    emit ProfileCreated(id, owner);
  }

  /// For tests: anybody may give an address to a profile, such as its managed wallet.
  function claimAddress(uint256 id, address owned) external {
    require(id != 0 && profileIdOf[owned] == 0, "the address has a profile");
    profileIdOf[owned] = id;
    if (invites[id].available == 0) invites[id].available = 10;
    emit AddressClaim(id, owned, 1);
  }

  function archiveProfile() external {
    uint256 id = profileIdOf[msg.sender];
    require(id != 0, "the sender has no profile");
    archived[id] = true;
    emit ProfileArchived(id);
  }

  /// The profile of whom a review is about; the first review of a stranger makes a placeholder.
  function subjectOf(address subject, bytes32 accountHash) external returns (uint256 id) {
    require(msg.sender == reviewsContract, "only the contract of reviews");
    id = subject != address(0) ? profileIdOf[subject] : 0;
    if (id != 0) return id;
    id = subject != address(0) ? mockIdOf[subject] : mockIdOfAccount[accountHash];
    if (id != 0) return id;
    id = ++profileCount;
    if (subject != address(0)) mockIdOf[subject] = id;
    else mockIdOfAccount[accountHash] = id;
    emit MockProfileCreated(id);
  }

  function inviteAddress(address invitee) external {
    uint256 id = member_();
    require(invitee != address(0), "nobody to invite");
    require(profileIdOf[invitee] == 0, "the invitee has a profile");
    InviteInfo storage info = invites[id];
    for (uint256 i = 0; i < info.sent.length; ++i)
      if (info.sent[i] == invitee) revert AlreadyInvited(invitee);
    require(info.available > 0, "no invites are left");
    --info.available;
    info.sent.push(invitee);
    emit UserInvited(id, invitee);
  }

  function uninviteUser(address invitee) external {
    uint256 id = member_();
    InviteInfo storage info = invites[id];
    for (uint256 i = 0; i < info.sent.length; ++i)
      if (info.sent[i] == invitee) {
        info.sent[i] = info.sent[info.sent.length - 1];
        info.sent.pop();
        ++info.available;
        emit Uninvited(id, msg.sender, info.available, invitee);
        return;
      }
    revert("there is no such invitation");
  }

  function inviteInfoForProfileId(uint256 id) external returns (InviteInfo memory) {
    if (emitter != address(0) && id != 0 && invites[id].available == 0 && invites[id].sent.length == 0) emit_();
    return invites[id];
  }

  function member_() private view returns (uint256 id) {
    id = profileIdOf[msg.sender];
    require(id != 0, "the sender has no profile");
    require(!archived[id], "the sender's profile is archived");
  }
}

/// Reviews of addresses and accounts.
contract Reviews is Connected {
  event ReviewCreated(
    uint8 score, address indexed author, bytes32 indexed attestationHash, address indexed subject, uint256 reviewId, uint256 profileId
  );
  event ReviewEdited(uint256 indexed reviewId, address indexed author, address indexed subject);
  event ReviewArchived(uint256 indexed reviewId, address indexed author, address indexed subject);

  struct AttestationDetails {
    string account;
    string service;
  }
  struct Review {
    bool archived;
    uint8 score;
    address author;
    address subject;
    uint256 reviewId;
    uint256 createdAt;
    string comment;
    string metadata;
    AttestationDetails attestationDetails;
  }

  error SelfReview(address author);
  error ReviewNotFound(uint256 reviewId);

  uint256 public reviewCount;
  mapping(uint256 => Review) private reviewsById;

  function addReview(
    uint8 score,
    address subject,
    address paymentToken,
    string calldata comment,
    string calldata metadata,
    AttestationDetails calldata attestationDetails
  ) external payable returns (uint256 id) {
    member();
    require(score <= 2, "a score is 0, 1 or 2");
    require(paymentToken == address(0) && msg.value == 0, "reviews cost nothing here");
    bool ofAccount = bytes(attestationDetails.account).length > 0;
    require(ofAccount != (subject != address(0)), "a review is about an address or an account");
    require(bytes(comment).length > 0, "a review has a comment");
    if (subject == msg.sender) revert SelfReview(msg.sender);
    bytes32 hash = ofAccount ? keccak256(abi.encode(attestationDetails.service, attestationDetails.account)) : bytes32(0);
    uint256 subjectId = Profiles(profiles).subjectOf(subject, hash);
    id = ++reviewCount;
    reviewsById[id] = Review(false, score, msg.sender, subject, id, block.timestamp, comment, metadata, attestationDetails);
    emit ReviewCreated(score, msg.sender, hash, subject, id, subjectId);
  }

  function editReview(uint256 reviewId, string calldata comment, string calldata metadata) external {
    Review storage review = ownReview(reviewId);
    review.comment = comment;
    review.metadata = metadata;
    emit ReviewEdited(reviewId, msg.sender, review.subject);
  }

  function archiveReview(uint256 reviewId) external {
    Review storage review = ownReview(reviewId);
    review.archived = true;
    emit ReviewArchived(reviewId, msg.sender, review.subject);
  }

  function exists(uint256 reviewId) external view returns (bool) {
    return reviewsById[reviewId].author != address(0);
  }

  function ownReview(uint256 reviewId) private view returns (Review storage review) {
    member();
    review = reviewsById[reviewId];
    if (review.author == address(0)) revert ReviewNotFound(reviewId);
    require(review.author == msg.sender, "the review is somebody else's");
    require(!review.archived, "the review is archived");
  }

  /// What the server reads.
  function reviews(uint256 id)
    external
    returns (
      bool archived,
      uint8 score,
      address author,
      address subject,
      uint256 reviewId,
      uint256 createdAt,
      string memory comment,
      string memory metadata,
      AttestationDetails memory attestationDetails
    )
  {
    Review storage r = reviewsById[id];
    if (emitter != address(0) && r.author == address(0)) emit_();
    (archived, score, author, subject) = (r.archived, r.score, r.author, r.subject);
    (reviewId, createdAt, comment, metadata) = (r.reviewId, r.createdAt, r.comment, r.metadata);
    attestationDetails = r.attestationDetails;
  }
}

/// Votes on what other contracts hold.
contract Votes is Connected {
  event Voted(bool isUpvote, uint256 indexed voter, address indexed targetContract, uint256 indexed targetId, uint256 voteId);
  event VoteChanged(
    bool isUnvote, bool isUpvote, uint256 indexed voter, address indexed targetContract, uint256 indexed targetId, uint256 voteId
  );

  struct Vote {
    bool isUpvote;
    bool isArchived;
    uint256 id;
  }

  uint256 public voteCount;
  mapping(bytes32 => Vote) private votes;

  /// The same direction again withdraws the vote.
  function voteFor(address targetContract, uint256 targetId, bool isUpvote) external {
    uint256 voter = member();
    require(Target(targetContract).exists(targetId), "there is nothing to vote on");
    Vote storage vote = votes[keccak256(abi.encode(voter, targetContract, targetId))];
    if (vote.id == 0) {
      vote.id = ++voteCount;
      vote.isUpvote = isUpvote;
      emit Voted(isUpvote, voter, targetContract, targetId, vote.id);
      return;
    }
    bool withdraws = !vote.isArchived && vote.isUpvote == isUpvote;
    vote.isArchived = withdraws;
    vote.isUpvote = isUpvote;
    emit VoteChanged(withdraws, isUpvote, voter, targetContract, targetId, vote.id);
  }
}

/// What can be voted on and replied to.
interface Target {
  function exists(uint256 id) external view returns (bool);
}

/// Replies.
contract Discussions is Connected {
  event ReplyAdded(uint256 author, address indexed targetContract, uint256 indexed replyId);
  event ReplyEdited(uint256 author, uint256 replyId);

  struct Reply {
    bool parentIsOriginal;
    address targetContract;
    uint256 authorProfileId;
    uint256 id;
    uint256 parentId;
    uint256 createdAt;
    uint256 edits;
    string content;
    string metadata;
  }

  uint256 public replyCount;
  mapping(uint256 => Reply) private replies;

  function addReply(address targetContract, uint256 parentId, string calldata content, string calldata metadata) external {
    uint256 author = member();
    require(bytes(content).length > 0, "a reply has a content");
    require(Target(targetContract).exists(parentId), "there is nothing to reply to");
    uint256 id = ++replyCount;
    replies[id] =
      Reply(targetContract != address(this), targetContract, author, id, parentId, block.timestamp, 0, content, metadata);
    emit ReplyAdded(author, targetContract, id);
  }

  function exists(uint256 id) external view returns (bool) {
    return replies[id].id != 0;
  }

  function repliesById(uint256[] calldata ids) external returns (Reply[] memory found) {
    if (emitter != address(0) && ids.length == 1 && replies[ids[0]].id == 0) emit_();
    found = new Reply[](ids.length);
    for (uint256 i = 0; i < ids.length; ++i) found[i] = replies[ids[i]];
  }
}
