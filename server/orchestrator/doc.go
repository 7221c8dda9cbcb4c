// Package orchestrator is the orchestrator's listener: gRPC, HTTP/2 and
// HTTP/1.1 on one port, 8935 as a rule. It decodes requests, asks
// core/orchestrate, and encodes answers; the rules are not here. What is here
// are the limits that keep strangers from holding the node up: on the size and
// pace of bodies, on headers, on connections, and on what all uploads together
// may hold in memory.
//
// Gateways of the network are its callers, cmd/tutti builds it.
package orchestrator
