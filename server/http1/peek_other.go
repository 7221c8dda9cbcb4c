//go:build !unix

package http1

import "net"

// peeker checks whether a socket is readable; on this system it always returns false.
type peeker func() bool

func newPeeker(net.Conn) peeker { return func() bool { return false } }

// isReset always returns false: requests are then not retried.
func isReset(error) bool { return false }
