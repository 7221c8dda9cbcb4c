package telemetry_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	coretelemetry "github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/telemetry"
)

const topic = "gateway-events"

// cluster is a Kafka broker on loopback.
func cluster(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(1, topic)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// kafkaRig is a running event stream.
type kafkaRig struct {
	*telemetry.Kafka
	board *health.Board
	log   *lines
	stop  func()

	mu     sync.Mutex
	failed map[string]int
}

func startKafka(t *testing.T, change func(*telemetry.KafkaOptions)) *kafkaRig {
	t.Helper()
	r := &kafkaRig{log: &lines{}, failed: make(map[string]int)}
	log := slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r.board = health.New(log, time.Now, nil)
	o := telemetry.KafkaOptions{Topic: topic, Gateway: "0xgateway", CheckEvery: 20 * time.Millisecond,
		Failed: func(kind string) { r.mu.Lock(); defer r.mu.Unlock(); r.failed[kind]++ },
		Board:  r.board, Log: log, Now: func() time.Time { return time.UnixMilli(1743500000123) }, Rand: rand.Reader}
	change(&o)
	var err error
	if r.Kafka, err = telemetry.NewKafka(o); err != nil {
		t.Fatal(err)
	}
	r.stop = run(t, r.Kafka)
	return r
}

func (r *kafkaRig) lost(kind string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed[kind]
}

func (r *kafkaRig) condition() string { return lossOf(r.board, fault.EventsLost, "kafka") }

// received reads events from a broker.
func received(t *testing.T, n int, opts ...kgo.Opt) []*kgo.Record {
	t.Helper()
	cl, err := kgo.NewClient(append(opts, kgo.ConsumeTopics(topic))...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var out []*kgo.Record
	for len(out) < n {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			t.Fatalf("%d of %d events came: %v", len(out), n, fetches.Errors())
		}
		out = append(out, fetches.Records()...)
	}
	return out
}

func TestEventsReachTheTopic(t *testing.T) {
	t.Parallel()
	c := cluster(t)
	r := startKafka(t, func(o *telemetry.KafkaOptions) { o.Servers = c.ListenAddrs() })
	r.Send(coretelemetry.StreamTrace, map[string]any{"type": coretelemetry.ReceivedStream, "stream_id": "s"})
	r.Send(coretelemetry.DiscoveryResults,
		[]coretelemetry.Discovered{{Account: "0xa", URL: "https://o:8935", LatencyMs: "12"}})
	got := received(t, 2, kgo.SeedBrokers(c.ListenAddrs()...))
	for i, want := range []string{
		`"type":"stream_trace","timestamp":"1743500000123","gateway":"0xgateway",` +
			`"data":{"stream_id":"s","type":"gateway_receive_stream_request"}}`,
		`"type":"discovery_results","timestamp":"1743500000123","gateway":"0xgateway",` +
			`"data":[{"address":"0xa","url":"https://o:8935","latency_ms":"12"}]}`,
	} {
		var e struct{ ID string }
		if err := json.Unmarshal(got[i].Value, &e); err != nil || len(e.ID) != 36 || e.ID != string(got[i].Key) {
			t.Errorf("%v: id %q, key %q", err, e.ID, got[i].Key)
		}
		if !strings.HasSuffix(string(got[i].Value), want) {
			t.Errorf("event %d is %s", i, got[i].Value)
		}
	}
	if r.condition() != "" {
		t.Errorf("the condition is set: %s", r.condition())
	}
}

// What was sent before the end arrives.
func TestEventsAreFlushedAtTheEnd(t *testing.T) {
	t.Parallel()
	c := cluster(t)
	r := startKafka(t, func(o *telemetry.KafkaOptions) { o.Servers = c.ListenAddrs() })
	for range 50 {
		r.Send(coretelemetry.StreamStatus, map[string]any{"type": "status"})
	}
	r.stop()
	received(t, 50, kgo.SeedBrokers(c.ListenAddrs()...))
}

// With a user the connection is TLS with SASL PLAIN. A wrong password is a condition, and in no text.
func TestEventsWithAUser(t *testing.T) {
	t.Parallel()
	config, roots := certificate(t)
	c := cluster(t, kfake.TLS(config), kfake.EnableSASL(), kfake.Superuser("PLAIN", "u", "s3cr3t-right"))
	client := func(password string) func(*telemetry.KafkaOptions) {
		return func(o *telemetry.KafkaOptions) {
			o.Servers, o.User, o.Password = c.ListenAddrs(), "u", core.NewSecret(password)
			o.TLS, o.Delivery = &tls.Config{RootCAs: roots, ServerName: "example.com"}, 2*time.Second
		}
	}
	right := startKafka(t, client("s3cr3t-right"))
	right.Send(coretelemetry.SignedTicket, map[string]any{"session_id": "x"})
	auth := plain.Auth{User: "u", Pass: "s3cr3t-right"}
	received(t, 1, kgo.SeedBrokers(c.ListenAddrs()...), kgo.SASL(auth.AsMechanism()),
		kgo.DialTLSConfig(&tls.Config{RootCAs: roots, ServerName: "example.com"}))

	wrong := startKafka(t, client("s3cr3t-wrong"))
	wrong.Send(coretelemetry.SignedTicket, map[string]any{"session_id": "x"})
	wait(t, "condition", func() bool { return strings.Contains(wrong.condition(), "refuse the login") })
	unknown := startKafka(t, func(o *telemetry.KafkaOptions) { client("s3cr3t-right")(o); o.TLS = nil })
	unknown.Send(coretelemetry.SignedTicket, map[string]any{"session_id": "x"})
	wait(t, "condition", func() bool { return strings.Contains(unknown.condition(), "certificate is not valid") })
	for _, r := range []*kafkaRig{right, wrong, unknown} {
		r.stop()
		if text := r.log.String() + r.condition(); strings.Contains(text, "s3cr3t") {
			t.Errorf("the log shows a secret: %s", text)
		}
	}
	if got := wrong.lost("create_signed_ticket"); got != 1 {
		t.Errorf("%d lost events were counted", got)
	}
}

// certificate is a server's for example.com, and who signed it.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, roots
}

// A topic that is missing is named; the next one that is there ends the condition.
func TestEventsWithoutATopic(t *testing.T) {
	t.Parallel()
	c := cluster(t)
	r := startKafka(t, func(o *telemetry.KafkaOptions) { o.Servers, o.Topic = c.ListenAddrs(), "other" })
	r.Send(coretelemetry.StreamTrace, map[string]any{})
	wait(t, "condition", func() bool { return strings.Contains(r.condition(), "no topic -kafkaGatewayTopic") })
	if r.lost("stream_trace") != 1 {
		t.Errorf("%d lost events were counted", r.lost("stream_trace"))
	}
}

// Brokers that accept and never answer: Send returns at once, what does not fit is dropped and counted, and what
// waited too long as well.
func TestEventsNeverWaitForBrokers(t *testing.T) {
	t.Parallel()
	l := silent(t)
	r := startKafka(t, func(o *telemetry.KafkaOptions) {
		o.Servers, o.Delivery, o.Flush = []string{l.Addr().String()}, time.Second, 50*time.Millisecond
	})
	const sent = 3000
	for range sent {
		r.Send(coretelemetry.StreamStatus, map[string]any{"type": "status"})
	}
	if got := r.lost("ai_stream_status"); got < sent-1000 {
		t.Errorf("%d of %d were dropped at once, want those beyond 1000", got, sent)
	}
	if !strings.Contains(r.condition(), "queue is full") {
		t.Errorf("the condition is %q", r.condition())
	}
	r.stop()
	wait(t, "count of all", func() bool { return r.lost("ai_stream_status") == sent })
}

// silent accepts connections and reads them.
func silent(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { _, _ = io.Copy(io.Discard, c); _ = c.Close() })
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return l
}

// The broker is away and comes back: the condition ends with the first delivery.
func TestEventsAfterAnOutage(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // nothing listens until the broker starts
	r := startKafka(t, func(o *telemetry.KafkaOptions) {
		o.Servers, o.Delivery = []string{"127.0.0.1:" + itoa(port)}, time.Second
	})
	r.Send(coretelemetry.StreamTrace, map[string]any{})
	wait(t, "condition", func() bool { return r.condition() != "" })
	c := cluster(t, kfake.Ports(port))
	wait(t, "end of the condition", func() bool {
		r.Send(coretelemetry.StreamTrace, map[string]any{})
		return r.condition() == ""
	})
	received(t, 1, kgo.SeedBrokers(c.ListenAddrs()...))
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// Events that are too large, or no JSON, are lost alone.
func TestEventsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	c := cluster(t)
	r := startKafka(t, func(o *telemetry.KafkaOptions) { o.Servers = c.ListenAddrs() })
	r.Send("large", strings.Repeat("x", 256<<10))
	r.Send("wrong", make(chan int))
	r.Send("good", 1)
	if got := received(t, 1, kgo.SeedBrokers(c.ListenAddrs()...)); !strings.Contains(string(got[0].Value), `"good"`) {
		t.Errorf("came: %s", got[0].Value)
	}
	if r.lost("large") != 1 || r.lost("wrong") != 1 || r.lost("good") != 0 {
		t.Errorf("counted: %v", r.failed)
	}
}
