// Messages made, and their signatures checked first, by the siwe package.
import { Wallet } from "ethers";
import { SiweMessage, generateNonce } from "siwe";
import { origin, privateKey, run } from "./client.mjs";

const wallet = new Wallet(privateKey);
const text = (time) => time?.toISOString();

await run({
  library: "siwe",
  address: wallet.address,
  makeNonce: generateNonce,
  makeMessage: async ({ issuedAt, expirationTime, notBefore, ...fields }) =>
    new SiweMessage({
      domain: new URL(origin).host,
      address: wallet.address,
      uri: origin,
      version: "1",
      chainId: 8453,
      issuedAt: text(issuedAt),
      expirationTime: text(expirationTime),
      notBefore: text(notBefore),
      ...fields,
    }).prepareMessage(),
  signMessage: async (message) => {
    const signature = await wallet.signMessage(message);
    await new SiweMessage(message).verify({ signature });
    return signature;
  },
});
