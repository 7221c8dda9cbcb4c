package orchestrator

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/privatefile"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/byoc"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/tlscert"
	"github.com/tuttinode/tutti/server/trickle"
)

// Defaults of the limits that an operator may set.
const (
	// DefaultUploadBytes bounds the total size of segments in progress.
	DefaultUploadBytes = 1 << 30
	// DefaultConnections bounds open connections; the longest idle one is closed for a new one.
	DefaultConnections = 16384
	// DefaultTextBytes bounds an AI request without a file, DefaultFileBytes one
	// with a file.
	DefaultTextBytes = 10 << 20
	DefaultFileBytes = 64 << 20
)

// FrameEncoder encodes images as a video.
type FrameEncoder interface {
	// EncodeMP4 makes an MP4 of frames, which are PNG files, at fps frames per
	// second, scaled to width and height. frames are not kept.
	EncodeMP4(ctx context.Context, frames [][]byte, fps float64, width, height int) ([]byte, error)
}

// WorkerRoutes are the routes of workers of this node: gRPC streams that stay open, and the
// paths for their results.
type WorkerRoutes interface {
	Endpoint() remote.Endpoint
	Routes(*http.ServeMux)
}

// Options are what a Server is built from.
type Options struct {
	// Addr is where to listen, ":8935".
	Addr string
	// Listener replaces Addr, for a port that a service manager opened. The server closes it.
	Listener net.Listener
	// Orchestrator has the rules.
	Orchestrator *orchestrate.Orchestrator
	// ChainStatus is the orchestrator's status on the chain, if known; nil off-chain.
	ChainStatus func() (adminapi.PublicStatus, bool)
	// PeerSeen is called with the address of each peer with a request, often several times. It
	// must not block; nil ignores it.
	PeerSeen func(net.Addr)
	// Cert is nil for plaintext HTTP, then with HTTP/2 by prior knowledge.
	Cert *tlscert.Source

	// WorkerRoutes are those of remote transcoders and AI workers, none if workers may not
	// register.
	WorkerRoutes []WorkerRoutes
	// WorkerCA makes worker routes require certificates of these authorities; nil requires
	// none. Gateways never need one.
	WorkerCA *x509.CertPool
	// Live serves live runners; nil serves none.
	Live *liverunner.Server
	// LiveVideo starts sessions of live video on Channels; nil on a node without AI.
	LiveVideo *livevideo.Server
	Channels  *trickle.Hub
	// Serverless starts sessions at a runner elsewhere, on Channels too; nil where there is none.
	Serverless *livevideo.Serverless
	// Capabilities serves external capabilities, on Channels; nil on a node that lets none register.
	Capabilities *byoc.Server
	// Paywall takes payment for live work; nil where there is none, or it is free.
	Paywall *Paywall
	// Nodes are the service addresses of the operator's other orchestrators, part of every
	// offer.
	Nodes []string

	// Version and Roles are shown on /status.
	Version string
	Roles   []string

	// UploadBytes is DefaultUploadBytes when 0. With less than 750 MB a peer that has not paid
	// cannot send a segment of the largest size, which needs 1.5 times its memory while its buffer
	// grows.
	UploadBytes int64
	// Connections is DefaultConnections when 0.
	Connections int
	// PerAddress is how many connections of one address are served at once before they
	// have shown valid credentials (admission.Options); 0 is no bound.
	PerAddress int
	// Known are networks whose addresses count as having shown credentials: the operator's
	// routers and gateways.
	Known []netip.Prefix
	// Scarce is called when the system has no descriptor for a connection; may be nil.
	Scarce func(error)
	// Stores are private networks from which segments may be fetched when a gateway sends a
	// URL. Otherwise only public addresses are allowed: a peer must not make this node read
	// what only the node can reach.
	Stores fetchurl.Networks

	// TextBytes and FileBytes bound the bodies of AI requests, DefaultTextBytes and
	// DefaultFileBytes when 0.
	TextBytes, FileBytes int64
	// Spools are files for the long values of large AI requests; nil keeps them in memory.
	Spools *privatefile.Spools
	// Frames encodes videos; without it image-to-video fails.
	Frames FrameEncoder
	// AINotice is shown on /status: why configured models are not served, "" for none; may be
	// nil.
	AINotice func() string
	// Tracer makes the spans of jobs and segments; nil makes none.
	Tracer *telemetry.Tracer

	Now func() time.Time
	Log *slog.Logger
}

func (opt *Options) complete() error {
	switch {
	case opt.Orchestrator == nil:
		return errors.New("no orchestrator")
	case opt.Now == nil || opt.Log == nil:
		return errors.New("clock and log must be given")
	}
	if opt.UploadBytes == 0 {
		opt.UploadBytes = DefaultUploadBytes
	}
	opt.Connections = cmp.Or(opt.Connections, DefaultConnections)
	opt.TextBytes = cmp.Or(opt.TextBytes, DefaultTextBytes)
	opt.FileBytes = cmp.Or(opt.FileBytes, DefaultFileBytes)
	return nil
}
