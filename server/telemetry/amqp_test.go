package telemetry_test

import (
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	coretelemetry "github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/telemetry"
	"github.com/tuttinode/tutti/test/amqpbroker"
)

// amqpRig is a running queue.
type amqpRig struct {
	*telemetry.AMQP
	board *health.Board
	log   *lines
	stop  func()
}

func startAMQP(t *testing.T, uri string) *amqpRig {
	t.Helper()
	r := &amqpRig{log: &lines{}}
	log := slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r.board = health.New(log, time.Now, nil)
	var err error
	r.AMQP, err = telemetry.NewAMQP(telemetry.AMQPOptions{URI: core.NewSecret(uri), Exchange: "lp_golivepeer_metadata",
		Timeout: 300 * time.Millisecond, Node: "node 1", RetryAfter: 5 * time.Millisecond,
		CheckEvery: 20 * time.Millisecond, Board: r.board, Log: log, Rand: rand.Reader,
		Now: func() time.Time { return time.UnixMilli(1743500002500) }})
	if err != nil {
		t.Fatal(err)
	}
	r.stop = run(t, r.AMQP)
	return r
}

func (r *amqpRig) condition() string { return lossOf(r.board, fault.EventsLost, "amqp") }

func segment(stream string, n int64) *coretelemetry.Segment {
	return &coretelemetry.Segment{Manifest: core.ManifestID(stream), Name: strconv.FormatInt(n, 10) + ".ts", Number: n,
		Duration: 2 * time.Second, Bytes: 1000, Began: time.UnixMilli(1743500000000), Took: 2500 * time.Millisecond,
		Success: true, Attempts: []coretelemetry.Attempt{
			{By: core.Performer{Address: "0xa", URI: "https://o:8935"}, Took: time.Second, Error: "OrchestratorBusy"},
			{By: core.Performer{URI: "https://p:8935"}, Took: 1500 * time.Millisecond},
		}}
}

func TestSegmentsReachTheExchange(t *testing.T) {
	t.Parallel()
	b := amqpbroker.New(t, "127.0.0.1:0")
	r := startAMQP(t, b.URI())
	r.SegmentDone(segment("abc", 7))
	wait(t, "message", func() bool { return len(b.Messages()) == 1 })
	got := b.Messages()[0]
	if got.Exchange != "lp_golivepeer_metadata" || got.Key != "broadcaster.stream_health.transcode.a.abc" ||
		got.ContentType != "application/json" {
		t.Errorf("came to %+v", got)
	}
	var e map[string]any
	if err := json.Unmarshal([]byte(got.Body), &e); err != nil || len(e["id"].(string)) != 36 {
		t.Fatalf("%v: %s", err, got.Body)
	}
	delete(e, "id")
	same, err := json.Marshal(e)
	want := `{"attempts":[{"error":"OrchestratorBusy","latencyMs":1000,"orchestrator":{"address":"0xa","transcodeUri":` +
		`"https://o:8935"}},{"error":null,"latencyMs":1500,"orchestrator":{"address":"","transcodeUri":"https://p:8935"}}],` +
		`"latencyMs":2500,"nodeId":"node 1","segment":{"byteSize":1000,"duration":2,"name":"7.ts","seqNo":7},` +
		`"startTime":1743500000000,"streamId":"abc","success":true,"timestamp":1743500002500,"type":"transcode"}`
	if err != nil || string(same) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, same, want)
	}
	if r.condition() != "" {
		t.Errorf("the condition is set: %s", r.condition())
	}
}

// A thousand messages are confirmed in batches, and none is lost or doubled.
func TestManySegments(t *testing.T) {
	t.Parallel()
	b := amqpbroker.New(t, "127.0.0.1:0")
	r := startAMQP(t, b.URI())
	for n := range int64(900) {
		r.SegmentDone(segment("abc", n))
	}
	r.stop() // sends what is left
	seen := make(map[string]bool)
	for _, m := range b.Messages() {
		seen[m.Body] = true
	}
	if len(seen) != 900 || len(b.Messages()) != 900 || r.Lost() != 0 {
		t.Errorf("%d messages, %d different, %d lost", len(b.Messages()), len(seen), r.Lost())
	}
}

// Reporting never waits: without a broker what does not fit is dropped and counted. When the broker comes, what was
// kept is sent, and the condition ends.
func TestSegmentsWithoutABroker(t *testing.T) {
	t.Parallel()
	b := amqpbroker.New(t, "127.0.0.1:0")
	addr, address := b.Addr().String(), b.URI()
	b.Stop()
	r := startAMQP(t, address)
	for n := range int64(1500) {
		r.SegmentDone(segment("abc", n))
	}
	if r.Lost() != 500 {
		t.Errorf("%d were dropped, want those beyond 1000", r.Lost())
	}
	if r.condition() == "" {
		t.Error("no condition")
	}
	b = amqpbroker.New(t, addr)
	wait(t, "messages", func() bool { return len(b.Messages()) == 1000 })
	wait(t, "end of the condition", func() bool { r.SegmentDone(segment("abc", 1)); return r.condition() == "" })
}

// Messages that were not confirmed are sent again over a new connection.
func TestSegmentsAreSentAgain(t *testing.T) {
	t.Parallel()
	b := amqpbroker.New(t, "127.0.0.1:0")
	b.Change(func(how *amqpbroker.Behavior) { how.Mute = true })
	r := startAMQP(t, b.URI())
	r.SegmentDone(segment("abc", 1))
	wait(t, "second connection", func() bool { return b.Opened() >= 2 })
	if !strings.Contains(r.condition(), "-metadataPublishTimeout") {
		t.Errorf("the condition is %q", r.condition())
	}
	b.Change(func(how *amqpbroker.Behavior) { how.Mute = false })
	wait(t, "message", func() bool { return len(b.Messages()) == 1 })
	b.Cut()
	r.SegmentDone(segment("abc", 2))
	wait(t, "message after a cut", func() bool { return len(b.Messages()) >= 2 })
	b.Change(func(how *amqpbroker.Behavior) { how.Nack = 2 })
	r.SegmentDone(segment("abc", 3))
	wait(t, "message after two refusals", func() bool {
		all := b.Messages()
		return strings.Contains(all[len(all)-1].Body, `"seqNo":3`)
	})
	lost := r.Lost()
	b.Change(func(how *amqpbroker.Behavior) { how.Nack = 3 })
	r.SegmentDone(segment("abc", 4))
	wait(t, "loss after three refusals", func() bool { return r.Lost() == lost+1 })
}

// What the broker refuses is named without its text, and the password is nowhere.
func TestSegmentsRefused(t *testing.T) {
	t.Parallel()
	change := func(f func(*amqpbroker.Behavior)) func(*amqpbroker.Broker) {
		return func(b *amqpbroker.Broker) { b.Change(f) }
	}
	for want, change := range map[string]func(*amqpbroker.Broker){
		"user or password":                change(func(how *amqpbroker.Behavior) { how.Password = "other" }),
		"is not a durable topic exchange": change(func(how *amqpbroker.Behavior) { how.Kind = "fanout" }),
		"broker cannot be reached":        func(b *amqpbroker.Broker) { _ = b.Close() },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			b := amqpbroker.New(t, "127.0.0.1:0")
			change(b)
			r := startAMQP(t, b.URI())
			wait(t, "condition", func() bool { return strings.Contains(r.condition(), want) })
			r.stop()
			if text := r.log.String() + r.condition(); strings.Contains(text, "right@") || strings.Contains(text, ":right") {
				t.Errorf("a secret is shown: %s", text)
			}
		})
	}
	_, err := telemetry.NewAMQP(telemetry.AMQPOptions{URI: core.NewSecret("amqp://u:s3cr3t@[::1/")})
	if fault.CodeOf(err) != fault.BadOption || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("a wrong address: %v", err)
	}
}
