// Package core is the node in domain words: what a session, a segment, a
// rendition and a profile are, and the ports through which the rules of the
// node meet the world.
//
// It knows nothing of sockets, chains, containers or codecs. The adapters
// (server, transcoder, ai, eth) implement or call its ports; cmd/tutti is the
// only place that introduces them to one another. The rules themselves live in
// the packages below it: core/orchestrate (an orchestrator's sessions and
// admission), core/videorouting (a gateway's choice of orchestrators), core/capability,
// core/fault, core/health and core/lifecycle.
//
// peernetwork.go says what counts as one peer where only its address is known: an IPv4 address, or the /64
// of an IPv6 address, whose owner has all of it.
package core
