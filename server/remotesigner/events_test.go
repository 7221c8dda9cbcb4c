package remotesigner_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/telemetry"
)

// sink takes events.
type sink struct {
	mu  sync.Mutex
	got []string
}

func (s *sink) Send(kind telemetry.EventKind, data any) {
	b, _ := json.Marshal(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, string(kind)+" "+string(b))
}

// Each payment that was signed is reported once, with what it is for and nothing that a ticket could be made of.
func TestSignedPaymentsAreReported(t *testing.T) {
	t.Parallel()
	s := &sink{}
	r := begin(t, t.TempDir(), change{events: s})
	ask := map[string]any{"orchestrator": offer(t, nil), "ManifestID": "m1", "app": "demo/echo", "type": "live"}
	first := r.ask(t, ask)
	if first.status != 200 {
		t.Fatal(first.status, first.error)
	}
	r.clock.Forward(9 * time.Second)
	ask["state"] = first.body.State
	for range 2 { // a repeated request gets the same payment
		if a := r.ask(t, ask); a.status != 200 {
			t.Fatal(a.status, a.error)
		}
	}
	r.ask(t, map[string]any{"orchestrator": offer(t, nil), "ManifestID": "m1", "state": &state{State: []byte("{}")}})
	if len(s.got) != 2 {
		t.Fatalf("%d events: %s", len(s.got), strings.Join(s.got, "\n"))
	}
	for i, want := range []map[string]any{
		{"session_status": "new", "sequence_number": 0.0, "billable_secs": 10.0},
		{"session_status": "continuing", "sequence_number": 1.0, "billable_secs": 9.0},
	} {
		text, _ := strings.CutPrefix(s.got[i], "create_signed_ticket ")
		var e map[string]any
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		for name, value := range want {
			if e[name] != value {
				t.Errorf("event %d: %s is %v, not %v", i, name, e[name], value)
			}
		}
		p := first.payment(t)
		if e["pipeline"] != "demo/echo" || e["manifest_id"] != "m1" || e["orch_url"] == "" ||
			e["orch_address"] == "" || e["num_tickets"].(float64) < 1 || e["computed_fee"] == "0" ||
			i == 0 && e["num_tickets"] != float64(len(p.Tickets)) {
			t.Errorf("event %d: %s", i, text)
		}
		names := slices.Sorted(maps.Keys(e))
		for _, secret := range []string{"sig", "Sig", "payment", "recipient_rand"} {
			if slices.Contains(names, secret) {
				t.Errorf("event %d has %s", i, secret)
			}
		}
	}
}
