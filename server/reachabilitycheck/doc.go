// Package reachabilitycheck finds out whether gateways can reach the node: where the
// machine is seen, what is registered, and whether the address leads back here.
//
// Trouble is a condition and never ends the node: a router that does not loop back
// keeps a node from seeing itself while everybody else does. The judgement is
// core/reachability's; cmd/tutti starts the Checker and the admin API shows its
// Status.
package reachabilitycheck
