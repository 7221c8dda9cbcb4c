// Package alertcmd is `tutti alert test`, and makes the senders of -alert for the node as
// well. Only cmd/tutti calls it.
package alertcmd
