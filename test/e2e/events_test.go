package e2e

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/tuttinode/tutti/test/amqpbroker"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/livevideo"
)

// A gateway sends the events of a live stream to Kafka, and a report of each segment to an AMQP broker; its metrics
// name the client. It works on when both brokers are gone, and stops in time.
func TestEventsAndReports(t *testing.T) {
	t.Parallel()
	kafka, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"))
	if err != nil {
		t.Fatal(err)
	}
	defer kafka.Close()
	amqp := amqpbroker.New(t, "127.0.0.1:0")
	_, service := orchestrator(t)
	video, admin := livevideo.New(t), harness.Address(t)
	node, gw := gatewayAt(t, service+","+video.URI(), admin, "-monitor", "-metricsClientIP",
		"-kafkaBootstrapServers", strings.Join(kafka.ListenAddrs(), ","), "-kafkaGatewayTopic", "events",
		"-metadataQueueUri", amqp.URI(), "-liveMediaAddr", harness.Address(t),
		"-drainTimeout", "3s") // the publisher stays

	seg := segments(t, small(1))[0]
	if _, err := harness.Push(gw, "movie", "0.ts", seg.Data, seg.Duration); err != nil {
		t.Fatal(err)
	}
	node.Wait("a report", 20*time.Second, func() bool { return len(amqp.Messages()) == 1 })
	m := amqp.Messages()[0]
	if m.Exchange != "lp_golivepeer_metadata" || m.Key != "broadcaster.stream_health.transcode.m.movie" ||
		!strings.Contains(m.Body, `"success":true`) || !strings.Contains(m.Body, `"transcodeUri":"https://`+service+`"`) {
		t.Errorf("reported: %+v", m)
	}
	livevideo.Publish(t, gw+"/live/video-to-video/cam/whip?pipeline=noop&streamId=s1")
	steps := eventsOf(t, kafka.ListenAddrs(), "gateway_receive_few_processed_segments")
	for _, want := range []string{"discovery_results", "stream_trace gateway_receive_stream_request",
		"stream_trace gateway_send_first_ingest_segment", "stream_trace gateway_receive_first_processed_segment"} {
		if !strings.Contains(steps, want) {
			t.Errorf("no %s among\n%s", want, steps)
		}
	}
	_, body := harness.Get(t, "http://"+admin+"/metrics")
	client := regexp.MustCompile(`(?m)^livepeer_segment_source_emerged_total\{client_ip="127.0.0.1",manifest_id="movie",`)
	if !client.Match(body) {
		t.Error("no metric names the client")
	}

	kafka.Close()
	amqp.Stop()
	if _, err := harness.Push(gw, "movie", "1.ts", seg.Data, seg.Duration); err != nil {
		t.Errorf("without brokers: %v", err)
	}
	node.Wait("the condition", 60*time.Second, func() bool {
		return strings.Contains(node.Log(), "EventsLost")
	})
	if strings.Contains(node.Log(), "right@") {
		t.Error("the log shows the broker's password")
	}
	node.Signal(syscall.SIGTERM)
	if code := node.Exit(30 * time.Second); code != 0 {
		t.Errorf("the node ended with %d", code)
	}
}

// eventsOf are the types of all events up to a step of a stream.
func eventsOf(t *testing.T, servers []string, last string) string {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(servers...), kgo.ConsumeTopics("events"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var out strings.Builder
	for !strings.Contains(out.String(), last) {
		fetched := client.PollFetches(ctx)
		if ctx.Err() != nil {
			t.Fatalf("%s did not come: %s", last, out.String())
		}
		for _, r := range fetched.Records() {
			var e struct {
				Type string
				Data json.RawMessage
			}
			var step struct{ Type string }
			if err := json.Unmarshal(r.Value, &e); err != nil {
				t.Fatal(err)
			}
			_ = json.Unmarshal(e.Data, &step) // a list has none
			out.WriteString(e.Type + " " + step.Type + "\n")
		}
	}
	return out.String()
}
