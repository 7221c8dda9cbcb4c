// Package release names this program's version and the release of the network that it
// speaks for. All parts of cmd/tutti read it; it decides nothing.
package release
