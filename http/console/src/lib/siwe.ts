// The message that a wallet signs, and the checksum of its address (EIP-4361, EIP-55).
import type {SignInTerms} from './contract';
import {keccak256} from './keccak';

export function checksummed(address: string): string {
  const digits = address.replace(/^0x/i, '').toLowerCase();
  const hash = keccak256(new TextEncoder().encode(digits));
  return `0x${[...digits].map((digit, i) => ((((hash[i >> 1] as number) >> (i % 2 === 0 ? 4 : 0)) & 15) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
}

export function messageOf(terms: SignInTerms, address: string): string {
  // Wallets compare the message with the page that shows it, which may be found at another of the server's hosts.
  const here = terms.domains.includes(location.host);
  return [
    `${here ? location.host : terms.domain} wants you to sign in with your Ethereum account:`,
    address,
    '',
    terms.statement,
    '',
    `URI: ${here ? location.origin : terms.uri}`,
    `Version: ${terms.version}`,
    `Chain ID: ${terms.chainId}`,
    `Nonce: ${terms.nonce}`,
    `Issued At: ${terms.issuedAt}`,
    `Expiration Time: ${terms.expirationTime}`
  ].join('\n');
}
