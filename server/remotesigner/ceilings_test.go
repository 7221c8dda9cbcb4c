package remotesigner_test

import (
	"math/big"
	"net/http"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
)

// A session is paid at the price with which it began: a ceiling that is lower by now refuses that price, also where the
// orchestrator's own price is below the ceiling.
func TestLoweredCeilings(t *testing.T) {
	t.Parallel()
	most := func(price int) map[string]any {
		return map[string]any{"price": price, "currency": "wei", "unit": "720p-pixel-seconds"}
	}
	h := newHook(t)
	h.says(`{"status":200}`)
	r := begin(t, t.TempDir(), change{webhook: h.URL, header: http.Header{"X-Key": {"hush"}}})
	first := r.ask(t, video(t, 4_000))
	if first.status != 200 {
		t.Fatalf("%d %s", first.status, first.error)
	}
	r.clock.Forward(10 * time.Second)
	for _, c := range []struct {
		what, webhook string
		own           any
		error         string
	}{
		{"the caller's", `{"status":200}`, most(2_500),
			"orchestrator price 4000.000 exceeds request maxPrice ceiling 2500.000"},
		{"the webhook's", `{"status":200,"maxPrice":{"price":2500,"currency":"wei","unit":"720p-pixel-seconds"}}`, nil,
			"orchestrator price 4000.000 exceeds webhook maxPrice ceiling 2500.000"},
	} {
		h.says(c.webhook)
		fields := video(t, 2_000)
		fields["state"] = first.body.State
		if c.own != nil {
			fields["maxPrice"] = c.own
		}
		if a := r.ask(t, fields); a.status != 481 || a.error != c.error {
			t.Errorf("%s: %d %s", c.what, a.status, a.error)
		}
	}
}

// A caller that names no model, or one without a limit, is bounded by the highest of the operator's limits.
func TestUnnamedModels(t *testing.T) {
	t.Parallel()
	r := begin(t, t.TempDir(), change{caps: caps{highest: big.NewRat(100, 1)}})
	named, err := proto.Marshal(rpc.FromCapabilities(capability.Capabilities{Constraints: capability.Constraints{
		PerCapability: map[capability.ID]capability.Models{capability.LLM: {"m": {}}}}}))
	if err != nil {
		t.Fatal(err)
	}
	for what, capabilities := range map[string][]byte{"none": nil, "one without a limit": named} {
		fields := video(t, 101)
		fields["capabilities"] = capabilities
		if a := r.ask(t, fields); a.status != 481 ||
			a.error != "orchestrator price 101.000 exceeds signer maximum price ceiling 100.000" {
			t.Errorf("%s: %d %s", what, a.status, a.error)
		}
	}
}
