// Package http1 is an HTTP/1.1 client transport without goroutines between the caller and
// the socket: the caller of RoundTrip writes the request, and the reader of the body reads
// the socket. That halves the CPU time per request and per streamed chunk, which is most of
// a gateway's.
//
// It is an http.RoundTripper for runners and orchestrators. It is not a general client: no
// proxies, no HTTP/2, no upgrades, no Expect, no compression of its own, no trailers.
// Parsing is strict, because servers may be hostile: every size is bounded, and an answer
// with an ambiguous length is refused.
//
// # Retries
//
// Servers close idle connections at any time, some right after an answer that announced
// keep-alive, and a request that is written at that moment is lost. If a reused connection
// ends before the first byte of an answer, the request is sent once more on a new
// connection, whatever its method, if its body can be read again (GetBody). It is not sent
// again once an answer has begun. A server that processed the request and failed without a
// byte may get it twice: the callers' requests are computations, so this only costs work.
// Requests on new connections are not retried here.
package http1
