package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/trickle/client"
)

// addLive adds live video, if its port is configured, and BYOC.
func (p *Part) addLive(opt *gateway.Options, ai *gatewayAI) error {
	c := &p.Config.LiveGateway
	var conn net.PacketConn
	if c.Media.Port != 0 {
		var err error
		if conn, err = p.openMedia(c.Media.Addr()); err != nil {
			return fault.Wrap(fault.ListenFailed, "open the port of live video", err)
		}
	}
	// The network's rule: orchestrators sign their own certificates.
	channels := client.NewHTTP(&tls.Config{InsecureSkipVerify: true}, nil)
	media, err := live.New(live.Options{
		Conn: conn, NATIP: c.PublicIP, Channels: channels,
		Network: &live.Upstream{
			Client:        ai.client,
			Orchestrators: func(ctx context.Context) ([]string, error) { return p.Server.Orchestrators(ctx) },
			Version:       process.NetworkVersion, MinVersion: p.Config.Selection.MinVersion,
			Blocked:  p.Config.Selection.Blocklist,
			Interval: p.Config.LiveAI.PaymentInterval, Now: time.Now, Log: p.Log,
		},
		Access: ai.access, PlaybackURL: c.PlaybackURL, AllowCORS: c.AllowCORS,
		Limits: live.Limits{Viewers: c.Viewers, MinSegment: c.MinSegment,
			Try:           max(p.Config.AI.RetryTimeout, time.Second),
			OutputSilence: cmp.Or(p.Config.LiveAI.OutSegmentTimeout, 30*time.Second)},
		Log: p.Log, Now: time.Now, Rand: rand.Reader,
	})
	if err != nil {
		if conn != nil {
			err = errors.Join(err, conn.Close())
		}
		return err
	}
	opt.Live = p.withBYOC(media, channels, ai)
	return nil
}

// openMedia opens the UDP port. While the process before this one still serves its streams on it, another
// port does: clients are given its number.
func (p *Part) openMedia(addr string) (net.PacketConn, error) {
	conn, err := net.ListenPacket("udp", addr)
	if err == nil || !errors.Is(err, syscall.EADDRINUSE) || p.Process.Sockets.Take(process.SocketGateway) == nil {
		return conn, err
	}
	host, _, _ := net.SplitHostPort(addr) // it was parsed before
	p.Log.Warn("the port of live video is still in use by the process before this one; another port serves it",
		"addr", addr)
	return net.ListenPacket("udp", net.JoinHostPort(host, "0"))
}
