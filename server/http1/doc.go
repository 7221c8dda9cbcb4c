// Package http1 is an HTTP/1.1 client transport without goroutines of its own
// between the caller and the socket: the goroutine that calls RoundTrip writes the
// request, and the one that reads the body reads the socket. That halves the work
// per request and per streamed chunk, which is most of what a gateway does.
//
// It is an http.RoundTripper for talking to known peers: runners and
// orchestrators. It is not a general client: no proxies, no HTTP/2, no upgrades,
// no Expect, no compression of its own, no trailers. Parsing is strict, because
// whoever answers may be hostile: every size is bounded, and an answer whose
// length can be read in two ways is refused.
//
// # Sending again
//
// Servers close idle connections whenever they like, some right after an answer
// that promised otherwise, and a request that is written at that moment is lost.
// If a reused connection ends before a single byte of an answer came, the request
// is sent once more on a new connection, whatever its method, if its body can be
// had again (GetBody). A server that had begun to answer is never asked again. One
// that took the request, worked, and died without a byte may be asked twice: the
// callers' requests are computations, for which that costs work and nothing else.
// A connection that is new is never given a second try; who wants one decides it
// above.
package http1
