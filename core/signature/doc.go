// Package signature is the signing forms of the network: the personal message form of Ethereum signatures,
// the exact bytes that are signed for a request, a segment and a result, and the hash under all of them,
// Keccak-256: of byte slices, as a stream, and in the background while a segment arrives.
//
// It holds no keys and no policy: the callers (server, the gateway, pm) decide what must be signed. Off-chain
// nodes send empty signatures and accept any. On CPUs with AVX-512VL the hash has an assembly of its own,
// elsewhere it is go-ethereum's.
package signature
