// Package reachabilitycheck checks whether gateways can reach the node: it compares the
// machine's public address with the registered one, and connects to the advertised address.
//
// A problem is a condition and never stops the node: behind a router without NAT loopback
// the node cannot reach itself, but gateways can. core/jobdiagnosis classifies the results;
// cmd/tutti starts the Checker and the admin API shows its Status.
package reachabilitycheck
