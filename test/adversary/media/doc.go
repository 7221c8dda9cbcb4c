// Package media plays a stranger that may push media, or orders for media, at real
// nodes: slices of segments, segments that exhaust or starve a media worker, whole
// streams of them. Each test runs the tutti binary over real sockets and checks that
// an honest stream at the same node loses nothing.
package media
