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

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/orchestratorstatus"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/tlscert"
)

// Defaults of the limits that an operator may set.
const (
	// DefaultUploadBytes bounds the segments that are received or worked on, all
	// together.
	DefaultUploadBytes = 1 << 30
	// leastUploadBytes lets a peer that has not paid send a segment of the largest size,
	// which needs half as much memory again while its buffer grows.
	leastUploadBytes = core.MaxSegmentBytes / 2 * 5
	// DefaultConnections bounds open connections; the longest idle one makes
	// room for a new one.
	DefaultConnections = 16384
	// DefaultTextBytes bounds an AI request without a file, DefaultFileBytes one
	// with a file.
	DefaultTextBytes = 10 << 20
	DefaultFileBytes = 64 << 20
)

// FrameEncoder makes a video of pictures.
type FrameEncoder interface {
	// EncodeMP4 makes an MP4 of frames, which are PNG files, at fps frames per
	// second, scaled to width and height. frames are not kept.
	EncodeMP4(ctx context.Context, frames [][]byte, fps float64, width, height int) ([]byte, error)
}

// Door lets workers of this node in: it serves gRPC streams that stay open, and the
// paths on which results come back.
type Door interface {
	Endpoint() remote.Endpoint
	Routes(*http.ServeMux)
}

// Options are what a Server is built from.
type Options struct {
	// Addr is where to listen, ":8935".
	Addr string
	// Listener is used instead when it is given, as by a service manager that
	// opened the port. The server closes it.
	Listener net.Listener
	// Orchestrator has the rules.
	Orchestrator *orchestrate.Orchestrator
	// Standing is the node's place on the chain, as far as it is known; nil off-chain.
	Standing func() (orchestratorstatus.Status, bool)
	// Seen is told the address of everybody who sends a request, often several times.
	// It must be quick. Nil when nobody wants to know.
	Seen func(net.Addr)
	// Cert is nil for plaintext HTTP, then with HTTP/2 by prior knowledge.
	Cert *tlscert.Source

	// Doors are those of remote transcoders and AI workers, none where nobody may
	// register.
	Doors []Door
	// WorkerCA makes the doors ask for certificates from these authorities; nil asks
	// for none. Gateways never need one.
	WorkerCA *x509.CertPool
	// Nodes are the service addresses of the operator's other orchestrators, which
	// every offer names.
	Nodes []string

	// Version and Roles are shown on /status.
	Version string
	Roles   []string

	// UploadBytes is DefaultUploadBytes when 0.
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
	// Stores are private networks in which a segment's bytes may be fetched, where a
	// gateway sends a URL instead of bytes. Elsewhere only public addresses are: a
	// stranger must not have this node read what only it can reach.
	Stores fetchurl.Networks

	// TextBytes and FileBytes bound the bodies of AI requests, DefaultTextBytes and
	// DefaultFileBytes when 0.
	TextBytes, FileBytes int64
	// Frames makes videos of frames; without it image-to-video fails.
	Frames FrameEncoder
	// AINotice is shown on /status: why models that the operator asked for are not
	// served, "" when there is nothing to say. nil says nothing.
	AINotice func() string

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
	opt.UploadBytes = max(opt.UploadBytes, leastUploadBytes)
	opt.Connections = cmp.Or(opt.Connections, DefaultConnections)
	opt.TextBytes = cmp.Or(opt.TextBytes, DefaultTextBytes)
	opt.FileBytes = cmp.Or(opt.FileBytes, DefaultFileBytes)
	return nil
}
