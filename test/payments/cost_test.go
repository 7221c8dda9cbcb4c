package payments

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// TestAnswersSayWhatTheyCost: what answers name in their header and their usage is, to the wei, what the gateway's
// books were billed, for whole answers and for streams.
func TestAnswersSayWhatTheyCost(t *testing.T) {
	w := newWorld(t)
	g := w.gateways[0]
	w.orchestrators[0].proc.Wait("an answer", 60*time.Second, func() bool { return chat(g) == nil })
	before := w.spending(g)
	sum := new(big.Int)
	for i, more := range []string{"", "", `,"stream":true,"stream_options":{"include_usage":true}`, `,"stream":true`} {
		body := fmt.Appendf(nil, `{"model":%q,"max_tokens":3,"messages":[{"role":"user","content":"hi"}]%s}`, model, more)
		resp, err := harness.Client().Post("http://"+g.front+"/v1/chat/completions", "application/json",
			bytes.NewReader(body))
		w.must(err)
		text, err := io.ReadAll(resp.Body)
		w.must(err)
		_ = resp.Body.Close()
		cost, ok := new(big.Int).SetString(resp.Header.Get("X-Tutti-Cost-Wei"), 10)
		if resp.StatusCode != http.StatusOK || !ok || cost.Sign() <= 0 ||
			!strings.HasPrefix(resp.Header.Get("X-Tutti-Orchestrator"), "https://") {
			t.Fatalf("%s %v %s", resp.Status, resp.Header, text)
		}
		if said := strings.Contains(string(text), `"cost_wei":"`+cost.String()+`"`); said != (i < 3) {
			t.Errorf("request %d cost %s: %s", i+1, cost, text)
		}
		sum.Add(sum, cost)
	}
	var billed *big.Rat
	g.proc.Wait("the payments to be settled", 30*time.Second, func() bool {
		after := w.spending(g)
		billed = difference(w.T, after.Billed, before.Billed)
		return units(after) == units(before)+4*3
	})
	if billed.Cmp(new(big.Rat).SetInt(sum)) != 0 {
		t.Errorf("the answers say %s wei, the books %s", sum, billed.RatString())
	}
}
