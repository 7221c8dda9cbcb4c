package transcoders_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/verify"
	"github.com/tuttinode/tutti/server/remote/transcoders"
	"github.com/tuttinode/tutti/server/rpc"
)

// counted is a file and the pixels that it holds.
func counted(t testing.TB, path string) (data string, pixels core.Pixels) {
	t.Helper()
	b, err := os.ReadFile("../../gateway/" + path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := verify.Count(b)
	if err != nil || v.Pixels == 0 {
		t.Fatal(v, err)
	}
	return string(b), v.Pixels
}

// Pixels are what is paid for: a worker's word is held against what it brings.
func TestPixelsAreCounted(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, plain())
	a := n.next(t)
	ts, inTS := counted(t, "verify/testdata/h264.ts")
	hevc, inHEVC := counted(t, "verify/testdata/hevc_slices.mp4")
	for _, row := range []struct {
		name         string
		data, second string
		pixels       core.Pixels
		uncounted    bool
		good         bool
	}{
		{"what it holds", ts, hevc, inTS, false, true},
		{"a pixel more", ts, hevc, inTS + 1, false, false},
		{"ten times as many", ts, hevc, 10 * inTS, false, false},
		{"none", ts, hevc, 0, false, false},
		{"no video of the codec", strings.Repeat("x", 500), hevc, inTS, false, false},
		{"hardly any bytes", ts[:24], hevc, inTS, false, false},
		{"hardly any bytes of another codec", ts[:24], hevc, inTS, true, false},
		{"possible for a codec that is not counted", strings.Repeat("x", 500), hevc, 60 * 426 * 240, true, true},
		{"impossible for it", strings.Repeat("x", 500), hevc, 6000 * 426 * 240, true, false},
		{"none for it", strings.Repeat("x", 500), hevc, 0, true, false},
	} {
		job := segment("s", 1)
		job.Profiles[0].Encoder, job.Profiles[1].Encoder = core.CodecH264, core.CodecHEVC
		if row.uncounted {
			job.Profiles[0].Encoder = core.CodecVP9
		}
		got := transcode(t, a, job)
		m := c.notice(t)
		c.post(t, upload{task: m.GetTaskId(), kind: mixed, body: multi([]part{
			{kind: "video/mp2t", data: row.data, pixels: strconv.FormatInt(int64(row.pixels), 10)},
			{kind: "video/mp4", data: row.second, pixels: strconv.FormatInt(int64(inHEVC), 10)},
		})})
		x := await(t, got)
		switch {
		case row.good && x.err != nil:
			t.Errorf("%s: %v", row.name, x.err)
		case !row.good && (fault.CodeOf(x.err) != fault.RemoteResultRefused || !fault.Retryable(x.err)):
			t.Errorf("%s: %v", row.name, x.err)
		}
	}
	if got := strings.Count(n.logged.String(), "cannot be counted"); got != 1 {
		t.Errorf("told %d times that there is a codec which is not counted", got)
	}
}

// BenchmarkRendition is what the count costs.
func BenchmarkRendition(b *testing.B) {
	ts, _ := counted(b, "verify/testdata/hd.ts")
	data := []byte(ts)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := verify.Count(data); err != nil {
			b.Fatal(err)
		}
	}
}

// What is named in the books is a device that was registered.
func TestDevicesInTheBooks(t *testing.T) {
	t.Parallel()
	n := start(t)
	req := own("rig7", "i1")
	req.Devices = []*rpc.WorkerDevice{{Device: "0"}, {Device: "cpu"}}
	c := register(t, n, req)
	a := n.next(t)
	for device, want := range map[string]string{
		"gpu 0": "rig7 gpu 0", "cpu": "rig7 cpu", "": "rig7", "gpu 7": "rig7", strings.Repeat("x", 40): "rig7",
	} {
		got := transcode(t, a, segment("s", 1))
		c.post(t, upload{task: c.notice(t).GetTaskId(), kind: mixed, body: multi(goodParts()),
			header: map[string]string{"Tutti-Worker": device, "Tutti-Instance": "i1"}})
		if x := await(t, got); x.err != nil || x.res.Worker != want {
			t.Errorf("%q: %+v, %v", device, x.res, x.err)
		}
	}
}

// A result for a worker without a name of its process must not come from where another
// one is.
func TestResultsOfAnotherWorker(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := registerFrom(t, n, "127.0.0.2", plain())
	a := n.next(t)
	got := transcode(t, a, segment("s", 1))
	m := c.notice(t)
	other := register(t, n, plain())
	b := n.next(t)
	if status, _ := other.post(t, upload{task: m.GetTaskId(), kind: mixed, body: multi(goodParts())}); status != 403 {
		t.Errorf("another worker's result is answered %d", status)
	}
	// Where no worker is may be a proxy.
	other.hangUp()
	b.awaitDetached(t)
	waitFor(t, func() bool { return len(n.Workers()) == 1 })
	c.succeed(t, m)
	if x := await(t, got); x.err != nil {
		t.Error(x.err)
	}
}

// An answer to one of several segments at the same time leaves nothing to be held
// against the worker later.
func TestNothingIsOwedAfterAnAnswer(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	n := start(t, func(o *transcoders.Options) {
		o.Now = func() time.Time { return time.Unix(1e9+passed.Load(), 0) }
	})
	c := register(t, n, plain())
	a := n.next(t)
	impatient := func(enter func()) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		done := make(chan error, 1)
		go func() {
			_, err := a.Transcode(ctx, segment("t", 1))
			done <- err
		}()
		c.notice(t)
		enter()
		wantCode(t, await(t, done), fault.DeadlineExceeded)
	}
	impatient(func() {
		got := transcode(t, a, segment("s", 1))
		c.succeed(t, c.notice(t))
		await(t, got)
	})
	passed.Add(3600)
	impatient(func() {})
	select {
	case <-a.detached:
		t.Error("it was dropped")
	default:
	}
}
