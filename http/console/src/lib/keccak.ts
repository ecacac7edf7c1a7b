// Keccak-256 as Ethereum uses it (https://keccak.team/keccak_specs_summary.html), for the checksum of addresses.

const mask = (1n << 64n) - 1n;
const rate = 136;

function roundConstants(): bigint[] {
  let register = 1;
  const bit = (): boolean => {
    const out = (register & 1) === 1;
    register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
    return out;
  };
  return Array.from({length: 24}, () => {
    let constant = 0n;
    for (let i = 0; i < 7; i += 1) if (bit()) constant ^= 1n << BigInt((1 << i) - 1);
    return constant;
  });
}

const constants = roundConstants();

function turn(lane: bigint, by: number): bigint {
  return by === 0 ? lane : ((lane << BigInt(by)) | (lane >> BigInt(64 - by))) & mask;
}

function permute(state: bigint[]): void {
  const lane = (i: number): bigint => state[i] as bigint;
  for (const constant of constants) {
    const columns = Array.from({length: 5}, (_, x) => lane(x) ^ lane(x + 5) ^ lane(x + 10) ^ lane(x + 15) ^ lane(x + 20));
    for (let i = 0; i < 25; i += 1) state[i] = lane(i) ^ (columns[(i + 4) % 5] as bigint) ^ turn(columns[(i + 1) % 5] as bigint, 1);
    let [x, y, current] = [1, 0, lane(1)];
    for (let t = 0; t < 24; t += 1) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const moved = lane(x + 5 * y);
      state[x + 5 * y] = turn(current, (((t + 1) * (t + 2)) / 2) % 64);
      current = moved;
    }
    for (let row = 0; row < 25; row += 5) {
      const old = state.slice(row, row + 5);
      for (let i = 0; i < 5; i += 1) state[row + i] = (old[i] as bigint) ^ (~(old[(i + 1) % 5] as bigint) & mask & (old[(i + 2) % 5] as bigint));
    }
    state[0] = lane(0) ^ constant;
  }
}

export function keccak256(input: Uint8Array): Uint8Array {
  const padded = new Uint8Array((Math.floor(input.length / rate) + 1) * rate);
  padded.set(input);
  padded[input.length] = 1;
  padded[padded.length - 1] = (padded[padded.length - 1] as number) | 0x80;
  const state = Array<bigint>(25).fill(0n);
  for (let from = 0; from < padded.length; from += rate) {
    const view = new DataView(padded.buffer, from, rate);
    for (let i = 0; i < rate / 8; i += 1) state[i] = (state[i] as bigint) ^ view.getBigUint64(i * 8, true);
    permute(state);
  }
  const out = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 4; i += 1) out.setBigUint64(i * 8, state[i] as bigint, true);
  return new Uint8Array(out.buffer);
}
