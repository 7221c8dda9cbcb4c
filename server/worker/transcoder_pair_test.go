package worker_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/remote/transcoders"
	"github.com/tuttinode/tutti/server/tlscert"
	"github.com/tuttinode/tutti/server/worker"
	"github.com/tuttinode/tutti/test/coretest"
)

// own is a tutti orchestrator, at an address of its own over all lives of
// its process.
type own struct {
	testing.TB
	addr string
	cert *tlscert.Source
	// devices are the transcoders as they register.
	devices chan *pairDevice
	conns   chan net.Conn
	// warm gets a value when a connection for results is ready.
	warm chan struct{}
	stop func()
}

// pairDevice is a registered transcoder as placement sees it.
type pairDevice struct {
	device.Device

	mu        sync.Mutex // covers the fields below
	offer     device.Resources
	suspended bool
	gone      bool
}

func (d *pairDevice) Update(o device.Resources)     { d.set(func() { d.offer = o }) }
func (d *pairDevice) Suspend(*fault.Fault)          { d.set(func() { d.suspended = true }) }
func (d *pairDevice) Resume()                       { d.set(func() { d.suspended = false }) }
func (d *pairDevice) Drain(context.Context) error   { return nil }
func (d *pairDevice) Detach()                       { d.set(func() { d.gone = true }) }
func (d *pairDevice) set(f func())                  { d.mu.Lock(); defer d.mu.Unlock(); f() }
func (d *pairDevice) is(what func() bool) (ok bool) { d.set(func() { ok = what() }); return ok }

func (o *own) Attach(d device.Device, offer device.Resources) (device.Attachment, error) {
	one := &pairDevice{Device: d, offer: offer}
	o.devices <- one
	return one, nil
}

func newOwn(t testing.TB) *own {
	t.Helper()
	cert, err := tlscert.Open(tlscert.Options{Host: "localhost", Now: time.Now, Rand: rand.Reader,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	o := &own{TB: t, addr: "127.0.0.1:0", cert: cert, devices: make(chan *pairDevice, 16), conns: make(chan net.Conn, 64),
		warm: make(chan struct{}, 64)}
	o.start()
	t.Cleanup(func() { o.stop() })
	return o
}

func (o *own) start() {
	o.Helper()
	l, err := net.Listen("tcp", o.addr)
	if err != nil {
		o.Fatal(err)
	}
	o.addr = l.Addr().String()
	s, err := transcoders.New(transcoders.Options{
		Placer: o, Secrets: remote.NewSecrets(core.NewSecret(transcoderSecret)), ServiceURI: func() string {
			return "https://" +
				o.addr
		},
		Version: "0.9.1", Log: slog.New(slog.DiscardHandler), Now: time.Now, Rand: rand.Reader,
	})
	if err != nil {
		o.Fatal(err)
	}
	calls := grpc.NewServer()
	s.Register(calls)
	mux := http.NewServeMux()
	mux.Handle(transcoders.ResultsPath, s.Handler())
	mux.Handle(transcoders.SourcePath, s.Source())
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) { o.warm <- struct{}{} })
	mux.Handle("/", remote.Streams(calls))
	srv := &http.Server{Handler: mux, TLSConfig: o.cert.Config(), ConnContext: remote.ConnContext,
		ReadTimeout: time.Second, WriteTimeout: time.Second, IdleTimeout: 10 * time.Minute,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
		ConnState: func(c net.Conn, state http.ConnState) {
			if state == http.StateNew {
				o.conns <- c
			}
		}}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.ServeTLS(l, "", "") })
	o.stop = sync.OnceFunc(func() {
		s.Close()
		srv.Close()
		calls.Stop()
		serving.Wait()
	})
}

// job is in a codec whose frames are not counted: any bytes will do.
func job(session string, number int64, input []byte) *core.TranscodeJob {
	return &core.TranscodeJob{
		Session: core.SessionID(session), Manifest: "m", Number: core.SegmentNumber(number), Input: input,
		Duration: 2 * time.Second,
		Origin:   "0xabc", Needs: capability.Of(capability.H264, capability.AuthToken),
		Profiles: []core.Profile{{Name: "a", Width: 640, Height: 360, Bitrate: 1000, Encoder: core.CodecVP9},
			{Name: "b", Width: 320, Height: 180, Bitrate: 500, Format: core.FormatMP4, Encoder: core.CodecVP9}},
	}
}

func transcoderUntil(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for !ok() {
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatal(what)
		}
	}
}

// Both sides of our own kind, over a real listener.
func TestWithOurOwnOrchestrator(t *testing.T) {
	t.Parallel()
	o := newOwn(t)
	r := start(t, signing{new(coretest.Fake)}, nil, o.addr)
	d := transcoderNext(t, o.devices, "no registration")
	transcoderUntil(t, "not registered", func() bool { return r.Status()[0].State == worker.Registered })
	if s := r.Status()[0]; s.Node != "tutti/0.9.1" || d.Device.Device() != "rig7" {
		t.Errorf("%+v, %s", s, d.Device.Device())
	}
	j := job("s", 1, []byte("media"))
	j.Signature = true
	res, err := d.Transcode(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Renditions) != 2 || string(res.Renditions[1].Signature) != "hash 1" || res.Renditions[0].Frames != 60 ||
		res.DecodedFrames != 60 ||
		res.DecodedPixels != 60*1920*1080 || res.Worker != "rig7 gpu 0" {
		t.Errorf("result %+v", res)
	}
	if _, err := d.Transcode(t.Context(), job("s", 2, []byte(coretest.FakeBad))); fault.CodeOf(err) != fault.InvalidData {
		t.Errorf("bad media: %v", err)
	}
	need := job("s", 3, []byte("media"))
	need.Needs = capability.Of(capability.HEVCEncode)
	if _, err := d.Transcode(t.Context(), need); fault.CodeOf(err) != fault.RemoteIncompatible {
		t.Errorf("incapable: %v", err)
	}
}

// A segment too large for a notice is fetched; the way back is a connection that opens
// while the task runs.
func TestLargeSegmentAndWarmConnections(t *testing.T) {
	t.Parallel()
	o := newOwn(t)
	opened, done := make(chan struct{}), make(chan error, 1)
	start(t, &coretest.Fake{On: func(ctx context.Context, _ int, _ *core.TranscodeJob) error {
		select {
		case <-opened:
		case <-ctx.Done():
		}
		return nil
	}}, nil, o.addr)
	d := transcoderNext(t, o.devices, "no registration")
	transcoderNext(t, o.conns, "no connection of the registration")
	go func() {
		_, err := d.Transcode(t.Context(), job("s", 1, make([]byte, 32<<20)))
		done <- err
	}()
	transcoderNext(t, o.conns, "no connection for results")
	transcoderNext(t, o.warm, "the connection for results is not ready")
	close(opened)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := len(o.conns); n != 0 {
		t.Errorf("%d further connections", n)
	}
	if _, err := d.Transcode(t.Context(), job("s", 2, make([]byte, 40<<20))); err != nil {
		t.Fatal(err)
	}
	transcoderNext(t, o.conns, "it was not fetched")
}

// A caller that gives up is not worked for: the next segment of the session has its turn.
func TestGivingUpIsHeard(t *testing.T) {
	t.Parallel()
	o := newOwn(t)
	over := make(chan struct{})
	start(t, &coretest.Fake{On: func(ctx context.Context, n int, _ *core.TranscodeJob) error {
		if n == 1 {
			<-ctx.Done()
			close(over)
		}
		return ctx.Err()
	}}, nil, o.addr)
	d := transcoderNext(t, o.devices, "no registration")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := d.Transcode(ctx, job("s", 1, []byte("media"))); err == nil {
		t.Error("a result")
	}
	transcoderNext(t, over, "the work goes on")
	if _, err := d.Transcode(t.Context(), job("s", 2, []byte("media"))); err != nil {
		t.Error(err)
	}
}

// A changed offer and a drain keep the device and its tasks.
func TestOverlapKeepsTheDevice(t *testing.T) {
	t.Parallel()
	o := newOwn(t)
	var mu sync.Mutex
	capacity := 5
	inside, leave := make(chan struct{}), make(chan struct{})
	r := start(t, &coretest.Fake{On: func(context.Context, int, *core.TranscodeJob) error {
		close(inside)
		<-leave
		return nil
	}}, func(o *worker.TranscoderOptions) {
		o.Capacity = func() int {
			mu.Lock()
			defer mu.Unlock()
			return capacity
		}
	}, o.addr)
	d := transcoderNext(t, o.devices, "no registration")
	done := make(chan error, 1)
	go func() {
		_, err := d.Transcode(t.Context(), job("s", 1, []byte("media")))
		done <- err
	}()
	transcoderNext(t, inside, "no work")
	mu.Lock()
	capacity = 9
	mu.Unlock()
	transcoderUntil(t, "the offer did not change",
		func() bool { return d.is(func() bool { return d.offer.Sessions == 9 }) })
	drained := make(chan error, 1)
	go func() { drained <- r.Drain(context.Background()) }()
	transcoderUntil(t, "not suspended", func() bool { return d.is(func() bool { return d.suspended }) })
	close(leave)
	if err := transcoderNext(t, done, "no result"); err != nil {
		t.Error(err)
	}
	if err := transcoderNext(t, drained, "it does not leave"); err != nil {
		t.Error(err)
	}
	transcoderUntil(t, "it is still there", func() bool { return d.is(func() bool { return d.gone }) })
	if len(o.devices) != 0 {
		t.Error("a second device")
	}
}

// After the orchestrator's restart the worker is there again.
func TestOrchestratorRestarts(t *testing.T) {
	t.Parallel()
	o := newOwn(t)
	start(t, new(coretest.Fake), nil, o.addr)
	transcoderNext(t, o.devices, "no registration")
	o.stop()
	o.start()
	d := transcoderNext(t, o.devices, "it does not come back")
	if _, err := d.Transcode(t.Context(), job("s", 1, []byte("media"))); err != nil {
		t.Error(err)
	}
}
