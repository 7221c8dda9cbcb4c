// Package solidity holds the contracts of the local test chain, compiled, and the
// list of transactions that sets them up. They behave towards a node as the
// protocol's contracts on Arbitrum do; contracts/README.md says where they differ.
//
// It is data: it starts no chain, signs nothing and speaks to no RPC endpoint.
// cmd/tutti_devnet deploys from it, and the scenarios next to it prove that the
// contracts do what the node expects. No node uses it. `make contracts` writes the
// artifacts from the Solidity sources, and `make contractscheck` compares them.
//
// The tests prove that the contracts keep the protocol's rules: each rule that a node relies on is
// a named scenario, executed by an EVM in this process. No blocks are mined, so a scenario costs
// milliseconds.
package solidity
