package media

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/adversary"
	"github.com/tuttinode/tutti/test/harness"
)

// small is a bound of a media worker's memory that an honest stream stays well below
// and a frame of 8K passes.
const small = "400MB"

// tooLarge is a segment that needs more memory than such a worker may have: it ends
// every worker that it is given to.
func tooLarge(t *testing.T) []byte {
	t.Helper()
	return ffmpeg(t, ".ts", "-f lavfi -i color=c=gray:size=7680x4320:rate=30:duration=0.6 -pix_fmt yuv420p "+
		"-c:v libx264 -preset ultrafast -refs 4 -threads 2")
}

// varied is a segment with other bytes and the same frames: a packet of padding at
// its end says which it is.
func varied(segment []byte, n int) []byte {
	padding := []byte(fmt.Sprintf("\x47\x1f\xff\x10%08d", n))
	padding = append(padding, make([]byte, 188-len(padding))...)
	return append(append([]byte(nil), segment...), padding...)
}

// pushing is an attack by way of a gateway: it pushes the stream and the segment that next
// names.
func pushing(next func(n int) (stream string, data []byte)) func(ctx context.Context, gw string, n int) (string,
	error) {
	return func(ctx context.Context, gw string, n int) (string, error) {
		stream, data := next(n)
		status, text, err := push(ctx, gw, stream, n, data)
		return fmt.Sprint(status, " ", strings.TrimSpace(text[:min(len(text), 120)])), err
	}
}

// attack sends three segments a second until its context ends, whatever is answered.
// It returns what the node said, by text.
func attack(ctx context.Context, gw string,
	send func(ctx context.Context, gw string, n int) (string, error)) map[string]int {
	said := make(map[string]int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	tick := time.NewTicker(time.Second / 3)
	defer tick.Stop()
	for n := 0; ; n++ {
		wg.Go(func() {
			text, err := send(ctx, gw, n)
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			said[text]++
		})
		select {
		case <-ctx.Done():
			wg.Wait()
			return said
		case <-tick.C:
		}
	}
}

// watch pushes an honest stream in its own pace and returns how many segments it lost.
func watch(t *testing.T, gw string, segments [][]byte, pace time.Duration, begun chan<- struct{}) int {
	t.Helper()
	lost := 0
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for n, data := range segments {
		ctx, cancel := context.WithTimeout(t.Context(), harness.Stretch(8*time.Second))
		status, text, err := push(ctx, gw, "honest", n, data)
		cancel()
		if err != nil || status != http.StatusOK {
			lost++
			t.Logf("honest segment %d: status %d, %v: %.200s", n, status, err, text)
		}
		if n == 3 {
			close(begun)
		}
		<-tick.C
	}
	return lost
}

// besides runs an attack alongside an honest stream of 30 segments at the same device.
func besides(t *testing.T, node *harness.Process, addr string,
	send func(ctx context.Context, gw string, n int) (string, error)) map[string]int {
	t.Helper()
	_, theirs := gateway(t, addr)
	_, ours := gateway(t, addr)
	pace := 350 * time.Millisecond
	if adversary.Long() {
		pace = time.Second
	}
	var segments [][]byte
	for _, s := range honest(t, 30) {
		segments = append(segments, s.Data)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun, said := make(chan struct{}), make(chan map[string]int, 1)
	go func() {
		<-begun
		said <- attack(ctx, theirs, send)
	}()
	if lost := watch(t, ours, segments, pace, begun); lost != 0 {
		t.Errorf("the honest stream lost %d of %d segments", lost, len(segments))
	}
	cancel()
	answers := <-said
	t.Logf("%d media workers died; the attacker was told %v", deaths(node), answers)
	return answers
}

// TestAStreamThatEndsWorkersHarmsOnlyItself: a stream whose segments end media workers,
// each with other bytes, three a second, alongside an honest stream on the only device.
func TestAStreamThatEndsWorkersHarmsOnlyItself(t *testing.T) {
	node, addr := orchestrator(t, "-workerMemory", small)
	bad := tooLarge(t)
	said := besides(t, node, addr, pushing(func(n int) (string, []byte) { return "poison", varied(bad, n) }))
	if n := deaths(node); n == 0 || n > 2 {
		t.Errorf("%d shared media workers died, want 1 or 2", n)
	}
	for text, times := range said {
		if strings.Contains(text, "attempts") {
			t.Errorf("the gateway was not told that it is final, %d times: %s", times, text)
		}
	}
}

// TestNewStreamsThatEndWorkersHarmNobodyElse: the same with a new name and other bytes
// for each segment.
func TestNewStreamsThatEndWorkersHarmNobodyElse(t *testing.T) {
	node, addr := orchestrator(t, "-workerMemory", small)
	bad := tooLarge(t)
	besides(t, node, addr, pushing(func(n int) (string, []byte) { return fmt.Sprint("poison", n), varied(bad, n) }))
	if n := deaths(node); n == 0 || n > 3 {
		t.Errorf("%d shared media workers died, want 1 to 3", n)
	}
}

// endless is a segment that takes far longer than its time, in little memory: two
// minutes of large frames that say that they are one second.
func endless(t *testing.T) []byte {
	t.Helper()
	part := ffmpeg(t, ".ts", "-f lavfi -i color=c=gray:size=3840x2160:rate=30:duration=2 -pix_fmt yuv420p "+
		"-c:v libx264 -preset ultrafast -threads 2")
	file := filepath.Join(t.TempDir(), "part.ts")
	if err := os.WriteFile(file, part, 0o600); err != nil {
		t.Fatal(err)
	}
	return ffmpeg(t, ".ts", "-stream_loop 60 -i "+file+" -c copy")
}

// TestAStreamThatBlocksWorkersHarmsOnlyItself: a stream whose segments take all the
// time and CPU cores that they can get.
func TestAStreamThatBlocksWorkersHarmsOnlyItself(t *testing.T) {
	node, addr := orchestrator(t)
	bad, from := endless(t), newSender(t, 0, addr)
	tok, err := from.token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A gateway of ours would measure the segment and announce how long it plays.
	besides(t, node, addr, func(ctx context.Context, _ string, n int) (string, error) {
		return "", from.sendIn(ctx, tok, n, varied(bad, n))
	})
	if n := deaths(node); n > 1 {
		t.Errorf("%d shared media workers died, want 1 at most", n)
	}
	// Where other programs take the CPU cores, it may be too much for the machine and not to blame.
	node.Wait("the stream to be noticed", 10*time.Second, func() bool {
		return strings.Contains(node.Log(), "a stream ends or blocks media workers") ||
			strings.Contains(node.Log(), "code=TranscoderBehind")
	})
}

// TestNewStreamsThatBlockWorkersHarmNobodyElse: the same with a new name for each.
func TestNewStreamsThatBlockWorkersHarmNobodyElse(t *testing.T) {
	node, addr := orchestrator(t, "-maxSessions", "auto")
	bad, from := endless(t), newSender(t, 0, addr)
	besides(t, node, addr, func(ctx context.Context, _ string, n int) (string, error) {
		return "", from.send(ctx, varied(bad, n))
	})
	if n := deaths(node); n > 3 {
		t.Errorf("%d shared media workers died, want 3 at most", n)
	}
}
