// Package signature is the signing forms of the network: the personal message form of Ethereum signatures,
// and the exact bytes that are signed for a request, a segment and a result. Package keccak has the hash.
//
// It holds no keys and no policy: the callers (server, the gateway, pm) decide what must be signed. Off-chain
// nodes send empty signatures and accept any.
package signature
