// Messages and signatures made by viem alone.
import { verifyMessage } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { createSiweMessage, generateSiweNonce } from "viem/siwe";
import { origin, privateKey, run } from "./client.mjs";

const { address, signMessage } = privateKeyToAccount(privateKey);

await run({
  library: "viem",
  address,
  makeNonce: generateSiweNonce,
  makeMessage: async (fields) =>
    createSiweMessage({ domain: new URL(origin).host, address, uri: origin, version: "1", chainId: 8453, ...fields }),
  signMessage: async (message) => {
    const signature = await signMessage({ message });
    if (!(await verifyMessage({ address, message, signature }))) throw new Error("viem does not accept its own signature");
    return signature;
  },
});
