// Package tlscert provides the certificate of a listener: a self-signed one that the node
// keeps in its data directory across restarts, or the operator's files. Nodes of the network
// do not verify certificates; keeping the certificate lets peers pin it.
//
// It opens no sockets; server/orchestrator and server/gateway take a tls.Config
// from it.
package tlscert
