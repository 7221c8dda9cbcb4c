package worker_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/worker"
	"github.com/tuttinode/tutti/test/coretest"
)

func TestRenditions(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "")
	var job core.TranscodeJob
	r := start(t, &coretest.Fake{On: func(_ context.Context, _ int, j *core.TranscodeJob) error {
		job = *j
		return nil
	}}, nil, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	d.send(t, segment(7, "s", o.input("/in", "media"), func(n *rpc.NotifySegment) {
		n.SegData.ForceSessionReinit = true
		n.SegData.SegmentParameters = &rpc.SegParameters{From: 500, To: 1500}
	}))
	got := transcoderNext(t, o.results, "no result")
	h := got.header
	if h.Get("TaskId") != "7" || h.Get("Pixels") != strconv.Itoa(60*1920*1080) || got.length <= 0 {
		t.Errorf("result %+v", got)
	}
	for _, ours := range []string{rpc.MediaTimeHeader, "Tutti-Worker", "Tutti-Frames", "Tutti-Code"} {
		if h.Get(ours) != "" {
			t.Errorf("an unmodified orchestrator got %s", ours)
		}
	}
	boundary := strings.TrimPrefix(h.Get("Content-Type"), "multipart/mixed; boundary=")
	if len(boundary) != 20 || strings.Trim(boundary, "0123456789abcdef") != "" {
		t.Errorf("content type %q", h.Get("Content-Type"))
	}
	if len(got.parts) != 2 {
		t.Fatalf("%d parts", len(got.parts))
	}
	for i, want := range []struct{ kind, pixels, body string }{
		{"video/mp2t", strconv.Itoa(60 * 640 * 360), "s 7 a;"}, {"video/mp4", strconv.Itoa(60 * 320 * 180), "s 7 b;"},
	} {
		p := got.parts[i]
		if p.header["Content-Type"][0] != want.kind || p.header["Pixels"][0] != want.pixels ||
			p.header["Content-Length"][0] != strconv.Itoa(len(p.body)) || !strings.HasPrefix(p.body, want.body) {
			t.Errorf("part %d: %v %.20q", i, p.header, p.body)
		}
	}
	r.stop()
	if job.Session != "s" || job.Manifest != "m" || job.Number != 7 || job.Duration != 2*time.Second ||
		job.Origin != "offchain" || !job.Reinit ||
		job.Clip == nil || *job.Clip != (core.Clip{From: 500 * time.Millisecond, To: 1500 * time.Millisecond}) ||
		len(job.Profiles) != 2 {
		t.Errorf("job %+v", job)
	}
}

// signing adds signatures to what a Fake makes.
type signing struct{ *coretest.Fake }

func (s signing) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	res, err := s.Fake.Transcode(ctx, job)
	if err == nil && job.Signature {
		for i := range res.Renditions {
			res.Renditions[i].Signature = []byte("hash " + strconv.Itoa(i))
		}
		res.Worker = "gpu 0"
	}
	return res, err
}

func TestSignaturesFollowTheirRenditions(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "tutti/0.9.1")
	start(t, signing{new(coretest.Fake)}, nil, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	d.send(t, segment(7, "s", "", func(n *rpc.NotifySegment) {
		n.SegData.CalcPerceptualHash = true
		n.Input = []byte("media")
	}))
	got := transcoderNext(t, o.results, "no result")
	var kinds []string
	for _, p := range got.parts {
		kind := p.header["Content-Type"][0]
		kinds = append(kinds, kind)
		if kind == "application/octet-stream" && (p.header["Pixels"] != nil || !strings.HasPrefix(p.body, "hash ")) {
			t.Errorf("part %v %q", p.header, p.body)
		}
	}
	if want := []string{"video/mp2t", "application/octet-stream", "video/mp4",
		"application/octet-stream"}; !slices.Equal(kinds, want) {
		t.Errorf("parts %v", kinds)
	}
	if h := got.header; h.Get("Tutti-Worker") != "gpu 0" || h.Get("Tutti-Frames") != "60" ||
		h.Get(rpc.MediaTimeHeader) == "" || h.Get("Tutti-Instance") != d.req.GetInstance() {
		t.Errorf("headers %v", h)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "tutti/0.9.1")
	start(t, &coretest.Fake{On: func(_ context.Context, _ int, j *core.TranscodeJob) error {
		if string(j.Input) == "no key" {
			return fault.New(fault.NoKeyframes, "transcode", "")
		}
		return nil
	}}, nil, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	fine := o.input("/fine", "media")
	for i, row := range []struct {
		name, url, text string
		code            fault.Code
		change          func(*rpc.NotifySegment)
	}{
		{name: "media", url: o.input("/bad", "not media"), text: "Invalid data found when processing input",
			code: fault.InvalidData},
		{name: "exact text", url: o.input("/nokey", "no key"), text: "No keyframes in input", code: fault.NoKeyframes},
		{name: "not found", url: "https://" + o.addr + "/gone", text: "cannot fetch the segment: status 404",
			code: fault.WorkerInputLost},
		{name: "redirect", url: o.keeps("/away", func(w http.ResponseWriter,
			r *http.Request) {
			http.Redirect(w, r, "/fine", http.StatusFound)
		}),
			text: "cannot fetch the segment: status 302", code: fault.WorkerInputLost},
		{name: "huge", url: o.keeps("/huge", func(w http.ResponseWriter,
			_ *http.Request) {
			w.Header().Set("Content-Length", "300000001")
		}),
			text: "cannot fetch the segment: it is too large", code: fault.WorkerInputLost},
		{name: "breaks off", url: o.keeps("/half", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}), text: "cannot fetch the segment: the connection broke", code: fault.WorkerInputLost},
		{name: "no web address", url: "file:///etc/passwd",
			text: "cannot fetch the segment: its address is not an http(s) URL", code: fault.WorkerInputLost},
		{name: "capability", url: fine, text: "incompatible segment capabilities", code: fault.RemoteIncompatible,
			change: func(n *rpc.NotifySegment) {
				n.SegData.Capabilities.Bitstring = capability.Of(capability.HEVCEncode)
			}},
		{name: "version", url: fine, text: "incompatible segment capabilities", code: fault.RemoteIncompatible,
			change: func(n *rpc.NotifySegment) { n.SegData.Capabilities.Constraints.MinVersion = "1.0.0" }},
		{name: "no session", url: fine, text: "missing auth token", code: fault.SegmentMessage,
			change: func(n *rpc.NotifySegment) { n.SegData.AuthToken = nil }},
		{name: "format", url: fine, text: "unrecognized profile output format", code: fault.SegmentFormat,
			change: func(n *rpc.NotifySegment) { n.SegData.FullProfiles2[0].Format = 9 }},
	} {
		n := segment(int64(i), "s"+strconv.Itoa(i), row.url)
		if row.change != nil {
			row.change(n)
		}
		d.send(t, n)
		got := transcoderNext(t, o.results, row.name+": no result")
		if got.text != row.text || got.header.Get("TaskId") != strconv.Itoa(i) || got.header.Get("Pixels") != "0" ||
			got.header.Get("Tutti-Code") != string(row.code) {
			t.Errorf("%s: %q, headers %v", row.name, got.text, got.header)
		}
	}
}

// A segment without capabilities needs nothing special.
func TestNoCapabilitiesIsAnEmptyRequest(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "")
	start(t, new(coretest.Fake), nil, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	d.send(t, segment(1, "s", o.input("/in", "media"), func(n *rpc.NotifySegment) { n.SegData.Capabilities = nil }))
	if got := transcoderNext(t, o.results, "no result"); len(got.parts) != 2 {
		t.Errorf("result %+v", got)
	}
}

// Segments of a session keep their order whatever their downloads take, and its end
// comes after them; other sessions do not wait.
func TestOrderInASession(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "")
	var mu sync.Mutex
	var order []string
	r := start(t, &coretest.Fake{On: func(_ context.Context, _ int, j *core.TranscodeJob) error {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, string(j.Session)+strconv.Itoa(int(j.Number)))
		return nil
	}}, nil, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	go1 := make(chan struct{})
	slow := o.keeps("/slow", func(w http.ResponseWriter, _ *http.Request) {
		<-go1
		_, _ = io.WriteString(w, "media")
	})
	quick := o.input("/quick", "media")
	d.send(t, segment(1, "s", slow))
	d.send(t, segment(2, "s", quick))
	d.send(t, &rpc.NotifySegment{SegData: &rpc.SegData{AuthToken: &rpc.AuthToken{SessionId: "s"}}})
	d.send(t, segment(3, "x", quick))
	transcoderNext(t, o.results, "another session waits")
	if r.fake.Jobs() != 1 {
		t.Error("a segment did not wait for the one before")
	}
	close(go1)
	transcoderNext(t, o.results, "no result")
	transcoderNext(t, o.results, "no result")
	transcoderUntil(t, "the session does not end", func() bool { return len(r.fake.Ended()) > 0 })
	if got := r.fake.Ended(); !slices.Equal(got, []core.SessionID{"s"}) {
		t.Errorf("ended %v", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(order, []string{"x3", "s1", "s2"}) || len(r.fake.Violations()) > 0 {
		t.Errorf("order %v, %v", order, r.fake.Violations())
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "tutti/0.9.1")
	leave := make(chan struct{})
	start(t, &coretest.Fake{On: func(ctx context.Context, _ int, _ *core.TranscodeJob) error {
		select {
		case <-leave:
		case <-ctx.Done():
		}
		return nil
	}}, func(o *worker.TranscoderOptions) { o.MaxInput = 20 }, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	inline := func(n *rpc.NotifySegment) { n.Input = []byte("12") }
	// One in work and four that wait.
	for i := range int64(5) {
		d.send(t, segment(i, "s", "", inline))
	}
	d.send(t, segment(5, "s", "", inline))
	if got := transcoderNext(t, o.results, "no result"); got.text != "TranscoderBusy" || got.header.Get("TaskId") != "5" {
		t.Errorf("a sixth segment: %+v", got)
	}
	d.send(t, segment(6, "x", "", func(n *rpc.NotifySegment) { n.Input = []byte("eleven more") }))
	if got := transcoderNext(t, o.results, "no result"); got.text != "TranscoderBusy" || got.header.Get("TaskId") != "6" {
		t.Errorf("too much memory: %+v", got)
	}
	close(leave)
	for range 5 {
		transcoderNext(t, o.results, "no result")
	}
	d.send(t, segment(7, "x", "", func(n *rpc.NotifySegment) { n.Input = []byte("eleven more") }))
	if got := transcoderNext(t, o.results, "no result"); len(got.parts) != 2 {
		t.Errorf("room was not given back: %+v", got)
	}
}

// No caller waits for a canceled task: it has no result, and the next one has its turn.
func TestCanceledBringsNothing(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "tutti/0.9.1")
	inside := make(chan struct{}, 1)
	r := start(t, &coretest.Fake{On: func(ctx context.Context, n int, _ *core.TranscodeJob) error {
		if n == 1 {
			inside <- struct{}{}
			<-ctx.Done()
		}
		return ctx.Err()
	}}, nil, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	inline := func(n *rpc.NotifySegment) { n.Input = []byte("media") }
	d.send(t, segment(1, "s", "", inline))
	d.send(t, segment(2, "s", "", inline))
	transcoderNext(t, inside, "no work")
	d.send(t, &rpc.NotifySegment{TaskId: 1, Cancel: true})
	if got := transcoderNext(t, o.results, "no result"); got.header.Get("TaskId") != "2" || len(got.parts) != 2 {
		t.Errorf("result %+v", got)
	}
	transcoderUntil(t, "tasks go on", func() bool { return r.Status()[0].Tasks == 0 })
	if len(o.results) != 0 {
		t.Errorf("also %+v", <-o.results)
	}
}

// The orchestrator's patience is the limit, and its end has the network's text.
func TestDeadline(t *testing.T) {
	t.Parallel()
	o := newNetwork(t, "tutti/0.9.1")
	start(t, &coretest.Fake{On: func(ctx context.Context, _ int, _ *core.TranscodeJob) error {
		<-ctx.Done()
		return ctx.Err()
	}}, nil, o.addr)
	d := transcoderNext(t, o.registrations, "no registration")
	d.send(t, segment(1, "s", "", func(n *rpc.NotifySegment) {
		n.Input = []byte("media")
		n.DeadlineMs = 50
	}))
	if got := transcoderNext(t, o.results, "no result"); got.text != "Remote transcoder took too long" {
		t.Errorf("result %+v", got)
	}
}
