package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// TestSeriesOfARealStream reads the exposition of an orchestrator and of a gateway that did a
// segment: what docs/monitoring.md promises for a gateway's segments is there with its labels.
func TestSeriesOfARealStream(t *testing.T) {
	t.Parallel()
	service, orchAdmin, gwAdmin := harness.Address(t), harness.Address(t), harness.Address(t)
	harness.Start(t, binary, "-orchestrator", "-transcoder", "-serviceAddr", service, "-httpAddr", service, "-cliAddr",
		orchAdmin,
		"-monitor", "-dataDir", t.TempDir()).WaitHTTP("https://" + service + "/healthz")
	p, gw := gatewayAt(t, service, gwAdmin, "-monitor", "-metricsPerStream")
	seg := segments(t, small(1))[0]
	if _, err := harness.Push(gw, "movie", "0.ts", seg.Data, seg.Duration); err != nil {
		t.Fatal(err)
	}
	var text string
	p.Wait("the segment to be counted", 10*time.Second, func() bool {
		_, body := harness.Get(t, "http://"+gwAdmin+"/metrics")
		text = string(body)
		return strings.Contains(text, "livepeer_segment_transcoded_total{")
	})
	const performer = `orchestrator_uri="https://[^"]+",orchestrator_version="[0-9.]+"`
	for _, want := range []string{
		`livepeer_segment_transcoded_unprocessed_total\{node_id="[^"]+",node_type="bctr",orchestrator_address="",` +
			performer + `,profiles="[^"]+"\} 1`,
		`livepeer_segment_transcoded_all_appeared_total\{manifest_id="movie",.*` + performer,
		`livepeer_segment_source_appeared_total\{manifest_id="movie",.*profile="source",seg_type="regular"\} 1`,
		`livepeer_segment_transcoded_total\{[^}]*trusted="trusted",verified="unverified"\} 1`,
		`livepeer_success_rate\{[^}]*\} 1`,
		`livepeer_success_rate_per_stream\{manifest_id="movie",[^}]*\} 1`,
		`livepeer_ai_orchestrators_available_total\{[^}]*\} [01]`,
	} {
		if !regexp.MustCompile(`(?m)^` + want).MatchString(text) {
			t.Errorf("no %s", want)
		}
	}
	guide, err := os.ReadFile("../../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body := harness.Get(t, "http://"+orchAdmin+"/metrics")
	if !regexp.MustCompile(`(?m)^livepeer_segment_transcoded_total\{[^}]*node_type="orch"[^}]*verified="verified"\} ` +
		`1`).Match(body) {
		t.Errorf("the orchestrator's own work is not verified:\n%s", body)
	}
	for _, name := range regexp.MustCompile(`(?m)^# TYPE livepeer_([a-z0-9_]+) `).FindAllStringSubmatch(text+string(body),
		-1) {
		if !strings.Contains(string(guide), "`"+name[1]+"`") {
			t.Errorf("livepeer_%s is not in docs/monitoring.md", name[1])
		}
	}
}
