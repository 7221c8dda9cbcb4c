// Package signer wires the remote signer: the account that pays, what it may spend, and the listener for gateways.
// What is signed is decided in pm/remotesigner.
package signer
