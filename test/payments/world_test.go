package payments

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/devnet"
)

// world is a chain, two orchestrators and two gateways.
type world struct {
	*testing.T
	chain         *devnet.Chain
	orchestrators []*party
	gateways      []*party
}

const (
	// l1Time is how fast the chain's clock goes: 120 times as fast as Ethereum's.
	l1Time      = 100 * time.Millisecond
	roundLength = 300
	model       = "test/model"
	// What work costs, in wei: a segment of the test about 60 gwei, an answer 40.
	pixelPrice = "9000"
	tokenPrice = "2000000000"
)

// baseFee makes a redemption cost 17.5 gwei; a ticket pays a hundred times that, and
// one in 220 wins.
var baseFee = core.NewWei(50_000)

// newWorld starts everything, all nodes with these arguments; the orchestrators are active, the gateways funded.
func newWorld(t *testing.T, args ...string) *world {
	t.Helper()
	return newWorldWith(t, "", args...)
}

// newWorldWith is newWorld with a models file, "" for one with one model.
func newWorldWith(t *testing.T, models string, args ...string) *world {
	t.Helper()
	w := &world{T: t, chain: devnet.Start(t, devnet.Options{
		Endpoints: 3, BlockTime: l1Time, L1BlockTime: l1Time, RoundLength: roundLength, Args: []string{"-initializeRounds"},
	})}
	w.must(w.chain.Control.SetBaseFee(t.Context(), baseFee))
	if models == "" {
		models = w.models()
	}
	var wg sync.WaitGroup
	for i := range 2 {
		o := newParty(t, w.chain, fmt.Sprintf("orchestrator %d", i+1))
		w.must(w.chain.Control.FundLPT(t.Context(), common.Address(o.account), core.LPTTokens(1000)))
		o.args = append(append(o.args, args...), "-orchestrator", "-transcoder", "-aiWorker", "-aiModels", models,
			"-aiAllowUnverified", "-serviceAddr", o.front, "-httpAddr", o.front, "-pricePerUnit", pixelPrice,
			"-maxSessions", "64")
		o.start()
		w.orchestrators = append(w.orchestrators, o)
		g := newParty(t, w.chain, fmt.Sprintf("gateway %d", i+1))
		g.args = append(append(g.args, args...), "-gateway", "-httpAddr", g.front, "-transcodingOptions",
			"P144p30fps16x9,P240p30fps16x9")
		g.start()
		w.gateways = append(w.gateways, g)
	}
	for i, o := range w.orchestrators {
		wg.Go(func() {
			o.cli("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
				"--service-uri", "https://"+o.front, "--price-per-unit", pixelPrice)
		})
		wg.Go(func() { w.gateways[i].cli("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH") })
	}
	wg.Wait()
	_, err := w.chain.Control.NextRound(t.Context(), true)
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) parties() []*party {
	return append(append([]*party{}, w.orchestrators...), w.gateways...)
}

// models is a models file with one model, which a small server answers for.
func (w *world) models() string {
	w.Helper()
	server := httptest.NewServer(http.HandlerFunc(counting))
	w.Cleanup(server.Close)
	path := filepath.Join(w.TempDir(), "aiModels.json")
	w.must(os.WriteFile(path, fmt.Appendf(nil,
		`[{"pipeline":"llm","model_id":%q,"warm":true,"price_per_unit":%s,"pixels_per_unit":1,"url":%q,"capacity":256}]`,
		model, tokenPrice, server.URL), 0o600))
	return path
}

// counting is an OpenAI-compatible server whose model says the same to everybody.
func counting(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/v1/models":
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model"}]}`, model)
	case "/v1/chat/completions":
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("slowly")) {
			pause(r.Context(), 200*time.Millisecond)
		}
		if bytes.Contains(body, []byte(`"stream":true`)) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, `data: {"model":%q,"choices":[{"index":0,"delta":{"content":"one"},"finish_reason":"stop"}]}`+"\n\n"+
				`data: {"model":%q,"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":3,"total_tokens":6}}`+"\n\n"+
				"data: [DONE]\n\n", model, model)
			return
		}
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,`+
			`"finish_reason":"stop","message":{"role":"assistant","content":"one two three"}}],"usage":{"prompt_tokens":3,`+
			`"completion_tokens":3,"total_tokens":6}}`, model)
	default:
		w.WriteHeader(http.StatusOK)
	}
}
