// Package signature is what nodes sign and how: keccak hashes, the personal
// message form of Ethereum signatures, and the exact bytes that stand for a
// request, a segment and a result.
//
// It holds no keys and no policy: who must sign what, and that off-chain nodes
// send empty signatures and accept anything, is for its callers (server, the
// gateway, pm).
package signature
