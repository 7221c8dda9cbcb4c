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
//
// Downloads bounds the memory of what slow readers download, proved or not: it counts buffers that are kept in
// memory for their readers alone, and cuts off the oldest download of the party that holds most by slow ones. It
// keeps no files, and decides nothing about permissions.
//
// A BodyReader bounds the memory of one body by the bytes that came. An RTMPGuard stands before each RTMP connection,
// of encoders and to media servers: bluenviron/gortmplib reads messages of 10 MB in 62 interleaved series, and objects
// in objects by recursion, on which a peer could end the process.
package admission
