package orchestrate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
)

// transcoder answers with what a test wants.
type transcoder func(*core.TranscodeJob) (*core.TranscodeResult, error)

func (f transcoder) Transcode(_ context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	return f(job)
}
func (transcoder) EndSession(core.SessionID) {}

func TestTranscode(t *testing.T) {
	t.Parallel()
	pay := paying()
	data := func(c string) []byte { return []byte(strings.Repeat(c, 100)) }
	var job *core.TranscodeJob
	n := newNode(t, func(o *orchestrate.Options) {
		o.Payments, o.Signatures = pay, signatures{}
		o.Transcoder = transcoder(func(j *core.TranscodeJob) (*core.TranscodeResult, error) {
			job = j
			return &core.TranscodeResult{Renditions: []core.Rendition{
				{Data: data("a"), Pixels: 10}, {Data: data("b"), Pixels: 20, Signature: []byte("mpeg7")},
			}, Worker: "gpu 0"}, nil
		})
	})
	tok := n.payerToken()
	req := paidRequest(tok, 1)
	req.Clip, req.Reinit, req.Signature = &core.Clip{From: 1, To: 2}, true, true
	seg, err := n.Admit(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer seg.Close()
	done, err := seg.Transcode(t.Context(), []byte("segment"))
	if err != nil {
		t.Fatal(err)
	}

	if job.Session != tok.Session || job.Manifest != "stream" || job.Number != 7 || string(job.Input) != "segment" ||
		job.Clip != req.Clip || !job.Reinit || !job.Signature || job.Origin != "offchain" ||
		job.Duration != req.Duration {
		t.Errorf("job %+v", job)
	}
	base := serviceURI + "/stream/" + string(tok.Session)
	want := []orchestrate.FinishedRendition{
		{URL: base + "/P720p30fps16x9/7.ts", Pixels: 10},
		{URL: base + "/P360p30fps16x9/7.mp4", Pixels: 20, SignatureURL: base + "/P360p30fps16x9/7.mp4.phash"},
	}
	if !slices.Equal(done.Renditions, want) || string(done.Signature) != "signed" {
		t.Errorf("finished %+v, want %+v", done, want)
	}
	if got, want := pay.Work(), []pm.Work{{Units: 30, Produced: -1, Worker: "gpu 0"}}; !slices.Equal(got, want) {
		t.Errorf("billed %+v, want %+v", got, want)
	}
	for i, want := range []string{string(data("a")), string(data("b"))} {
		p, _ := orchestrate.ParsePath(strings.TrimPrefix(done.Renditions[i].URL, serviceURI+orchestrate.StreamPath))
		if got, err := n.Result(p); err != nil || string(got.Data) != want {
			t.Errorf("rendition %d: %q, %v", i, got.Data, err)
		}
	}
	info := seg.Info()
	if info.Token.Session != tok.Session || info.ServiceURI != serviceURI || info.Address[19] != 1 ||
		info.Capabilities.Version != "0.9.1" {
		t.Errorf("info %+v", info)
	}
}

func TestTranscodeFails(t *testing.T) {
	t.Parallel()
	good := core.Rendition{Data: make([]byte, core.MinRenditionBytes)}
	short := core.Rendition{Data: make([]byte, core.MinRenditionBytes-1)}
	big := core.Rendition{Data: make([]byte, 2000)}
	for _, tc := range []struct {
		name string
		res  *core.TranscodeResult
		err  error
		sign error
		want string
		// billed: the work was done, though its result is dropped.
		billed int
	}{
		{"too few", &core.TranscodeResult{Renditions: []core.Rendition{good}}, nil, nil, "MismatchedSegments", 0},
		{"too many", &core.TranscodeResult{Renditions: []core.Rendition{good, good, good}}, nil, nil,
			"MismatchedSegments", 0},
		{"less than no pixels", &core.TranscodeResult{Renditions: []core.Rendition{good,
			{Data: good.Data, Pixels: -1}}}, nil, nil, "MismatchedSegments", 0},
		{"too short", &core.TranscodeResult{Renditions: []core.Rendition{good, short}}, nil, nil, "ZeroSegments", 0},
		{"more than can be kept", &core.TranscodeResult{Renditions: []core.Rendition{big, big}}, nil, nil,
			"OrchestratorBusy", 1},
		{"the transcoder's own", nil, fault.New(fault.ErrTranscoderUnavailable, "place", ""), nil,
			"ErrTranscoderUnavailable", 0},
		{"signing", &core.TranscodeResult{Renditions: []core.Rendition{good, good}}, nil, errors.New("locked"),
			"Internal Server Error", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			pay := paying()
			n := newNode(t, func(o *orchestrate.Options) {
				o.Payments, o.ResultBytes, o.Signatures = pay, 3000, signatures{sign: tc.sign}
				o.Transcoder = transcoder(func(*core.TranscodeJob) (*core.TranscodeResult, error) {
					return tc.res,
						tc.err
				})
			})
			seg := n.admitPaid(n.payerToken(), 1)
			_, err := seg.Transcode(t.Context(), nil)
			seg.Close()
			if err == nil || fault.Wire(err) != tc.want {
				t.Errorf("gateways get %q (%v), want %q", fault.Wire(err), err, tc.want)
			}
			if len(pay.Work()) != tc.billed || pay.Open() != 0 {
				t.Errorf("billed %v, %d on hold", pay.Work(), pay.Open())
			}
		})
	}
}

// TestQueue: one segment of a session is transcoded, four wait, the next is
// refused; another session is not held up.
func TestQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		n := newNode(t, func(o *orchestrate.Options) { o.Now = time.Now })
		n.fake.On = func(_ context.Context, _ int, job *core.TranscodeJob) error {
			if job.Number == 7 {
				<-release
			}
			return nil
		}
		tok, other := n.token(), n.token()
		var wg sync.WaitGroup
		for range 1 + orchestrate.QueueLength {
			wg.Go(func() { n.send(tok) })
		}
		synctest.Wait()
		if got := n.fake.Active(); got != 1 {
			t.Errorf("%d segments of one session at once", got)
		}

		seg := n.admit(tok)
		_, err := seg.Transcode(t.Context(), nil)
		seg.Close()
		wantCode(t, err, fault.OrchestratorBusy)

		req := request(other)
		req.Number = 8
		seg, err = n.Admit(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := seg.Transcode(t.Context(), nil); err != nil {
			t.Error(err)
		}
		seg.Close()

		close(release)
		wg.Wait()
		// There is capacity again.
		n.send(tok)
	})
}

func TestWaitingSegmentGivesUpWithItsGateway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		n := newNode(t, func(o *orchestrate.Options) { o.Now = time.Now })
		n.fake.On = func(context.Context, int, *core.TranscodeJob) error { <-release; return nil }
		tok := n.token()
		var wg sync.WaitGroup
		wg.Go(func() { n.send(tok) })
		synctest.Wait()

		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan error, 1)
		seg := n.admit(tok)
		defer seg.Close()
		go func() { _, err := seg.Transcode(ctx, nil); got <- err }()
		synctest.Wait()
		cancel()
		wantCode(t, <-got, fault.Canceled)

		close(release)
		wg.Wait()
	})
}

// TestDeadline: no segment is worked on longer than its gateway waits.
func TestDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t, func(o *orchestrate.Options) { o.Now = time.Now })
		n.fake.Latency = time.Hour
		start := time.Now()
		seg := n.admit(n.token())
		defer seg.Close()
		_, err := seg.Transcode(t.Context(), nil)
		wantCode(t, err, fault.DeadlineExceeded)
		if took := time.Since(start); took != 8*time.Second {
			t.Errorf("gave up after %s", took)
		}
	})
}

func TestHostileProfileNames(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	req := request(n.token())
	req.Profiles = nil
	for _, name := range []string{"a", "a", "..", "x/y", "rendition1", "", "ü", "a?b#c", strings.Repeat("n", 65)} {
		req.Profiles = append(req.Profiles, core.Profile{Name: name, Width: 2, Height: 2})
	}
	seg, err := n.Admit(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer seg.Close()
	done, err := seg.Transcode(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for i, r := range done.Renditions {
		p, ok := orchestrate.ParsePath(strings.TrimPrefix(r.URL, serviceURI+orchestrate.StreamPath))
		if !ok {
			t.Fatalf("%s cannot be fetched", r.URL)
		}
		if seen[r.URL] {
			t.Errorf("%s stands for two renditions", r.URL)
		}
		seen[r.URL] = true
		got, err := n.Result(p)
		if err != nil || !strings.Contains(string(got.Data), " "+req.Profiles[i].Name+";") {
			t.Errorf("rendition %d at %s: %v", i, r.URL, err)
		}
	}
}
