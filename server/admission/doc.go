// Package admission bounds the cost of a peer of a public listener before it has shown
// credentials: connections, handshakes, bytes and requests in progress, counted per address.
// An address is one IPv4 address, or the /64 of an IPv6 one. Its site, the /24 or /48 that
// one owner may have, has a bound several times as high.
//
// A connection is proved when a request on it has shown valid credentials (Prove). It then
// no longer counts for its address, and the address is known for some minutes and has much
// higher bounds: behind a NAT one gateway's payments also admit its neighbors. Proved
// connections are the last to be closed when there are too many in total.
//
// The listeners of server decide which credentials prove a peer.
//
// A Handover hands a listener over to another process that holds the same socket: it counts the
// requests in progress, asks peers to reconnect, closes this process's copy of the socket and waits
// until short requests have ended.
package admission
