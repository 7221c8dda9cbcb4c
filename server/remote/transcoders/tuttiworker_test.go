package transcoders_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

func TestBetweenOurOwnNodes(t *testing.T) {
	t.Parallel()
	n := start(t)
	req := own("rig7", "i1")
	req.Devices = []*rpc.WorkerDevice{{Device: "0", Kind: "NVIDIA L4", Sessions: 2, Limit: 8}, {Device: "cpu\n"}}
	c := register(t, n, req)
	a := n.next(t)
	if md, err := c.stream.Header(); err != nil || len(md.Get(remote.NodeMetadata)) != 1 ||
		md.Get(remote.NodeMetadata)[0] != "tutti/0.9.1" {
		t.Errorf("metadata %v, %v", md, err)
	}
	job := segment("s", 1)
	job.Signature = true
	got := transcode(t, a, job)
	m := c.notice(t)
	if m.GetUrl() != "" || !bytes.Equal(m.GetInput(), job.Input) || m.GetDeadlineMs() < 6000 || m.GetDeadlineMs() >= 8000 {
		t.Errorf("url %q, %d bytes, deadline %d", m.GetUrl(), len(m.GetInput()), m.GetDeadlineMs())
	}
	parts := goodParts()
	parts[0].header = map[string]string{"Tutti-Frames": "60"}
	parts = []part{parts[0], {kind: "application/octet-stream", data: "sig a"}, parts[1],
		{kind: "application/octet-stream", data: "sig b"}}
	result := upload{task: m.GetTaskId(), kind: mixed, body: multi(parts), header: map[string]string{
		"Tutti-Media-Ms": "250.000", "Tutti-Worker": "gpu 0", "Tutti-Frames": "61",
	}}
	if status, _ := c.post(t, result); status != 403 {
		t.Errorf("a result of another worker is answered %d", status)
	}
	result.body, result.header["Tutti-Instance"] = multi(parts), "i1"
	if status, text := c.post(t, result); status != 200 {
		t.Errorf("answered %d %q", status, text)
	}
	x := await(t, got)
	if x.err != nil {
		t.Fatal(x.err)
	}
	r := x.res
	if r.Worker != "rig7 gpu 0" || r.MediaTime != 250*time.Millisecond || r.DecodedFrames != 61 ||
		r.Renditions[0].Frames != 60 ||
		string(r.Renditions[1].Signature) != "sig b" {
		t.Errorf("result %+v", r)
	}
	ws := n.Workers()
	if len(ws) != 1 || ws[0].Name != "rig7" || ws[0].Node != "tutti/0.9.1" || len(ws[0].Devices) != 2 ||
		ws[0].Devices[0].Kind != "NVIDIA L4" ||
		strings.Contains(ws[0].Devices[1].Device, "\n") {
		t.Errorf("workers %+v", ws)
	}
}

func TestFaultCodesOfOurOwnKind(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, own("rig7", "i1"))
	a := n.next(t)
	for code, want := range map[string]fault.Code{
		"WorkerOutOfMemory": fault.WorkerOutOfMemory, "TranscoderBusy": fault.TranscoderBusy,
		"InsufficientBalance": fault.TranscoderFailed, "Nonsense": fault.TranscoderFailed, "Canceled": fault.TranscoderFailed,
	} {
		got := transcode(t, a, segment("s", 1))
		c.post(t, upload{task: c.notice(t).GetTaskId(), kind: "livepeer/transcoding-error", body: strings.NewReader("text"),
			header: map[string]string{"Tutti-Code": code, "Tutti-Instance": "i1"}})
		x := await(t, got)
		wantCode(t, x.err, want)
	}
}

func TestLargeSegmentsAreFetched(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, own("rig7", "i1"))
	a := n.next(t)
	job := segment("s", 1)
	job.Input = bytes.Repeat([]byte("x"), 32<<20+1)
	got := transcode(t, a, job)
	m := c.notice(t)
	if data, _, err := c.fetch(m.GetUrl()); err != nil || len(data) != len(job.Input) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	c.succeed(t, m)
	if x := await(t, got); x.err != nil {
		t.Error(x.err)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, own("rig7", "i1"))
	a := n.next(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := a.Transcode(ctx, segment("s", 1))
		done <- err
	}()
	m := c.notice(t)
	cancel()
	wantCode(t, await(t, done), fault.Canceled)
	if x := c.notice(t); !x.GetCancel() || x.GetTaskId() != m.GetTaskId() {
		t.Errorf("told %v", x)
	}
	// The worker stays.
	got := transcode(t, a, segment("s", 2))
	c.succeed(t, c.notice(t))
	if x := await(t, got); x.err != nil {
		t.Error(x.err)
	}
}

func TestRegisteringAnewInPlace(t *testing.T) {
	t.Parallel()
	n := start(t)
	first := register(t, n, own("rig7", "i1"))
	a := n.next(t)
	got := transcode(t, a, segment("s", 1))
	m := first.notice(t)

	req := own("rig7", "i1")
	req.Capacity = 7
	second := first.again(t, req)
	if o := await(t, a.updates); o.Sessions != 7 {
		t.Errorf("offer %+v", o)
	}
	if _, err := first.stream.Recv(); err == nil || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("the first one ended with %v", err)
	}
	first.hangUp()
	first.succeed(t, m)
	if x := await(t, got); x.err != nil {
		t.Errorf("the task did not go on: %v", x.err)
	}
	got = transcode(t, a, segment("s", 2))
	second.succeed(t, second.notice(t))
	if x := await(t, got); x.err != nil {
		t.Error(x.err)
	}

	req.Draining = true
	third := first.again(t, req)
	await(t, a.updates)
	third.stream.Header()
	if _, why := a.state(); why != fault.Draining {
		t.Errorf("suspended %q", why)
	}
	third.hangUp()
	a.awaitDetached(t)
	if cs := n.board.Snapshot(); len(cs) != 0 {
		t.Errorf("a worker that deregistered is missed: %v", cs)
	}
}

func TestAMissingWorkerIsACondition(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, own("rig7", "i1"))
	a := n.next(t)
	c.hangUp()
	a.awaitDetached(t)
	waitFor(t, func() bool { return len(n.board.Snapshot()) == 1 })
	if x := n.board.Snapshot()[0]; x.Code != fault.RemoteWorkerLost || x.About != "rig7" {
		t.Errorf("condition %+v", x)
	}
	register(t, n, own("rig7", "i2"))
	waitFor(t, func() bool { return len(n.board.Snapshot()) == 0 })
}

func TestNamesOfDevices(t *testing.T) {
	t.Parallel()
	n := start(t)
	for worker, want := range map[string]string{"rig": "rig", "0": "worker-0", "cpu": "worker-cpu"} {
		register(t, n, own(worker, worker))
		if got := n.next(t).Device.Device(); got != want {
			t.Errorf("%q is called %q", worker, got)
		}
	}
	register(t, n, own("rig", "other"))
	if got := n.next(t).Device.Device(); got != "rig-2" {
		t.Errorf("called %q", got)
	}
}

// waitFor waits until the condition holds.
func waitFor(t testing.TB, holds func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatal("it does not come to it")
		case <-tick.C:
		}
	}
}
