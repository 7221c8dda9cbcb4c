package transcoders_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
)

// A tutti worker that comes back on another connection has lost the one
// before: what it was sent there fails at once, and the worker stays.
func TestWhatWasToldOnABrokenConnectionFails(t *testing.T) {
	t.Parallel()
	n := start(t)
	first := register(t, n, own("rig7", "i1"))
	a := n.next(t)
	lost := transcode(t, a, segment("s", 1))
	m := first.notice(t)
	begin := time.Now()
	second := register(t, n, own("rig7", "i1"))
	await(t, a.updates)
	x := await(t, lost)
	wantCode(t, x.err, fault.RemoteWorkerLost)
	if !fault.Retryable(x.err) || time.Since(begin) > 10*time.Second {
		t.Errorf("%v after %v", x.err, time.Since(begin))
	}
	if notice := second.notice(t); !notice.GetCancel() || notice.GetTaskId() != m.GetTaskId() {
		t.Errorf("notice %v", notice)
	}
	got := transcode(t, a, segment("s", 2))
	second.succeed(t, second.notice(t))
	if x := await(t, got); x.err != nil {
		t.Error(x.err)
	}
}

// One segment that goes astray does not count against a tutti worker that
// has brought others since.
func TestAWorkerThatAnswersIsNotDropped(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, own("rig7", "i1"))
	a := n.next(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	astray := make(chan error, 1)
	go func() {
		_, err := a.Transcode(ctx, segment("s", 1))
		astray <- err
	}()
	c.notice(t)
	got := transcode(t, a, segment("t", 1))
	c.succeed(t, c.notice(t))
	await(t, got)
	wantCode(t, await(t, astray), fault.RemoteWorkerTimeout)
	select {
	case <-a.detached:
		t.Error("it was dropped")
	default:
	}
}

// A process that has two addresses of this node is one worker.
func TestTwoAddressesOfOneOrchestrator(t *testing.T) {
	t.Parallel()
	n := start(t)
	first := register(t, n, own("rig7", "i1"))
	a := n.next(t)
	if _, err := register(t, n, own("rig7", "i1/2")).stream.Recv(); status.Code(err) != codes.AlreadyExists {
		t.Errorf("the second one ends with %v", err)
	}
	if got := len(n.Workers()); got != 1 {
		t.Errorf("%d workers", got)
	}
	// Where the first one is gone, the second one is welcome.
	first.hangUp()
	a.awaitDetached(t)
	register(t, n, own("rig7", "i1/2"))
	n.next(t)
}

// The place that a worker has is the same as long as its sessions are.
func TestPlaces(t *testing.T) {
	t.Parallel()
	n := start(t)
	attachment := func(c *client) string {
		t.Helper()
		md, err := c.stream.Header()
		if err != nil || len(md.Get(remote.RegistrationMetadata)) != 1 {
			t.Fatal(md, err)
		}
		return md.Get(remote.RegistrationMetadata)[0]
	}
	first := register(t, n, own("rig7", "i1"))
	a := n.next(t)
	again := first.again(t, own("rig7", "i1"))
	if attachment(first) != attachment(again) {
		t.Error("another place, though it stayed")
	}
	<-a.updates
	again.hangUp()
	a.awaitDetached(t)
	back := register(t, n, own("rig7", "i1"))
	n.next(t)
	elsewhere := register(t, start(t), own("rig7", "i1"))
	if attachment(back) == attachment(first) || attachment(elsewhere) == attachment(first) ||
		attachment(elsewhere) == attachment(back) {
		t.Errorf("places %s, %s, %s", attachment(first), attachment(back), attachment(elsewhere))
	}
}

// A tutti worker whose result is still on the way when its time is over is alive: it is not
// dropped, and the fault names the segment's time.
func TestAWorkerThatSendsALargeResultIsNotDropped(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := register(t, n, own("rig7", "i1"))
	a := n.next(t)
	got := transcode(t, a, segment("s", 1))
	m := c.notice(t)
	result, end := io.Pipe()
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		c.post(t, upload{task: m.GetTaskId(), body: result, kind: mixed, header: map[string]string{"Tutti-Instance": "i1"}})
	}()
	if _, err := io.WriteString(end, "--b\r\nPixels: 1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	x := await(t, got)
	wantCode(t, x.err, fault.RemoteWorkerTimeout)
	if !errors.Is(x.err, fault.TranscodeTimeout) {
		t.Errorf("blamed on the worker: %v", x.err)
	}
	_ = end.Close()
	await(t, posted)
	select {
	case <-a.detached:
		t.Error("it was dropped")
	default:
	}
}
