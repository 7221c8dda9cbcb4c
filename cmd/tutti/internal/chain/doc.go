// Package chain wires the node's part on the chain: the network behind a name, the account
// and its passphrase, reward and rounds, the bounds on gas, and which conditions hide which.
// It is not the chain client: package eth/chain is. The node, `tutti init` and the doctor
// call it.
package chain
