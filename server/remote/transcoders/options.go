package transcoders

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/remote"
)

const (
	// DefaultResultBytes bounds the results on their way, all together.
	DefaultResultBytes = 1 << 30
	// maxInline is the largest segment that is sent in the notice itself.
	maxInline = 32 << 20
	// maxSignature bounds a rendition's video signature.
	maxSignature = 32 << 20
	// maxErrorText bounds what a transcoder says of a failure.
	maxErrorText = 4 << 10
)

// Options are what a Service is built from.
type Options struct {
	// Placer gets a device for each registration.
	Placer device.Placer
	// Secrets let transcoders in.
	Secrets *remote.Secrets
	// ServiceURI is the node's own address, where a transcoder's request does not
	// tell the one that it dialed.
	ServiceURI func() string
	// Origin is the recipient's address, or "offchain", for registrations whose jobs
	// name none; "offchain" when "".
	Origin string
	// Version is this node's release.
	Version string
	// FirstTask is the id of the first task, another with each start of the process; see
	// remote.FirstTask.
	FirstTask remote.TaskID
	// ResultBytes is DefaultResultBytes when 0.
	ResultBytes int64

	// Recorder counts workers that were lost; core.NopRecorder when nil. Board may be
	// nil.
	Recorder core.Recorder
	Board    *health.Board
	Log      *slog.Logger
	Now      func() time.Time
	// Rand makes the addresses of segments unguessable.
	Rand io.Reader
}

func (o *Options) complete() error {
	switch {
	case o.Placer == nil || o.Secrets == nil:
		return errors.New("placer and secrets must be given")
	case o.ServiceURI == nil:
		return errors.New("no service address")
	case o.Log == nil || o.Now == nil || o.Rand == nil:
		return errors.New("log, clock and randomness must be given")
	}
	if o.Recorder == nil {
		o.Recorder = core.NopRecorder{}
	}
	o.Origin = cmp.Or(o.Origin, "offchain")
	o.ResultBytes = cmp.Or(o.ResultBytes, DefaultResultBytes)
	return nil
}
