package devices_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/devices"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cards is an inventory that the test changes.
type cards struct {
	mu      sync.Mutex
	here    []device.GPU
	samples map[device.UUID]device.Sample
	driver  string
}

func (c *cards) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

func (c *cards) Devices() []device.GPU {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]device.GPU(nil), c.here...)
}
func (c *cards) Err() *fault.Fault     { return nil }
func (c *cards) Driver() device.Driver { return device.Driver{Version: c.driver} }
func (c *cards) Sample(id device.UUID) (device.Sample, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.samples[id]
	return s, ok
}

// worker is a GPU's that transcodes as long as it is not broken.
type worker struct {
	name     string
	rig      *rig
	replaced int
}

func (w *worker) Device() string            { return w.name }
func (w *worker) EndSession(core.SessionID) {}
func (w *worker) Close() error              { w.rig.set(func() { w.rig.open-- }); return nil }
func (w *worker) Replace(fault.Code)        { w.rig.set(func() { w.replaced++; w.rig.replaced++ }) }
func (w *worker) Alone(context.Context) (transcoder.Engine, error) {
	return nil, errors.New("not here")
}
func (w *worker) Probe(context.Context, []byte) (transcoder.MediaInfo, error) {
	return transcoder.MediaInfo{}, nil
}
func (w *worker) EncoderLimit(ctx context.Context, atMost int) (n int, err error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(w.rig.counting):
	}
	w.rig.set(func() {
		w.rig.counts = append(w.rig.counts, w.name)
		for _, p := range w.rig.places {
			if w.rig.most > 0 && !p.detached {
				w.rig.late++
			}
		}
		switch {
		case w.rig.none:
		case w.rig.most > 0:
			n = min(w.rig.most, atMost)
		default:
			n = atMost
		}
	})
	return n, nil
}
func (w *worker) Transcode(_ context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	<-time.After(w.rig.latency)
	var err error
	w.rig.set(func() { err = w.rig.broken })
	if err != nil {
		return nil, err
	}
	res := &core.TranscodeResult{DecodedFrames: 5, DecodedPixels: 5}
	for range job.Profiles {
		res.Renditions = append(res.Renditions, core.Rendition{Data: make([]byte, core.MinRenditionBytes), Frames: 5,
			Pixels: 5})
	}
	return res, nil
}

// rig is the keeper's surroundings.
type rig struct {
	cards
	broken         error
	refuse         error
	open, replaced int
	// most is how many encoders the machine permits, 0 for no limit; none that there
	// are none. counts are the GPUs that counted, late those that did while GPUs were
	// offered; counting and latency are how long a count and a segment take.
	most              int
	none              bool
	counts            []string
	late              int
	counting, latency time.Duration
	uses              map[string]device.Bytes
	// hangs is a GPU whose worker does not start.
	hangs device.UUID
	// left is what the previous process found; keeper is what is tested, ready that it
	// said so.
	left   map[device.UUID]devices.Finding
	keeper *devices.Keeper
	ready  bool
	places map[string]*attachment
	board  *health.Board
	budget *device.Budget
}

type attachment struct {
	r         *rig
	offer     device.Resources
	suspended *fault.Fault
	detached  bool
	resumed   int
}

func (r *rig) Attach(d device.Device, o device.Resources) (device.Attachment, error) {
	p := &attachment{r: r, offer: o}
	r.set(func() { r.places[d.Device()] = p })
	return p, nil
}
func (p *attachment) Update(o device.Resources)   { p.r.set(func() { p.offer = o }) }
func (p *attachment) Suspend(why *fault.Fault)    { p.r.set(func() { p.suspended = why }) }
func (p *attachment) Resume()                     { p.r.set(func() { p.suspended = nil; p.resumed++ }) }
func (p *attachment) Drain(context.Context) error { return nil }
func (p *attachment) Detach()                     { p.r.set(func() { p.detached = true }) }

const first = device.UUID("GPU-1")

func gpuDevice(index int, id device.UUID) device.GPU {
	return device.GPU{Index: index, UUID: id, Name: "NVIDIA L4", Memory: 8 << 30}
}

// keep runs a keeper over the rig until the test's bubble ends.
func keep(t *testing.T, r *rig, test bool) {
	r.places, r.samples, r.budget = map[string]*attachment{}, map[device.UUID]device.Sample{}, device.NewBudget()
	r.board = health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	k := devices.NewKeeper(devices.Options{
		Inventory: r, Placer: r, Board: r.board, Budget: r.budget, Test: test, Inherited: r.left,
		Base: device.Resources{Cost: 7},
		Use: func(card string) (used device.Bytes) {
			r.set(func() { used = r.uses[card] })
			return used
		},
		Start: func(ctx context.Context, d device.GPU) (devices.Worker, error) {
			var refuse error
			r.set(func() { refuse = r.refuse })
			if refuse != nil {
				return nil, refuse
			}
			if d.UUID == r.hangs {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			r.set(func() { r.open++ })
			return &worker{name: string('0' + rune(d.Index)), rig: r}, nil
		},
	})
	r.keeper = k
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := k.Run(ctx, func() { r.set(func() { r.ready = true }) }); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
		if r.open != 0 {
			t.Errorf("%d workers are left", r.open)
		}
		for name, p := range r.places {
			if !p.detached {
				t.Errorf("GPU %s is still offered", name)
			}
		}
	})
}

// after lets time pass.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestACardIsTestedAndOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{}
		r.here = []device.GPU{gpuDevice(0, first)}
		keep(t, r, true)
		after(time.Second)
		p := r.places["0"]
		if p == nil || len(p.offer.Capabilities.Bits) == 0 || p.offer.Memory != 8<<30 {
			t.Fatalf("%+v", p)
		}
		r.set(func() { r.here = nil })
		after(2 * time.Second)
		if !p.detached || r.open != 0 {
			t.Error("a GPU that is gone is still offered")
		}
	})
}

func TestUntestedCardsOfferTheBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{broken: errors.New("never asked")}
		r.here = []device.GPU{gpuDevice(0, first), gpuDevice(1, "GPU-2")}
		keep(t, r, false)
		after(time.Second)
		for _, name := range []string{"0", "1"} {
			if p := r.places[name]; p == nil || p.offer.Cost != 7 {
				t.Errorf("GPU %s: %+v", name, p)
			}
		}
	})
}

func TestACardThatFailsIsNamedAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{refuse: fault.New(fault.WorkerStartFailed, "start", "no driver")}
		r.here = []device.GPU{gpuDevice(0, first)}
		keep(t, r, true)
		after(time.Second)
		said := r.board.Snapshot()
		if len(said) != 1 || said[0].Code != fault.DeviceTestFailed || said[0].About != "gpu 0" {
			t.Fatalf("%+v", said)
		}
		r.set(func() { r.refuse = nil })
		after(20 * time.Second)
		if r.places["0"] == nil || len(r.board.Snapshot()) != 0 {
			t.Errorf("the GPU came back: %+v, %+v", r.places["0"], r.board.Snapshot())
		}
	})
}

func TestMemoryIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{}
		r.here = []device.GPU{gpuDevice(0, first)}
		keep(t, r, false)
		after(time.Second)
		if free := r.budget.Available(first, device.Models); free != 7<<30 {
			t.Errorf("models may have %d", free)
		}
		if !r.budget.Reserve(first, device.Models, 6<<30) {
			t.Fatal("no room for models")
		}
		after(time.Second)
		if got := r.places["0"].offer.Memory; got != 2<<30 {
			t.Errorf("sessions may have %d", got)
		}
	})
}

func TestAnErrorOfTheCardSuspendsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{}
		r.here = []device.GPU{gpuDevice(0, first)}
		keep(t, r, false)
		after(time.Second)
		p := r.places["0"]
		r.set(func() { r.samples[first] = device.Sample{XID: 31, XIDAt: time.Now()} })
		after(2 * time.Second)
		if p.resumed != 0 {
			t.Error("a program's own fault concerns the GPU")
		}
		r.set(func() { r.samples[first] = device.Sample{XID: 48, XIDAt: time.Now()} })
		after(2 * time.Second)
		if p.suspended != nil || p.resumed != 1 || r.replaced != 1 {
			t.Errorf("a GPU that works again: %+v, replaced %d", p, r.replaced)
		}
		r.set(func() {
			r.samples[first] = device.Sample{XID: 79, XIDAt: time.Now()}
			r.broken = fault.New(fault.UnrecoverableState, "transcode", "the GPU is lost")
		})
		after(2 * time.Second)
		if !p.detached {
			t.Error("a GPU that does not come back is still offered")
		}
	})
}

func (w *worker) Parallel() int { return 8 }
