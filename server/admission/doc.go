// Package admission bounds what a peer of a public listener costs before it has proved
// anything: connections, handshakes, bytes and requests in progress, counted for each
// address. An address is one IPv4 address, or the /64 of an IPv6 one. Its site, the /24 or
// /48 that one owner may have, is bounded too, by a few times as much.
//
// A connection is proved when a request on it has shown valid credentials (Prove says
// so). It counts no more against its address then, and its address is known for some
// minutes and may do much more: behind a NAT one gateway's payments let its neighbors
// in. Proved connections are also the last to be closed when there are too many in all.
//
// The package knows no credentials; the listeners of server decide what proves a peer.
package admission
