// Package deployment deploys the protocol's contracts on the test chain and acts for the accounts around
// them: the owner that pauses and changes parameters, the faucet for ether and stake tokens, and
// orchestrators with their delegators.
//
// The contracts are data of eth/devnet; package chain makes the blocks. Only cmd/tutti_devnet calls it.
package deployment
