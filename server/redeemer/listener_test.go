package redeemer_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/redeemer"
	"github.com/tuttinode/tutti/server/rpc"
)

// TestIdleConnectionsKeepNobodyOut: a few hosts that hold every connection open that
// there may be give some up to others.
func TestIdleConnectionsKeepNobodyOut(t *testing.T) {
	const most, each = 16, 8
	r := newRig(t, func(o *redeemer.Options) { o.Connections, o.ConnectionsEach = most, each })
	for n := range most {
		d := tls.Dialer{
			NetDialer: &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+n/each))}},
			Config:    &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}},
		}
		conn, err := d.DialContext(t.Context(), "tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	for n := range 3 {
		t.Run(fmt.Sprintf("client %d", n), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if _, err := r.dial().MaxFloat(ctx, &rpc.MaxFloatReq{Sender: me[:]}); err != nil {
				t.Error(err)
			}
		})
	}
}
