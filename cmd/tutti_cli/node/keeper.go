package node

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
)

// The token of a data directory is for the node whose directory it is, and for no program
// that has the node's port while it does not run, or the usual port of another role. Any
// user of the machine can take a free port and wait for a token there, which spends the
// account's money once the node runs again.

// keptBy records that the token is the node's own file: the node is its owner's.
func (c *Client) keptBy(path string) {
	if owner, known := ownerOf(path); known {
		c.keeper.Store(&owner)
	}
}

// secretKey marks the context of a request with the token.
type secretKey struct{}

func withSecret(ctx context.Context) context.Context {
	return context.WithValue(ctx, secretKey{}, true)
}

// dial opens a connection. For a request with the token it is one to the node's user, to
// root, or to the user's own tunnel, as far as this machine knows.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return c.checked(ctx, conn, func() []int { return PortUsers(conn.LocalAddr(), conn.RemoteAddr()) })
}

// DialOwner opens connections for a node's token: to a program of the user whose file or
// directory path is, as far as that is known, and to no other user's of this machine.
func DialOwner(path string) func(ctx context.Context, network, address string) (net.Conn, error) {
	c := new(Client)
	c.keptBy(path)
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return c.dial(withSecret(ctx), network, address)
	}
}

// dialSocket is dial for a socket in the file system, whose owner made it.
func (c *Client) dialSocket(ctx context.Context, path string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	return c.checked(ctx, conn, func() []int {
		if owner, known := ownerOf(path); known {
			return []int{owner}
		}
		return nil
	})
}

// checked closes a connection for the token that another user than the node's answers.
func (c *Client) checked(ctx context.Context, conn net.Conn, users func() []int) (net.Conn, error) {
	keeper := c.keeper.Load()
	if keeper == nil || ctx.Value(secretKey{}) == nil {
		return conn, nil
	}
	for _, user := range users() {
		if !slices.Contains([]int{0, os.Getuid(), *keeper}, user) {
			_ = conn.Close() // nothing was sent
			return nil, fault.New(fault.AdminPortTaken, "ask for a change", fmt.Sprintf(
				"user %d listens at %s, and the token's file is user %d's", user, conn.RemoteAddr(), *keeper))
		}
	}
	return conn, nil
}
