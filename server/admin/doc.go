// Package admin is the node's control API for its operator: state, limits,
// metrics, the chain and everything that the account does there.
//
// It has two APIs. The legacy routes have the paths, fields and answers of the existing
// node, so that its command-line tool and operators' scripts keep working. The new
// one, under /api/v1, is JSON with the types of core/adminapi and an OpenAPI
// document of itself. Rules are not made here: handlers decode, ask the ports of
// core/protocol and the packages next to it, and encode.
//
// Safer than the existing node: a request must name this listener in its Host
// header, which stops web pages that rebind a name to 127.0.0.1; a browser's
// request from another site reads and changes nothing; changes need POST and the
// token of the data directory, unless the operator set -enableCliTxRoutes, on
// loopback; and each change is written down.
//
// The public /status on port 8935 is another page, of server/orchestrator.
// cmd/tutti makes the Server and runs it as a lifecycle.Component.
package admin
