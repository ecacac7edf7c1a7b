// Opens a keystore as a wallet would: the file is the first argument, its passphrase is on standard input. Prints the address and the
// private key.
import { Wallet } from "ethers";
import { readFileSync } from "node:fs";

const wallet = Wallet.fromEncryptedJsonSync(readFileSync(process.argv[2], "utf8"), readFileSync(0, "utf8").trim());
console.log(wallet.address, wallet.privateKey);
