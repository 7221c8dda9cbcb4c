// Package devnet starts tutti_devnet, the local test chain, for tests and for the
// demo, and ends it again. The program is built when it is first asked for, into
// a cache that all test processes share, and without the race detector.
//
// It is no part of a node, and holds no knobs of its own: test/devnet/control is
// the client of a running chain. The chain itself is next to it, for the program alone:
// its node (chain), its JSON-RPC endpoints (endpoints) and its contracts (solidity).
package devnet
