//go:build !unix

package http1

import "net"

// peeker looks whether there is anything to read; here it never can tell.
type peeker func() bool

func newPeeker(net.Conn) peeker { return func() bool { return false } }

// isReset takes no error for a hard end: requests are then not sent again.
func isReset(error) bool { return false }
