// Prints what the contract's arithmetic gives, a line each: name, arguments, results, all in decimal digits; `-` for
// the results where it reverts.
//
//   node vectors.mjs SEED TRADES
import { createCipheriv, createHash } from "node:crypto";
import { startContract } from "./contract.mjs";

const [seed, trades] = process.argv.slice(2).map(Number);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(trades))
  throw new Error(`two numbers are needed, not: ${process.argv.slice(2).join(" ")}`);

const stream = createCipheriv("aes-256-ctr", createHash("sha256").update(`${seed}`).digest(), Buffer.alloc(16));
let pool = Buffer.alloc(0);
/** 32 random bits. */
function bits() {
  if (pool.length === 0) pool = stream.update(Buffer.alloc(1 << 16));
  const out = pool.readUInt32LE();
  pool = pool.subarray(4);
  return out;
}
const below = (end) => {
  let wide = 0n;
  for (let i = 0; i < 9; ++i) wide = (wide << 32n) | BigInt(bits());
  return wide % end;
};
const between = (first, last) => first + below(last - first + 1n);
const one = (of) => of[bits() % of.length];
/** From 1 to `most`, each number of binary digits as likely as another. */
const anySize = (most) => {
  const top = 1n << between(0n, BigInt(most.toString(2).length - 1));
  const out = top + below(top);
  return out > most ? most : out;
};

const unit = 10n ** 18n;
const end = 1n << 256n;
const expMost = 133084258667509499440n;
const around = (values) => values.flatMap((value) => [value - 1n, value, value + 1n]).filter((value) => value >= 0n && value < end);
const many = (count, make) => Array.from({ length: count }, make);

const powers = Array.from({ length: 196 }, (_, i) => unit << BigInt(i));
const logarithms = [...around([0n, unit, 2n * unit, ...powers, end - 1n]), ...many(3000, () => between(unit, 3n * unit)), ...many(3000, () => anySize(end - 1n))];
const primitives = {
  exp2: [...around([0n, unit, 191n * unit, 192n * unit, end - 1n]), ...many(3000, () => below(192n * unit)), ...many(1000, () => anySize(end - 1n))],
  exp: [...around([0n, unit, 133n * unit, expMost, end - 1n]), ...many(3000, () => below(expMost)), ...many(1000, () => anySize(end - 1n))],
  log2: logarithms,
  ln: logarithms,
};
for (const [name, values] of Object.entries(primitives)) primitives[name] = values.map((value) => [value]);
const operands = () => one([0n, 1n, unit, end - 1n, anySize(end - 1n), anySize(end - 1n), anySize(end - 1n), anySize(end - 1n)]);
primitives.mul = many(3000, () => [operands(), operands()]);
primitives.div = many(3000, () => [operands(), operands()]);

/** Votes of one side: few, many, as many as there may be, and a few too many. */
function votesOf(liquidity) {
  const most = 133n * liquidity;
  return one([() => 1n, () => anySize(most), () => anySize(most), () => below(20n * liquidity), () => below(20n * liquidity),
    () => between(most - liquidity, most), () => most, () => most + one([0n, 1n, anySize(most)])])();
}
function trade() {
  const liquidity = one([1n, 100n, 1000n, 1500n, 5000n, 10n ** 9n, anySize(10n ** 9n), anySize(10n ** 9n)]);
  const price = one([10n ** 16n, 10n ** 16n, 10n ** 14n, 10n ** 24n, anySize(10n ** 24n)]);
  const votes = [votesOf(liquidity), votesOf(liquidity)];
  const ofTrust = bits() % 2;
  const now = votes[1 - ofTrust];
  const change = anySize(one([10n, liquidity, 133n * liquidity]));
  const target = bits() % 2 || change > now ? now + change : now - change;
  return [liquidity, price, ...votes, BigInt(ofTrust), target];
}
const corners = [1n, 1500n, 10n ** 9n].flatMap((liquidity) => {
  const most = 133n * liquidity;
  const row = (trust, distrust, side, target) => [liquidity, 10n ** 16n, trust, distrust, side, target];
  return [0n, 1n].flatMap((side) => [row(1n, 1n, side, 1n), row(1n, 1n, side, 2n), row(1n, 1n, side, most), row(1n, 1n, side, most + 1n),
    row(most, 1n, side, most), row(1n, most, side, most), row(most, most, side, 1n), row(most + 1n, 1n, side, 1n), row(0n, 0n, side, 1n)]);
});

const contract = await startContract();
try {
  const print = (name, rows, results) =>
    process.stdout.write(rows.map((row, i) => `${[name, ...row, ...(results[i] ?? ["-"])].join(" ")}\n`).join(""));
  for (const [name, rows] of Object.entries(primitives))
    for (let i = 0; i < rows.length; i += 500) print(name, rows.slice(i, i + 500), await contract.call(name, rows.slice(i, i + 500)));
  print("trade", corners, await contract.call("trade", corners));
  for (let left = trades; left > 0; left -= 500) {
    const rows = many(Math.min(left, 500), trade);
    print("trade", rows, await contract.call("trade", rows));
  }
} finally {
  contract.stop();
}
