// Package price plays orchestrators that want to be paid more than their work is worth:
// with large tickets in ever new sessions, with errors after the payment, with ever new
// recipients, over kills of the gateway. The gateway and the chain are the real programs;
// the orchestrators, honest and not, are in the tests and speak the network's protocol.
//
// What a cheat was paid is counted where it arrives, in expected value, and held against
// the work that it did and the gateway's bound. It runs in the test command; `make
// adversary` lets it go on for longer.
package price
