// Package trickle is both sides of channels: segmented publish-subscribe over HTTP, by which live work moves
// media, control messages and events. A Hub serves them; a Publisher and a Subscriber write and read those of other
// nodes, also of the existing node.
//
// A channel has a name and a MIME type. Its data travels as numbered segments. One publisher at a time
// writes, and any number of subscribers read a segment while it grows. A peer that knows a channel's name may
// read, write and delete it, so names are credentials: they are never logged, and errors do not hold a channel's URL.
//
// A writer never waits for a reader. A channel keeps its latest five segments within a byte limit; a
// reader of a segment that is no longer kept is cut off. A channel whose last segment began some time ago
// is closed.
//
// A Publisher and a Subscriber keep one request ahead, so that a segment never waits for a connection. Neither holds
// more than its limits: the publisher's writer never waits, and is notified when the channel takes the bytes too
// slowly; the subscriber reads no faster than its caller.
//
// The protocol is the network's; what was recorded of it (test/vectors/live) is replayed by the tests.
package trickle
