package redeemer_test

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/redeemer"
	"github.com/tuttinode/tutti/server/rpc"
)

var gateway = core.Address{9}

func (r *rig) monitor(ctx context.Context, sender core.Address) grpc.ServerStreamingClient[rpc.MaxFloatUpdate] {
	r.Helper()
	stream, err := r.api.MonitorMaxFloat(ctx, &rpc.MaxFloatReq{Sender: sender[:]})
	if err != nil {
		r.Fatal(err)
	}
	return stream
}

func (r *rig) wantMaxFloat(stream grpc.ServerStreamingClient[rpc.MaxFloatUpdate], want string) {
	r.Helper()
	m, err := stream.Recv()
	if err != nil {
		r.Fatal(err)
	}
	if v, err := rpc.FromWei(m.GetMaxFloat()); err != nil || v.String() != want {
		r.Errorf("%s, %v, want %s", v, err, want)
	}
}

func TestMaxFloat(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.set(gateway, 1_000_000, false)
	m, err := r.api.MaxFloat(t.Context(), &rpc.MaxFloatReq{Sender: gateway[:]})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := rpc.FromWei(m.GetMaxFloat()); err != nil || v.String() != "1000000" {
		t.Errorf("%s, %v", v, err)
	}
	for _, sender := range [][]byte{nil, make([]byte, 19), make([]byte, 20), make([]byte, 21)} {
		if _, err := r.api.MaxFloat(t.Context(), &rpc.MaxFloatReq{Sender: sender}); status.Code(err) != codes.Internal {
			t.Errorf("sender of %d bytes: %v", len(sender), err)
		}
	}
}

// TestQuestionsAreBounded: one that finds no answer leaves its place to others in
// time.
func TestQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *redeemer.Options) { o.Asking, o.Answer = 1, 50*time.Millisecond })
	var asked sync.WaitGroup
	for range 3 {
		asked.Go(func() {
			if _, err := r.api.MaxFloat(t.Context(), &rpc.MaxFloatReq{Sender: stuck[:]}); status.Code(err) != codes.Internal {
				t.Error(err)
			}
		})
	}
	asked.Wait()
	if _, err := r.api.MaxFloat(t.Context(), &rpc.MaxFloatReq{Sender: gateway[:]}); err != nil {
		t.Error(err)
	}
}

func TestMonitorTellsAtOnceAndOfEveryChange(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.set(gateway, 5, false)
	ctx, cancel := context.WithCancel(t.Context())
	stream := r.monitor(ctx, gateway)
	r.wantMaxFloat(stream, "5")
	r.wait("a watcher", func() bool { return r.watchers() == 1 })
	r.set(gateway, 6, false)
	r.wantMaxFloat(stream, "6")
	r.set(core.Address{8}, 7, false) // a change of another sender is no event
	r.set(gateway, 0, false)
	r.wantMaxFloat(stream, "0")
	cancel()
	r.wait("the watcher to leave", func() bool { return r.watchers() == 0 })
}

func TestMonitorFindsOutWhatNobodyTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *redeemer.Options) { o.Refresh = 5 * time.Millisecond })
	stream := r.monitor(t.Context(), gateway)
	r.wantMaxFloat(stream, "0")
	r.wait("a watcher", func() bool { return r.watchers() == 1 })
	r.set(gateway, 6, true)
	r.wantMaxFloat(stream, "6")
}

// TestSlowWatchersHoldUpNobody: one reads nothing while thousands of updates come, of
// which another misses no last one.
func TestSlowWatchersHoldUpNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	slow, quick := r.monitor(t.Context(), gateway), r.monitor(t.Context(), gateway)
	r.wait("two watchers", func() bool { return r.watchers() == 2 })
	const last = 20_000
	for i := range uint64(last) {
		r.set(gateway, i+1, false)
	}
	for v := ""; v != "20000"; {
		m, err := quick.Recv()
		if err != nil {
			t.Fatal(err)
		}
		w, _ := rpc.FromWei(m.GetMaxFloat())
		v = w.String()
	}
	r.wantMaxFloat(slow, "0") // it had its place all the time
}

func TestWatchersAreBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *redeemer.Options) { o.WatchersEach = 2 })
	ctx, cancel := context.WithCancel(t.Context())
	r.wantMaxFloat(r.monitor(ctx, gateway), "0")
	r.wantMaxFloat(r.monitor(t.Context(), gateway), "0")
	if _, err := r.monitor(t.Context(), gateway).Recv(); status.Code(err) != codes.Internal {
		t.Error(err)
	}
	cancel()
	r.wait("a free place", func() bool {
		_, err := r.monitor(t.Context(), gateway).Recv()
		return err == nil
	})
}

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *redeemer.Options) { o.ConnectionsEach = 2 })
	r.wantMaxFloat(r.monitor(t.Context(), gateway), "0") // one
	connect := func() net.Conn {
		conn, err := net.Dial("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	second, third := connect(), connect()
	// The third is hung up on without a word.
	if n, err := third.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("read %d, %v", n, err)
	}
	second.Close()
	r.wait("a free place", func() bool {
		_, err := r.dial().MaxFloat(t.Context(), &rpc.MaxFloatReq{Sender: gateway[:]})
		return err == nil
	})
}

func TestAStopEndsStreams(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	stream := r.monitor(t.Context(), gateway)
	r.wantMaxFloat(stream, "0")
	begun := time.Now()
	r.stop()
	if took := time.Since(begun); took >= 3*time.Second {
		t.Errorf("the stop took %v", took)
	}
	if _, err := stream.Recv(); status.Code(err) != codes.Unavailable || err == io.EOF {
		t.Errorf("%v", err)
	}
}
