// Package serverless serves one live model whose runner is a WebSocket server elsewhere, with a connection
// for each stream.
//
// A client asks for a session at /scope. The orchestrator connects to the runner, which gets the session's
// control and events channels, and asks over the connection for the media channels that it wants. What ends
// the session for one side ends it for all.
//
// The protocol is the network's; its recorded frames (test/vectors/live) are replayed by the tests. Sessions with
// runners that take requests over HTTP are package livevideo's.
package serverless
