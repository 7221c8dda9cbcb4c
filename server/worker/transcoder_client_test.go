package worker_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	mathrand "math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/worker"
	"github.com/tuttinode/tutti/test/coretest"
)

// transcoderRig is a worker's process.
type transcoderRig struct {
	*worker.TranscoderClient
	fake  *coretest.Fake
	ended chan error
	stop  func()
}

func start(t testing.TB, fake core.Transcoder, change func(*worker.TranscoderOptions), addrs ...string) *transcoderRig {
	t.Helper()
	r := &transcoderRig{ended: make(chan error, 1)}
	r.fake, _ = fake.(*coretest.Fake)
	o := worker.TranscoderOptions{
		Orchestrators: addrs, Secret: core.NewSecret(transcoderSecret), Name: "rig7", Version: "0.9.1", Transcoder: fake,
		Capacity:     func() int { return 5 },
		Capabilities: func() capability.Capabilities { return capability.Offer(capability.SoftwareTranscoder(), "0.9.1") },
		Devices:      func() []worker.Device { return []worker.Device{{Name: "0", Kind: "NVIDIA L4", Limit: 3}} },
		Board:        health.New(slog.New(slog.DiscardHandler), time.Now, nil),
		Random:       rand.Reader, Chance: mathrand.Float64,
	}
	if change != nil {
		change(&o)
	}
	var err error
	if r.TranscoderClient, err = worker.NewTranscoder(o); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan struct{})
	go func() { r.ended <- r.Run(ctx, func() { close(ready) }) }()
	<-ready
	r.stop = sync.OnceFunc(func() {
		cancel()
		<-r.ended
	})
	t.Cleanup(r.stop)
	return r
}

func TestRegistersAsTheNetworkDoes(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "")
	start(t, new(coretest.Fake), nil, o.addr)
	req := transcoderNext(t, o.registrations, "no registration").req
	if req.GetCapacity() != 5 || req.GetCapabilities().GetVersion() != "0.9.1" ||
		len(req.GetCapabilities().GetBitstring()) == 0 ||
		req.GetCapabilities().GetConstraints() == nil || req.GetCapabilities().GetCapacities()[0] != 1 {
		t.Errorf("registration %v", req)
	}
	if req.GetNode() != "tutti/0.9.1" || req.GetWorker() != "rig7" || len(req.GetInstance()) != 32 ||
		len(req.GetDevices()) != 1 {
		t.Errorf("our own fields %v", req)
	}
}

func TestWrongSecretEnds(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "")
	r := start(t, new(coretest.Fake), func(o *worker.TranscoderOptions) { o.Secret = core.NewSecret("wrong") }, o.addr)
	err := transcoderNext(t, r.ended, "it goes on")
	r.ended <- err
	if fault.CodeOf(err) != fault.WorkerSecretRefused {
		t.Errorf("ended with %v", err)
	}
}

// Without a device the worker must not be sent away for good.
func TestNoCapacityStaysAway(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "")
	var mu sync.Mutex
	capacity := 0
	r := start(t, new(coretest.Fake), func(o *worker.TranscoderOptions) {
		o.Capacity = func() int {
			mu.Lock()
			defer mu.Unlock()
			return capacity
		}
	}, o.addr)
	transcoderUntil(t, "it does not stay away", func() bool { return r.Status()[0].Reason == "nothing to offer" })
	mu.Lock()
	capacity = 2
	mu.Unlock()
	if d := transcoderNext(t, o.registrations, "no registration"); d.req.GetCapacity() != 2 {
		t.Errorf("registration %v", d.req)
	}
}

func TestDrainFinishesWhatRuns(t *testing.T) {
	t.Parallel()
	for _, node := range []string{"", "tutti/0.9.1"} {
		t.Run("node "+node, func(t *testing.T) {
			t.Parallel()
			o := newNetwork(t, node)
			inside, leave := make(chan struct{}), make(chan struct{})
			r := start(t, &coretest.Fake{On: func(context.Context, int, *core.TranscodeJob) error {
				close(inside)
				<-leave
				return nil
			}}, nil, o.addr)
			d := transcoderNext(t, o.registrations, "no registration")
			d.send(t, segment(1, "s", o.input("/in", "media")))
			transcoderNext(t, inside, "no work")
			drained := make(chan error, 1)
			go func() { drained <- r.Drain(context.Background()) }()
			if node != "" {
				if last := transcoderNext(t, o.registrations, "it was not told"); !last.req.GetDraining() {
					t.Errorf("registration %v", last.req)
				}
				d.end <- nil
			}
			close(leave)
			if got := transcoderNext(t, o.results, "the result is lost"); len(got.parts) != 2 {
				t.Errorf("result %+v", got)
			}
			if err := transcoderNext(t, drained, "it does not leave"); err != nil {
				t.Error(err)
			}
		})
	}
}
