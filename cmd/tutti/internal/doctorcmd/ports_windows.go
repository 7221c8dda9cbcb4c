package doctorcmd

import (
	"context"
	"net"
)

// bindable is why an address cannot be listened on, nil when it can. Here it takes the
// address for a moment.
func bindable(ctx context.Context, addr string) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return l.Close()
}

// socketUnits are none.
func socketUnits(string) []string { return nil }
