// Package tlscert has the certificate of a listener: one that the node made for
// itself and keeps in its data directory across restarts, or the operator's own
// files. Nodes of the network do not verify certificates, so a self-signed one
// is all it takes; keeping it lets those verify it that want to pin it.
//
// It opens no sockets; server/orchestrator and server/gateway take a tls.Config
// from it.
package tlscert
