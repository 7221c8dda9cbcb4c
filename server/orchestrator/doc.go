// Package orchestrator is the orchestrator's listener: gRPC, HTTP/2 and
// HTTP/1.1 on one port, 8935 as a rule. It decodes requests, asks
// core/orchestrate, and encodes answers; the rules are not here. What is here
// are the limits that keep strangers from holding the node up: on the size and
// pace of bodies, on headers, on connections, and on what all uploads together
// may hold in memory.
//
// A GatewayHook asks a service of the operator's which gateways are served, and at which price
// (-authWebhookUrl). It keeps the answers: gateways ask for offers again and again.
//
// A Reachability checks whether gateways can reach the listener: it compares the machine's public address with
// the registered one, and connects to the advertised address. A problem is a condition and never stops the node:
// behind a router without NAT loopback the node cannot reach itself, but gateways can. core/doctor classifies
// the results.
//
// Gateways of the network are its callers, cmd/tutti builds it.
package orchestrator
