// Package nodeenv is what all roles of a node share: configuration, log, health board, metrics,
// the process and the list of components. It knows no role; cmd/tutti makes it first and hands it
// to each role's package.
//
// peers.go reads what options say of connections to other nodes: addresses to dial, secrets of
// workers and certificate authorities.
//
// The reloader reads the configuration again while the node runs and takes over what may change.
// Each role gives the steps that apply to its own parts.
package nodeenv
