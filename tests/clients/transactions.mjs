// Serialises and signs transactions with viem and with ethers, which must agree to the byte. Standard input has one a line: key, chain
// id, nonce, priority fee, highest fee, gas limit, address or -, value, data; standard output has the unsigned bytes, the signed
// bytes and the hash of each.
import { Transaction, Wallet } from "ethers";
import { readFileSync } from "node:fs";
import { keccak256, serializeTransaction } from "viem";
import { signTransaction } from "viem/accounts";

const same = (what, a, b, line) => {
  if (a !== b) throw new Error(`viem and ethers differ about the ${what} of: ${line}\n${a}\n${b}`);
};

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const [privateKey, chainId, nonce, priority, most, gas, to, value, data] = line.split(" ");
  const fields = { to: to === "-" ? undefined : to, data, nonce: Number(nonce), value: BigInt(value) };
  const fees = { maxPriorityFeePerGas: BigInt(priority), maxFeePerGas: BigInt(most) };
  const forViem = { ...fields, ...fees, type: "eip1559", chainId: Number(chainId), gas: BigInt(gas) };
  const forEthers = Transaction.from({ ...fields, ...fees, type: 2, chainId: BigInt(chainId), gasLimit: BigInt(gas), to: fields.to ?? null });
  const unsigned = serializeTransaction(forViem);
  const signed = await signTransaction({ privateKey, transaction: forViem });
  same("bytes", unsigned, forEthers.unsignedSerialized, line);
  same("signed bytes", signed, await new Wallet(privateKey).signTransaction(forEthers), line);
  console.log(unsigned, signed, keccak256(signed));
}
