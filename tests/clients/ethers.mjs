// Signatures made by ethers; messages written out by hand, as EIP-4361 has them.
import { Wallet, hexlify, randomBytes, verifyMessage } from "ethers";
import { origin, privateKey, run } from "./client.mjs";

const wallet = new Wallet(privateKey);
/** A time as RFC 3339 has it too: in whole seconds, with an offset. */
const text = (time) => `${new Date(time.getTime() + 5.5 * 3_600_000).toISOString().slice(0, 19)}+05:30`;
const line = (name, value) => (value === undefined ? "" : `\n${name}: ${value}`);

await run({
  library: "ethers",
  address: wallet.address,
  makeNonce: () => hexlify(randomBytes(16)).slice(2),
  makeMessage: async ({ scheme, statement, nonce, issuedAt, expirationTime, notBefore, requestId, resources }) =>
    `${scheme ? `${scheme}://` : ""}${new URL(origin).host} wants you to sign in with your Ethereum account:\n${wallet.address}\n\n` +
    `${statement ? `${statement}\n` : ""}\nURI: ${origin}\nVersion: 1\nChain ID: 8453\nNonce: ${nonce}` +
    line("Issued At", text(issuedAt)) + line("Expiration Time", text(expirationTime)) +
    line("Not Before", notBefore && text(notBefore)) + line("Request ID", requestId) +
    (resources ? ["\nResources:", ...resources].join("\n- ") : ""),
  signMessage: async (message) => {
    const signature = await wallet.signMessage(message);
    if (verifyMessage(message, signature) !== wallet.address) throw new Error("ethers does not recover its own signer");
    return signature;
  },
});
