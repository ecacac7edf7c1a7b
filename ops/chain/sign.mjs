// Signs a text as a wallet signs a message.
//
//     node sign.mjs KEY    standard input: the text, where {address} is the address of the key; prints the text and the signature as JSON
import { readFileSync } from "node:fs";
import { privateKeyToAccount } from "viem/accounts";

const account = privateKeyToAccount(process.argv[2]);
const message = readFileSync(0, "utf8").replace("{address}", account.address);
console.log(JSON.stringify({ message, signature: await account.signMessage({ message }) }));
