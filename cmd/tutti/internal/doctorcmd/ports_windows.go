package doctorcmd

import (
	"context"
	"net"
)

// checkBind returns why an address cannot be listened on, nil if it can. On Windows it listens
// for a moment.
func checkBind(ctx context.Context, addr string) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return l.Close()
}

// socketUnits returns none.
func socketUnits(string) []string { return nil }
