package orchestrate

import (
	"errors"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
)

// Rules of the protocol, and the defaults of what an operator may set.
const (
	// QueueLength is how many segments of one session may wait behind the one
	// that is being transcoded.
	QueueLength = 4
	// TokenLife is how long an offer's auth token opens a session.
	TokenLife = 30 * time.Minute
	// DefaultLimit is the session limit where none is set.
	DefaultLimit = 10
	// DefaultResultBytes bounds the renditions kept for download.
	DefaultResultBytes = 512 << 20
	// DefaultDrainAccept is how long a stopping node still takes segments of the
	// sessions that it has.
	DefaultDrainAccept = 8 * time.Second
)

// Options are what an Orchestrator is built from.
type Options struct {
	// ServiceURI is the advertised address, scheme://host:port, without a path.
	ServiceURI string
	// Capabilities is the present offer; it may change while the node runs.
	Capabilities func() capability.Capabilities

	Transcoder core.Transcoder
	// Payments is core.FreePayments when nil.
	Payments core.Payments
	// Signatures is nil off-chain.
	Signatures Signatures
	// Admitter is asked beside the limit; nil admits everything within it.
	Admitter Admitter
	// Recorder is core.NopRecorder when nil.
	Recorder core.Recorder

	// Origin is what renditions say of the node that ordered them: its address,
	// or "offchain", which is the default.
	Origin string

	// Limit is the number of sessions at once; 0 leaves it to the Admitter.
	Limit int
	// ResultBytes bounds the renditions kept for download, DefaultResultBytes
	// when 0.
	ResultBytes int64
	// DrainAccept is DefaultDrainAccept when 0.
	DrainAccept time.Duration

	// Now and Rand are the clock and the source of secrets and session ids.
	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
}

// complete checks what has no default and fills in what has.
func (opt *Options) complete() error {
	u, err := url.Parse(opt.ServiceURI)
	switch {
	case err != nil:
		return err
	case u.Scheme != "https" && u.Scheme != "http", u.Host == "",
		strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.User != nil:
		return errors.New("service URI must be https://host:port")
	case opt.Transcoder == nil:
		return errors.New("no transcoder")
	case opt.Capabilities == nil:
		return errors.New("no capabilities")
	case opt.Now == nil || opt.Rand == nil || opt.Log == nil:
		return errors.New("clock, randomness and log must be given")
	}
	opt.ServiceURI = u.Scheme + "://" + u.Host
	if opt.Payments == nil {
		opt.Payments = core.FreePayments{}
	}
	if opt.Recorder == nil {
		opt.Recorder = core.NopRecorder{}
	}
	if opt.ResultBytes == 0 {
		opt.ResultBytes = DefaultResultBytes
	}
	if opt.Origin == "" {
		opt.Origin = "offchain"
	}
	if opt.DrainAccept == 0 {
		opt.DrainAccept = DefaultDrainAccept
	}
	return nil
}
