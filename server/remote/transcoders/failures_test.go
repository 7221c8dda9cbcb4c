package transcoders_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote/transcoders"
)

// refused are results that cannot be used: the answer, and that the segment is tried
// elsewhere.
func TestUnusableResults(t *testing.T) {
	t.Parallel()
	good, giant := goodParts(), strings.Repeat("x", 3<<20)
	type parts = []part
	with := func(i int, change func(*part)) parts {
		p := goodParts()
		change(&p[i])
		return p
	}
	n := start(t, func(o *transcoders.Options) { o.ResultBytes = 2 << 20 })
	c := register(t, n, plain())
	a := n.next(t)
	for _, row := range []struct {
		name   string
		parts  parts
		raw    io.Reader
		header map[string]string
		status int
	}{
		{"no Pixels", good, nil, map[string]string{"Pixels": ""}, 400},
		{"bad Pixels", good, nil, map[string]string{"Pixels": "-1"}, 400},
		{"not multipart", nil, strings.NewReader("x"), nil, 500},
		{"nothing", nil, strings.NewReader(""), nil, 500},
		{"no boundary", good, nil, map[string]string{"Content-Type": "multipart/mixed"}, 500},
		{"another type", good, nil, map[string]string{"Content-Type": "text/plain"}, 415},
		{"one missing", good[:1], nil, nil, 500},
		{"one too many", append(goodParts(), good[1]), nil, nil, 500},
		{"swapped", parts{good[1], good[0]}, nil, nil, 500},
		{"part without Pixels", with(0, func(p *part) { p.pixels = "" }), nil, nil, 500},
		{"part with bad Pixels", with(1, func(p *part) { p.pixels = "x" }), nil, nil, 500},
		{"part without type", with(1, func(p *part) { p.kind = "" }), nil, nil, 500},
		{"signature unasked", append(goodParts(), part{kind: "application/octet-stream", data: "s"}), nil, nil, 500},
		{"wrong length", with(1, func(p *part) { p.header = map[string]string{"Content-Length": "5"} }), nil, nil, 500},
		{"a lie of a length", with(1, func(p *part) { p.header = map[string]string{"Content-Length": "300000001"} }), nil,
			nil, 500},
		{"more than there is memory for", with(1, func(p *part) { p.data = giant }), nil, nil, 500},
		{"endless", nil, io.MultiReader(bytes.NewReader(multi(good).Bytes()[:200]), endless{}), nil, 500},
	} {
		got := transcode(t, a, segment("s", 1))
		m := c.notice(t)
		body := row.raw
		if body == nil {
			body = multi(row.parts)
		}
		status, text := c.post(t, upload{task: m.GetTaskId(), kind: mixed, body: body, header: row.header})
		if status != row.status {
			t.Errorf("%s: answered %d %q, want %d", row.name, status, text, row.status)
		}
		x := await(t, got)
		if fault.CodeOf(x.err) != fault.RemoteResultRefused || !fault.Retryable(x.err) {
			t.Errorf("%s: %v", row.name, x.err)
		}
	}
	// Nothing of it stays booked.
	got := transcode(t, a, segment("s", 2))
	c.succeed(t, c.notice(t))
	if x := await(t, got); x.err != nil {
		t.Error(x.err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestAResultThatBreaksOff(t *testing.T) {
	t.Parallel()
	n := start(t)
	half := func() io.Reader {
		return io.MultiReader(bytes.NewReader(multi(goodParts()).Bytes()[:700]), broken{})
	}
	c := register(t, n, plain())
	a := n.next(t)
	got := transcode(t, a, segment("s", 1))
	c.post(t, upload{task: c.notice(t).GetTaskId(), kind: mixed, body: half()})
	x := await(t, got)
	wantCode(t, x.err, fault.RemoteResultRefused)

	// One of our own kind brings it again.
	d := register(t, n, own("rig7", "i1"))
	a = n.next(t)
	got = transcode(t, a, segment("s", 1))
	m := d.notice(t)
	d.post(t, upload{task: m.GetTaskId(), kind: mixed, body: half(), header: map[string]string{"Tutti-Instance": "i1"}})
	waitFor(t, func() bool {
		d.succeed(t, m)
		select {
		case x = <-got:
			return true
		default:
			return false
		}
	})
	if x.err != nil {
		t.Error(x.err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the worker's own failure") }

func TestALateTranscoderIsDropped(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, plain())
	a := n.next(t)
	got := transcode(t, a, segment("s", 1))
	m := c.notice(t)
	also := transcode(t, a, segment("t", 1))
	c.notice(t)
	begin := time.Now()
	x := await(t, got)
	if d := time.Since(begin); d < 7*time.Second || d > 12*time.Second {
		t.Errorf("dropped after %v", d)
	}
	// The first to be late takes the other along, which may be late by itself.
	y, timeouts := await(t, also), 0
	for _, err := range []error{x.err, y.err} {
		switch fault.CodeOf(err) {
		case fault.RemoteWorkerTimeout:
			timeouts++
		case fault.RemoteWorkerLost:
		default:
			t.Errorf("got %v", err)
		}
	}
	if timeouts == 0 {
		t.Errorf("no caller learns that it was late: %v, %v", x.err, y.err)
	}
	if _, err := c.stream.Recv(); err == nil || strings.Contains(err.Error(), "Canceled") {
		t.Errorf("its registration ended with %v", err)
	}
	a.awaitDetached(t)
	if status, text := c.post(t, upload{task: m.GetTaskId(), kind: mixed, body: multi(goodParts())}); status != 200 ||
		text != "OK" {
		t.Errorf("its late result: %d %q", status, text)
	}
	// It comes back.
	register(t, n, plain())
	n.next(t)
}

func TestACallerWithLessTimeDropsNobody(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	n := start(t, func(o *transcoders.Options) {
		o.Now = func() time.Time { return time.Unix(1e9+passed.Load(), 0) }
	})
	c := register(t, n, plain())
	a := n.next(t)
	try := func(want fault.Code) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := a.Transcode(ctx, segment("s", 1))
		wantCode(t, err, want)
		c.notice(t)
	}
	try(fault.DeadlineExceeded)
	passed.Add(7)
	try(fault.DeadlineExceeded)
	got := transcode(t, a, segment("s", 1))
	c.post(t, upload{task: c.notice(t).GetTaskId(), kind: "livepeer/transcoding-error", body: strings.NewReader("x")})
	await(t, got)
	passed.Add(7)
	try(fault.DeadlineExceeded)
	select {
	case <-a.detached:
		t.Error("it was dropped")
	default:
	}
	if _, err := a.Transcode(t.Context(), &core.TranscodeJob{}); !errors.Is(err, fault.EmptyData) {
		t.Errorf("a segment without bytes: %v", err)
	}
	// One that answers no caller for as long as it has for a segment is dropped.
	passed.Add(8)
	try(fault.RemoteWorkerTimeout)
	a.awaitDetached(t)
}

// A worker that reads nothing is dropped, and no caller waits for it.
func TestAWorkerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	for _, throughGRPC := range []bool{false, true} {
		t.Run(fmt.Sprint("through gRPC ", throughGRPC), func(t *testing.T) {
			t.Parallel()
			n := &node{throughGRPC: throughGRPC}
			n.start(t)
			stuckWorker(t, n)
		})
	}
}

func stuckWorker(t *testing.T, n *node) {
	register(t, n, own("stuck", "i0"))
	a := n.next(t)
	c := register(t, n, own("rig7", "i1"))
	b := n.next(t)
	var waiting []<-chan answer
	for i := range 4 {
		job := segment(fmt.Sprint(i), 1)
		job.Input = make([]byte, 1<<20)
		waiting = append(waiting, transcode(t, a, job))
	}
	begin := time.Now()
	got := transcode(t, b, segment("s", 1))
	c.succeed(t, c.notice(t))
	if x := await(t, got); x.err != nil || time.Since(begin) > 10*time.Second {
		t.Errorf("the other worker: %v after %v", x.err, time.Since(begin))
	}
	for _, w := range waiting {
		x := await(t, w)
		wantCode(t, x.err, fault.RemoteWorkerLost)
	}
	if d := time.Since(begin); d > 7500*time.Millisecond {
		t.Errorf("noticed after %v", d)
	}
	a.awaitDetached(t)
}

func TestMessagesDoNotPileUp(t *testing.T) {
	t.Parallel()
	n := start(t)
	register(t, n, plain())
	a := n.next(t)
	for i := range 1 << 20 {
		select {
		case <-a.detached:
			return
		default:
			a.EndSession(core.SessionID(strings.Repeat("x", 200) + fmt.Sprint(i)))
		}
	}
	t.Error("a million messages wait for a worker")
}

// The segment's bytes are the caller's again when Transcode returns, even while a
// transcoder fetches them at a snail's pace.
func TestASlowFetchDoesNotHoldTheCaller(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, plain())
	a := n.next(t)
	job := segment("s", 1)
	job.Input = make([]byte, 24<<20)
	got := transcode(t, a, job)
	m := c.notice(t)
	resp, err := c.h1.Get(m.GetUrl())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	begin := time.Now()
	c.post(t, upload{task: m.GetTaskId(), kind: "livepeer/transcoding-error", body: strings.NewReader("x")})
	await(t, got)
	if d := time.Since(begin); d > 3*time.Second {
		t.Errorf("it took %v", d)
	}
	for i := range job.Input {
		job.Input[i] = 1 // the race detector sees a goroutine that still reads
	}
}
