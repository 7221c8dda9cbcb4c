package worker_test

import (
	"context"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/worker"
	"github.com/tuttinode/tutti/test/coretest"
)

// An orchestrator that has restarted, or has given the worker up, knows nothing of the
// sessions before: they end before the first segment comes, which may need their room.
func TestSessionsEndWithTheirPlace(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(o *own, d *pairDevice){
		"restart":  func(o *own, _ *pairDevice) { o.stop(); o.start() },
		"given up": func(_ *own, d *pairDevice) { _ = d.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOwn(t)
			r := start(t, new(coretest.Fake), nil, o.addr)
			d := transcoderNext(t, o.devices, "no registration")
			for _, session := range []string{"a", "b", "c"} {
				if _, err := d.Transcode(t.Context(), job(session, 1, []byte("media"))); err != nil {
					t.Fatal(err)
				}
			}
			d.EndSession("c")
			transcoderUntil(t, "it does not end", func() bool { return len(r.fake.Ended()) == 1 })
			again(o, d)
			d = transcoderNext(t, o.devices, "it does not come back")
			if _, err := d.Transcode(t.Context(), job("new", 1, []byte("media"))); err != nil {
				t.Fatal(err)
			}
			ended := r.fake.Ended()
			if slices.Sort(ended); !slices.Equal(ended, []core.SessionID{"a", "b", "c"}) {
				t.Errorf("ended %v", ended)
			}
		})
	}
}

// So it is with each registration at an orchestrator that knows of no places.
func TestSessionsEndWithTheRegistration(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "")
	r := start(t, new(coretest.Fake), nil, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	d.send(t, segment(1, "s", o.input("/in", "media")))
	transcoderNext(t, o.results, "no result")
	d.end <- nil
	transcoderNext(t, o.registrations, "it does not come back")
	if got := r.fake.Ended(); !slices.Equal(got, []core.SessionID{"s"}) {
		t.Errorf("ended %v", got)
	}
}

// Sessions end, too, where no orchestrator comes back.
func TestSessionsEndWithoutAnOrchestrator(t *testing.T) {
	t.Parallel()
	o := newOwn(t)
	r := start(t, new(coretest.Fake), nil, o.addr)
	d := transcoderNext(t, o.devices, "no registration")
	if _, err := d.Transcode(t.Context(), job("s", 1, []byte("media"))); err != nil {
		t.Fatal(err)
	}
	o.stop()
	transcoderUntil(t, "it does not end", func() bool { return len(r.fake.Ended()) == 1 })
}

// And where it is unknown whether it will, because its machine cannot be reached.
func TestSessionsEndWithoutAWay(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as the patience that it tests")
	}
	o := newOwn(t)
	way := newFar(t, o.addr, 0)
	r := start(t, new(coretest.Fake), nil, way.addr)
	d := transcoderNext(t, o.devices, "no registration")
	if _, err := d.Transcode(t.Context(), job("s", 1, []byte("media"))); err != nil {
		t.Fatal(err)
	}
	way.dies()
	transcoderUntil(t, "it does not end", func() bool { return len(r.fake.Ended()) == 1 })
}

// What one orchestrator ends is not another's session of the same name.
func TestSessionsOfTheSameName(t *testing.T) {
	t.Parallel()
	one, two := newNetwork(t, ""), newNetwork(t, "")
	r := start(t, new(coretest.Fake), nil, one.addr, two.addr)
	first := transcoderNext(t, one.registrations, "no registration")
	second := transcoderNext(t, two.registrations, "no registration")
	first.send(t, segment(1, "s", one.input("/in", "media")))
	second.send(t, segment(1, "s", two.input("/in", "media")))
	transcoderNext(t, one.results, "no result")
	transcoderNext(t, two.results, "no result")
	second.send(t, &rpc.NotifySegment{SegData: &rpc.SegData{AuthToken: &rpc.AuthToken{SessionId: "s"}}})
	transcoderUntil(t, "it does not end", func() bool { return len(r.fake.Ended()) > 0 })
	if got := r.fake.Ended(); !slices.Equal(got, []core.SessionID{"s~2"}) {
		t.Errorf("ended %v", got)
	}
}

// A notice that comes again for a segment in work holds no other up.
func TestANoticeThatComesAgain(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "tutti/0.9.1")
	leave := make(chan struct{})
	r := start(t, &coretest.Fake{On: func(context.Context, int, *core.TranscodeJob) error {
		<-leave
		return nil
	}}, nil, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	n := segment(1, "s", "", func(n *rpc.NotifySegment) { n.Input = []byte("media") })
	d.send(t, n)
	transcoderUntil(t, "no work", func() bool { return r.fake.Jobs() == 1 })
	d.send(t, n)
	d.send(t, &rpc.NotifySegment{SegData: &rpc.SegData{AuthToken: &rpc.AuthToken{SessionId: "s"}}})
	// By the time that another session's is in work, all of them are read.
	d.send(t, segment(2, "x", "", func(n *rpc.NotifySegment) { n.Input = []byte("media") }))
	transcoderUntil(t, "no work", func() bool { return r.fake.Jobs() == 2 })
	close(leave)
	transcoderNext(t, o.results, "no result")
	transcoderNext(t, o.results, "no result")
	transcoderUntil(t, "it does not end", func() bool { return len(r.fake.Ended()) == 1 })
	if r.fake.Jobs() != 2 {
		t.Errorf("%d jobs", r.fake.Jobs())
	}
}

// Two addresses of one orchestrator make one device; the operator hears of it.
func TestTwoAddressesOfOneOrchestrator(t *testing.T) {
	t.Parallel()
	o := newOwn(t)
	way := newFar(t, o.addr, 0)
	var board *health.Board
	r := start(t, new(coretest.Fake), func(o *worker.TranscoderOptions) { board = o.Board }, o.addr, way.addr)
	d := transcoderNext(t, o.devices, "no registration")
	has := func() bool {
		return slices.ContainsFunc(board.Snapshot(),
			func(c health.Condition) bool { return c.Code == fault.WorkerSameOrchestrator })
	}
	transcoderUntil(t, "no condition", has)
	if _, err := d.Transcode(t.Context(), job("s", 1, []byte("media"))); err != nil {
		t.Error(err)
	}
	if len(o.devices) != 0 {
		t.Error("a second device")
	}
	r.stop()
	if has() {
		t.Error("the condition stays")
	}
}

// With -orchCA an input that is on the orchestrator's host must come from it.
func TestInputsAreFromWhomIsTrusted(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "")
	other := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "media")
	}))
	defer other.Close()
	start(t, new(coretest.Fake), func(opt *worker.TranscoderOptions) {
		leaf, err := o.cert.Config().GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		opt.TLS.Trusted = []*x509.Certificate{leaf.Leaf}
	}, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	d.send(t, segment(1, "s", other.URL+"/in"))
	if got := transcoderNext(t, o.results, "no result"); got.text != "cannot fetch the segment: no answer" {
		t.Errorf("result %+v", got)
	}
	d.send(t, segment(2, "s", o.input("/in", "media")))
	if got := transcoderNext(t, o.results, "no result"); len(got.parts) != 2 {
		t.Errorf("result %+v", got)
	}
}
