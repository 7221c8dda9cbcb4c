package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/trickle"
)

// addLive adds BYOC, and live video if it is configured.
func (p *Part) addLive(opt *gateway.Options, ai *gatewayAI) (*live.Server, error) {
	c := &p.Config.LiveGateway
	var conn net.PacketConn
	var err error
	if c.Media.Port != 0 {
		if conn, err = p.openMedia(c.Media.Addr()); err != nil {
			return nil, fault.Wrap(fault.ListenFailed, "open the port of live video", err)
		}
	}
	// The network's rule: orchestrators sign their own certificates.
	channels := trickle.NewHTTPClient(&tls.Config{InsecureSkipVerify: true}, nil)
	network := &live.Upstream{
		Client:        ai.client,
		Orchestrators: func(ctx context.Context) ([]string, error) { return p.Server.Orchestrators(ctx) },
		Version:       process.NetworkVersion, MinVersion: p.Config.Selection.MinVersion,
		Blocked:  p.Config.Selection.Blocklist,
		Interval: p.Config.LiveAI.PaymentInterval, Now: time.Now, Log: p.Log,
	}
	var server *live.Server
	var recorder live.Recorder
	if c.Served() {
		if recorder, err = p.liveMetrics(network, ai, func() int { return server.Streams() }); err != nil {
			return nil, errors.Join(err, closeConn(conn))
		}
	}
	server, err = live.New(live.Options{
		Conn: conn, NATIP: c.PublicIP, Channels: channels, Network: network, Recorder: recorder,
		Events: p.events, Restream: p.restream(),
		Access: ai.access.WithoutWebhook(), PlaybackURL: c.PlaybackURL, AllowCORS: c.AllowCORS,
		Host: p.Config.Addresses.GatewayHost, Webhook: p.liveWebhook(), Puller: live.RTMP{},
		MediaNetworks: p.Config.Storage.ObjectStoreNetworks, MediaServerPassword: c.MediaMTXPassword.Reveal(),
		Save: live.Save{Dir: filepath.Join(p.Config.Storage.DataDir, "live-segments"), First: c.SaveFirst},
		Limits: live.Limits{Viewers: c.Viewers, MinSegment: c.MinSegment, Gather: c.Gather,
			Try:           max(p.Config.AI.RetryTimeout, time.Second),
			OutputSilence: cmp.Or(p.Config.LiveAI.OutSegmentTimeout, 30*time.Second)},
		Log: p.Log, Now: time.Now, Rand: rand.Reader,
	})
	if err != nil {
		return nil, errors.Join(err, closeConn(conn))
	}
	opt.Live = p.withBYOC(server, channels, ai)
	if !c.Served() {
		return nil, nil
	}
	return server, p.addHeartbeat(server)
}

// closeConn closes a socket, if there is one.
func closeConn(conn net.PacketConn) error {
	if conn == nil {
		return nil
	}
	return conn.Close()
}

// liveWebhook is the service that admits live video, nil without one.
func (p *Part) liveWebhook() *live.Webhook {
	c := &p.Config.LiveGateway
	if c.AuthWebhook.IsZero() {
		return nil
	}
	return live.NewWebhook(c.AuthWebhook.Reveal(), c.AuthKey.Reveal())
}

// addHeartbeat notifies the operator's service of live video, if there is one.
func (p *Part) addHeartbeat(s *live.Server) error {
	c := &p.Config.LiveGateway
	if c.Heartbeat.IsZero() {
		return nil
	}
	header, err := config.HeaderList(c.HeartbeatHeaders.Reveal())
	if err != nil {
		return fault.Wrap(fault.BadOption, "read -liveAIHeartbeatHeaders", err)
	}
	p.Add(s.NewHeartbeat(live.HeartbeatOptions{URL: c.Heartbeat.Reveal(), Header: header, Interval: c.HeartbeatInterval,
		Board: p.Board}))
	return nil
}

// openMedia opens the UDP port. While the old process still serves its streams on it, another
// port does: clients are given its number.
func (p *Part) openMedia(addr string) (net.PacketConn, error) {
	conn, err := net.ListenPacket("udp", addr)
	if err == nil || !errors.Is(err, syscall.EADDRINUSE) || !p.upgrading() {
		return conn, err
	}
	host, _, _ := net.SplitHostPort(addr) // it was parsed before
	p.Log.Warn("the port of live video is still in use by the old process; another port serves it",
		"addr", addr)
	return net.ListenPacket("udp", net.JoinHostPort(host, "0"))
}

// upgrading reports whether the old process handed its socket over, and may still have its other ports.
func (p *Part) upgrading() bool { return p.Process.Sockets.Take(process.SocketGateway) != nil }
