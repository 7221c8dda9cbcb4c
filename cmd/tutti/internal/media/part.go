package media

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/devices"
	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/pool"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// Part is what transcodes for the node: devices of this machine and workers of others. It exists
// on every node; where no role transcodes, its pool is nil and only AI jobs may use it.
type Part struct {
	*nodeenv.Env
	// Pool places segments on devices; nil on a node that neither transcodes nor takes transcoders.
	Pool *pool.Pool
	// GPUs watches the GPUs to transcode on; nil on a node that was given none.
	GPUs *gpus.Watcher
	// Budget divides the memory of the GPUs between video and models.
	Budget *device.Budget
	// Sessions are what the dashboard shows; nil where no session can be.
	Sessions *metrics.DashboardSessions
	// ahead are the GPUs of the old process, nil without one.
	ahead *Ahead
	// keeper keeps the media workers of the GPUs, nil like GPUs.
	keeper *devices.Keeper
	// modelGPUs are the GPUs of which models were notified last.
	modelGPUs atomic.Pointer[[]device.GPU]
	// resultBytes is how many bytes of renditions an orchestrator keeps to be fetched.
	resultBytes atomic.Int64
	// settled is set when devices and workers have had time to begin.
	settled atomic.Bool
}

// New makes the part without any device; ahead is nil without an old process.
func New(env *nodeenv.Env, ahead *Ahead) *Part {
	return &Part{Env: env, ahead: ahead, Budget: device.NewBudget()}
}

// Close ends the media workers of a node that does not start.
func (p *Part) Close() error {
	if p.Pool == nil {
		return nil
	}
	return p.Pool.Close()
}

// Transcoder returns the pool, its sessions watched for the dashboard.
func (p *Part) Transcoder() core.Transcoder {
	p.Sessions = metrics.WatchSessions(p.Pool, time.Now, p.Series())
	return p.Sessions
}

// SetResultBytes bounds what is kept of renditions to be fetched.
func (p *Part) SetResultBytes(n int64) { p.resultBytes.Store(n) }

// AddPool makes the pool of what transcodes for this node, and gives it this
// machine's devices if the node transcodes itself: the CPU at once, GPUs when
// they were tested. The error is WorkerStartFailed.
func (p *Part) AddPool(ctx context.Context, recorder core.Recorder) error {
	var engines []transcoder.Engine
	if p.Config.Roles.Orchestrator {
		p.resultBytes.Store(nodeenv.ResultMemory(p.Config))
	}
	if p.Config.Roles.Transcoder && p.Config.Transcoding.Devices.None() {
		client, err := p.startCPU(ctx, recorder)
		if err != nil {
			return err
		}
		// One that can be tested: a test tells a faulty device from media that ends workers.
		engines = append(engines, devices.NewDevice(client, devices.ProbeOptions{Log: p.Log}))
	}
	p.Pool = pool.New(engines, pool.Options{
		MaxSessions: p.Config.Limits.MaxSessions.N, Measured: !p.Config.Transcoding.Devices.None(),
		Capabilities: p.Offered(capability.SoftwareTranscoder()), Log: p.Log, Recorder: recorder,
		Changed:    p.reportTranscoders,
		FreeMemory: p.freeMemory, OtherLoad: worker.OtherLoad, TestClip: devices.TestJob, Unreliable: p.reportUnreliable,
	})
	p.Add(p.Pool)
	p.Add(&readiness{p})
	if p.Config.Roles.Transcoder && !p.Config.Transcoding.Devices.None() {
		return p.addGPUs(recorder)
	}
	return nil
}

// reportUnreliable sets or clears the condition of a device that reports good segments as bad.
func (p *Part) reportUnreliable(device, detail string) {
	key := health.Key{Code: fault.DeviceUnreliable, About: device}
	if detail == "" {
		p.Board.Clear(key)
		return
	}
	p.Board.Set(key, detail)
}

// Offered are capabilities as this node offers them: with its release, and without
// what the operator does not want.
func (p *Part) Offered(can capability.Set) capability.Capabilities {
	return capability.Offer(p.wanted(can), process.NetworkVersion)
}

// wanted returns a device's capabilities after the operator's word on HEVC sources.
func (p *Part) wanted(can capability.Set) capability.Set {
	switch p.Config.Transcoding.HEVCDecoding {
	case config.Off:
		return can.Without(capability.HEVCDecode)
	case config.On:
		return can.With(capability.HEVCDecode)
	}
	return can
}

// startCPU starts the media worker of the CPU and takes it into the node.
func (p *Part) startCPU(ctx context.Context, recorder core.Recorder) (*worker.Client, error) {
	client, err := StartWorker(ctx, p.Config, p.Log, recorder)
	if err == nil {
		p.addWorker(client)
	}
	return client, err
}

// addWorker takes a media worker that has begun into the node.
func (p *Part) addWorker(client *worker.Client) {
	client.Keeps(p.resultBytes.Load)
	reportSandbox(p.Board, client)
}

// Tools returns the AI part's tools: the CPU's media worker, if the process has one
// for segments, else one of its own that starts when it is needed, or with the node for
// the sample pipeline of live video, and is added to the components by add.
func (p *Part) Tools(nodeType string, add func(lifecycle.Component)) Tools {
	alone := p.Config.Addresses.OrchSecret.IsZero() || !p.Config.Roles.Orchestrator
	if p.Pool != nil && p.Config.Roles.Transcoder && p.Config.Transcoding.Devices.None() && alone {
		return NewTools(p.Pool) // no transcoder elsewhere can get the work
	}
	m := NewOnDemand(p.Config.LiveAI.SampleSessions > 0, func(ctx context.Context) (*pool.Pool, error) {
		client, err := p.startCPU(ctx, p.Recorder(nodeType))
		if err != nil {
			return nil, err
		}
		return pool.New([]transcoder.Engine{client}, pool.Options{Log: p.Log, OtherLoad: worker.OtherLoad}), nil
	})
	add(m)
	return m
}
