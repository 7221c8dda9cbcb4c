// Package upstream is a gateway's client of orchestrators: discovery, sending segments and jobs,
// downloading renditions, and ending sessions, over the network's wire protocol.
//
// It makes no choices and does not retry; core/videorouting has the rules and server/gateway
// applies them. Errors are faults that name what went wrong with one orchestrator.
package upstream
