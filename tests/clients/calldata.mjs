// Encodes calls of the functions that managed wallets run, and errors of contracts, with viem: a name and the bytes in each line.
import { encodeErrorResult, encodeFunctionData, parseAbi } from "viem";

const abi = parseAbi([
  "function addReview(uint8,address,address,string,string,(string,string))",
  "function editReview(uint256,string,string)",
  "function archiveReview(uint256)",
  "function voteFor(address,uint256,bool)",
  "function addReply(address,uint256,string,string)",
  "function inviteAddress(address)",
  "function uninviteUser(address)",
  "function createBond(uint256,string,(uint256,bytes))",
  "error Error(string)",
  "error Panic(uint256)",
  "error SelfReview(address)",
  "error EnforcedPause()",
  "error Unknown(uint256,uint256)",
]);
const [nobody, first, second] = ["00", "11", "22"].map((byte) => `0x${byte.repeat(20)}`);
const long = '{"description":"a long text that needs more than one word of the contract ABI"}';

const call = (name, functionName, ...args) => console.log(name, encodeFunctionData({ abi, functionName, args }));
call("review_of_address", "addReview", 2, first, nobody, "kept its word", long, ["", ""]);
call("review_of_account", "addReview", 0, nobody, second, "", "", ["1395154870932541446", "x.com"]);
call("edit", "editReview", 7n, "kept it late", "{}");
call("archive", "archiveReview", 7n);
call("vote", "voteFor", first, 2147483647n, true);
call("reply", "addReply", first, 9n, "thänks", "{}");
call("invite", "inviteAddress", second);
call("uninvite", "uninviteUser", second);
call("bond", "createBond", 7n, "HUMAN", [2n ** 256n - 1n, `0x${"ab".repeat(65)}`]);

const error = (name, errorName, ...args) => console.log(name, encodeErrorResult({ abi, errorName, args }));
error("error", "Error", "a review about oneself");
error("panic", "Panic", 0x11n);
error("self_review", "SelfReview", first);
error("paused", "EnforcedPause");
error("unknown", "Unknown", 1n, 2n);
