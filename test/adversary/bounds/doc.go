// Package bounds attacks the node's ports with peers that have proved nothing: floods
// of headers, streams and connections, bodies that are announced and do not come, and
// orchestrators that keep a gateway waiting. Each test holds one bound of
// docs/security.md: what one address may cost, and what a paying peer still gets
// alongside the attackers.
//
// Attackers have loopback addresses of their own (127.0.0.0/8), so that the node tells
// them from the peers that pay.
package bounds
