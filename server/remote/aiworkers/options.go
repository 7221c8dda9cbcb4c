package aiworkers

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote"
)

const (
	// stallTime is how long an answer may pause that no job reads.
	stallTime = 5 * time.Minute
	// ownGrace is how much longer than its runners one of our own workers may take: it ends
	// what they do not do in time, and reports that.
	ownGrace = 10 * time.Second
	// lostTime is what is left of that once its worker's registration has broken.
	lostTime = 5 * time.Second
	// maxWait is how many jobs of a model may wait for a slot.
	maxWait = 64
	// maxWorkers bounds the workers.
	maxWorkers = 4096
	// maxPoolModels bounds the different models of all workers.
	maxPoolModels = 4096
	// maxWhole bounds an answer that is read as a whole, maxStream one that passes.
	maxWhole  = 128 << 20
	maxStream = 1 << 30
	// copies bounds the memory of such an answer's conversion, as a multiple of its size: as
	// received, as separate files, as text, and in the converted answer.
	copies = 5
	// answerBytes bounds the answers that are read as a whole, all together.
	answerBytes = 1 << 30
)

// Options are what a Pool is built from.
type Options struct {
	// Secrets are those by which workers are let in.
	Secrets *remote.Secrets
	// Names keeps workers' names apart, from those of other kinds too.
	Names *remote.Names
	// MinVersion is the lowest release of the network that a worker may have; "" is
	// any.
	MinVersion string
	// Node is the name by which our own workers know us, "tutti/1.2.3".
	Node string
	// ServiceURI is where workers reach this node where they did not say what they
	// dialed, "https://host:8935".
	ServiceURI string
	// FirstTask is the id of the first task, another with each start of the process; see
	// remote.FirstTask.
	FirstTask remote.TaskID
	// Limits bound the wait for answers; workers of the existing network have Limits.Whole for
	// each, as there.
	Limits inference.Limits
	// HoldTime is how long the place of a worker is kept whose connection broke; 3 s when 0.
	HoldTime time.Duration
	// Queue is how many jobs of a model may wait; 64 when 0.
	Queue int

	// Recorder counts the results that come; nil ignores them.
	Recorder inference.Recorder

	Random io.Reader
	Now    func() time.Time
	Log    *slog.Logger
}

func (o *Options) complete() error {
	switch {
	case o.Secrets == nil:
		return errors.New("no secret")
	case o.Random == nil || o.Now == nil || o.Log == nil:
		return errors.New("randomness, clock and log must be given")
	}
	if o.Recorder == nil {
		o.Recorder = inference.NopRecorder{}
	}
	if o.Names == nil {
		o.Names = new(remote.Names)
	}
	o.ServiceURI = strings.TrimSuffix(o.ServiceURI, "/")
	o.Limits = o.Limits.OrDefault()
	o.HoldTime = cmp.Or(o.HoldTime, holdTime)
	o.Queue = cmp.Or(o.Queue, maxWait)
	return nil
}
