package live

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
)

const workerSecret = "hunter2-hunter2"

// liar is an AI worker that has the secret and claims to serve live video.
type liar struct {
	t    *testing.T
	n    *node
	jobs chan *rpc.NotifyAIJob
}

// registerLiar registers one with far more slots than any machine has.
func registerLiar(t *testing.T, n *node) *liar {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+strings.TrimPrefix(n.uri, "https://"),
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); conn.Close() })
	stream, err := rpc.NewAIWorkerClient(conn).RegisterAIWorker(ctx, &rpc.RegisterAIWorkerRequest{
		Secret: workerSecret, Node: "tutti/9.9.9", Worker: "liar", Instance: "the-liar",
		Capabilities: rpc.FromCapabilities(capability.Offer(capability.Default(), "0.9.1")),
		Models: []*rpc.WorkerModel{{
			Capability: uint32(capability.LiveVideoToVideo), ModelId: "sample", State: "ready", Warm: true, Capacity: 1 << 31,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	l := &liar{t: t, n: n, jobs: make(chan *rpc.NotifyAIJob, 64)}
	go func() {
		for {
			job, err := stream.Recv()
			if err != nil {
				return
			}
			select {
			case l.jobs <- job:
			case <-ctx.Done():
				return
			}
		}
	}()
	return l
}

// next is the next session that the liar gets, and its id.
func (l *liar) next() (task int64, id string) {
	l.t.Helper()
	for {
		select {
		case job := <-l.jobs:
			if job.GetJob() == nil {
				continue // the end of another one
			}
			var r struct {
				ID string `json:"manifest_id"`
			}
			if err := json.Unmarshal(job.GetJob().GetBody(), &r); err != nil {
				l.t.Error(err)
			}
			return job.GetTaskId(), r.ID
		case <-time.After(time.Minute):
			l.t.Errorf("no session for the liar\n%s", l.n.Log())
			return 0, ""
		}
	}
}

// answer begins a session and does nothing for it; the end of the answer is in over.
func (l *liar) answer(task int64, instance string, body io.Reader) (over <-chan int) {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.t.Context(), "POST", l.n.uri+"/aiResults", body)
	if err != nil {
		panic(err) // it is called alongside the test
	}
	for name, value := range map[string]string{
		"Authorization": "Livepeer-AI-Worker-1.0", "Credentials": workerSecret, "TaskId": strconv.FormatInt(task, 10),
		"Pipeline": "live-video-to-video", "Content-Type": "application/json", "Tutti-Status": "200",
		"Tutti-Instance": instance,
	} {
		r.Header.Set(name, value)
	}
	done := make(chan int, 1)
	go func() {
		res, err := harness.Client().Do(r)
		if err != nil {
			done <- 0
			return
		}
		defer res.Body.Close()
		done <- res.StatusCode
	}()
	return done
}

// beats are the answer of a session that goes on: a byte at once and with each tick.
type beats struct {
	ctx   context.Context
	tick  <-chan time.Time
	begun bool
}

// Read waits for the next byte.
func (b *beats) Read(p []byte) (int, error) {
	if b.begun {
		select {
		case <-b.tick:
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
	b.begun = true
	return copy(p, "\n"), nil
}

// A worker with the secret claims all slots of the world for live video. What it does not begin another worker
// does within the gateway's time, on channels that the liar does not know; the log names it. It takes no session
// of another worker, and one that it begins and does not read ends.
func TestALyingWorkerOfLiveVideo(t *testing.T) {
	addr := harness.Address(t)
	n := &node{t: t, uri: "https://" + addr}
	n.Process = harness.Start(t, binary, "-orchestrator", "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr",
		harness.Address(t), "-dataDir", t.TempDir(), "-orchSecret", workerSecret)
	n.WaitHTTP(n.uri + "/healthz")
	l := registerLiar(t, n)
	n.Wait("the liar", 30*time.Second, func() bool {
		return strings.Contains(n.Log(), "AI worker registered worker=liar")
	})
	honest := harness.Start(t, binary, "-aiWorker", "-orchAddr", addr, "-orchSecret", workerSecret, "-cliAddr",
		harness.Address(t), "-dataDir", t.TempDir(), "-liveSampleSessions", "1")
	honest.Wait("the honest worker", 30*time.Second, func() bool {
		return strings.Contains(honest.Log(), "registered with the orchestrator")
	})

	status, id := n.video(n.token())
	if status != http.StatusOK {
		t.Fatal(status, n.Log())
	}
	task, known := l.next()
	for _, suffix := range []string{"", "-out", "-control", "-events"} {
		if status, text := n.send("GET", "/ai/trickle/"+known+suffix+"/next", nil); status != http.StatusNotFound {
			t.Error("a channel that the liar knows:", suffix, status, text)
		}
	}
	if !strings.Contains(n.Log(), "AIWorkerSilent") || !strings.Contains(n.Log(), "worker=liar") {
		t.Error("the liar is not named\n", n.Log())
	}
	if got := <-l.answer(task+1, "the-liar", strings.NewReader("\n")); got != http.StatusUnauthorized && got !=
		http.StatusGone {
		t.Error("an answer for another worker's session:", got)
	}
	if log := n.Log() + honest.Log(); strings.Contains(log, id) || strings.Contains(log, known) {
		t.Error("a log has a session's id")
	}

	// The honest worker is full: the next session is the liar's, which begins it and reads nothing.
	begins, beat := make(chan int64, 1), time.NewTicker(time.Second)
	defer beat.Stop()
	go func() {
		task, _ := l.next()
		begins <- task
	}()
	go func() { l.answer(<-begins, "the-liar", &beats{ctx: t.Context(), tick: beat.C}) }()
	status, id = n.video(n.token())
	if status != http.StatusOK {
		t.Fatal(status, n.Log())
	}
	n.Wait("the end of the idle session", 70*time.Second, func() bool {
		status, _ := n.send("GET", "/ai/trickle/"+id+"/next", nil)
		if status == http.StatusOK {
			_, _ = n.send("POST", "/ai/trickle/"+id+"/-1", strings.NewReader("segment"))
		}
		return status == http.StatusNotFound
	})
	if !strings.Contains(n.Log(), "does not read its input") {
		t.Error("the liar is not named\n", n.Log())
	}
}
