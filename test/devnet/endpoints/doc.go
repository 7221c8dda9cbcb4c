// Package endpoints is the test chain's JSON-RPC endpoints: HTTP and websocket on loopback, several of them
// side by side. It adds what Arbitrum's nodes answer and Ethereum's do not (the L1 block of each block, a
// price without tip, the refusal of underpriced transactions), and each endpoint can be made to misbehave
// like a bad provider.
//
// It executes nothing itself: package chain does. Only cmd/tutti_devnet calls it.
package endpoints
