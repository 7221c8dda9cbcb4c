package worker

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	// credential is the marker of answers.
	credential = "Livepeer-AI-Worker-1.0"
	landmark   = "Registering AI worker to"
	// maxNotice lets a request with a file of the largest size through.
	maxNotice = 96 << 20
	// DefaultRequestBytes bounds the requests of all jobs in progress, with their files.
	DefaultRequestBytes = 2 << 30
	// maxTasks bounds the jobs of one orchestrator; what may run at once is for the
	// models to say.
	maxTasks = 1024
)

// frameEncoder makes a video of images.
type frameEncoder interface {
	// EncodeMP4 makes an MP4 of frames, which are PNG files, at fps frames per
	// second, scaled to width and height. frames are not kept.
	EncodeMP4(ctx context.Context, frames [][]byte, fps float64, width, height int) ([]byte, error)
}

// AIOptions are what a Work is built from.
type AIOptions struct {
	// Models do the jobs.
	Models inference.Worker
	// Live are those of Models that serve live video; orchestrators of the network are offered none of these models.
	Live inference.LongWorkers
	// Version is the release of the network that this node speaks, "0.9.1".
	Version string
	// Frames makes videos of frames for orchestrators of the network; without it their
	// image-to-video jobs fail.
	Frames frameEncoder
	// Fetch gets the inputs of jobs; nil is a client that takes any certificate, as in
	// the network, and follows no redirects to other hosts.
	Fetch *http.Client
	// MaxRequests bounds the bytes of all requests in progress; 0 is DefaultRequestBytes.
	MaxRequests int64
	// Tracer makes the jobs' spans; nil makes none.
	Tracer *telemetry.Tracer

	Random io.Reader
	Now    func() time.Time
	Log    *slog.Logger
}

// aiWork is what a remote AI worker does with what its orchestrators send.
type aiWork struct {
	opt AIOptions
	// requests is the memory for what jobs bring.
	requests *remote.Budget
	// failures limits the lines of jobs that failed.
	failures fault.Lines
	// live has the sessions of live video in progress: a liveTask by its liveKey.
	live sync.Map
}

var (
	_ Work[rpc.NotifyAIJob] = (*aiWork)(nil)
	_ UrgencyChecker        = (*aiWork)(nil)
	_ EmptyOfferChecker     = (*aiWork)(nil)
)

// NewAI makes the work of a worker.
func NewAI(opt AIOptions) (*aiWork, error) {
	if opt.Models == nil || opt.Random == nil || opt.Now == nil || opt.Log == nil {
		return nil, errors.New("a remote AI worker needs models, randomness, clock and log")
	}
	if opt.Fetch == nil {
		opt.Fetch = fetcher()
	}
	return &aiWork{opt: opt, requests: remote.NewBudget(cmp.Or(opt.MaxRequests, DefaultRequestBytes))}, nil
}

// AILoop makes the component that keeps the worker registered: loop says with which orchestrators and
// how, opt what it does.
func AILoop(loop Options, opt AIOptions) (*Loop[rpc.NotifyAIJob], error) {
	w, err := NewAI(opt)
	if err != nil {
		return nil, err
	}
	loop.Kind = "AI worker"
	loop.Credential, loop.RegisterLog = credential, landmark
	loop.MaxMessage, loop.MaxTasks = maxNotice, maxTasks
	return New(loop, w)
}
