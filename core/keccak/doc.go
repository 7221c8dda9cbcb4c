// Package keccak is Keccak-256, Ethereum's hash: of byte slices, as a stream, and in the background while a
// segment arrives.
//
// On CPUs with AVX-512VL it has an assembly of its own, elsewhere it is go-ethereum's. Callers are
// core/signature and every package that hashes segments, results and messages.
package keccak
