// Package admin is the node's control API for its operator: state, limits,
// metrics and profiles, on a loopback address of its own.
//
// Paths, fields and answers are those of the existing node, so that its
// command-line tool and operators' scripts keep working, GET and POST alike.
// Safer than there: a request must name this listener in its Host header, which
// stops web pages that rebind a name to 127.0.0.1, and a browser's request from
// another site changes nothing.
//
// The public /status on port 8935 is another page, of server/orchestrator.
// cmd/tutti makes the Server and runs it as a lifecycle.Component.
package admin
