// Package capability is what a node can do and what a job needs: the
// capability numbers and names of the network, their bit strings, and the rules
// that say whether an offer satisfies a request.
//
// It is pure: values in, verdict out. It does not know how capabilities travel
// (server/rpc) nor what this machine can really do (the transcoder's and the AI
// adapter's start-up checks, which choose from the lists here).
package capability
