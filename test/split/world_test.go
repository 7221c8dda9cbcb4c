package split

import (
	"fmt"
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
	"github.com/tuttinode/tutti/test/netlab"
)

const (
	l1Time      = 250 * time.Millisecond
	roundLength = 400
	model       = "test/model"
	secret      = "the secret of this pool"
	// What work costs, in wei.
	pixelPrice = "9000"
	tokenPrice = "2000000000"
)

// world is an operator's machines and a gateway.
type world struct {
	*testing.T
	chain                 *devnet.Chain
	lab                   *netlab.Lab
	gateway, orchestrator *machine
	// rigs are the transcoders, ai the AI worker.
	rigs []*machine
	ai   *machine
}

// newWorld starts everything: the orchestrator is active, the gateway funded, the
// workers registered. Orchestrator and workers are far from one another as link says.
func newWorld(t *testing.T, link netlab.Link) *world {
	t.Helper()
	w := &world{T: t, chain: devnet.Start(t, devnet.Options{
		Endpoints: 2, BlockTime: l1Time, L1BlockTime: l1Time, RoundLength: roundLength, Args: []string{"-initializeRounds"},
	}), lab: netlab.New(t)}
	w.must(w.chain.Control.SetBaseFee(t.Context(), core.NewWei(50_000)))
	server, file := w.models()

	w.orchestrator = newMachine(t, w.lab, "orch")
	o := w.orchestrator
	o.onChain(w.chain)
	service := o.host.Addr.String() + ":8935"
	o.args = append(o.args, "-orchestrator", "-orchSecret", secret, "-serviceAddr", service, "-aiModels", file,
		"-aiAllowUnverified", "-pricePerUnit", pixelPrice)
	w.must(w.chain.Control.FundLPT(t.Context(), common.Address(o.account), core.LPTTokens(1000)))
	o.start()

	w.gateway = newMachine(t, w.lab, "gate", "-gateway", "-httpAddr", "127.0.0.1:9935", "-transcodingOptions",
		"P144p30fps16x9,P240p30fps16x9")
	w.gateway.onChain(w.chain)
	w.gateway.start()
	join := []string{"-orchAddr", service, "-orchSecret", secret}
	for i := range 2 {
		name := fmt.Sprintf("rig%d", i+1)
		w.rigs = append(w.rigs, newMachine(t, w.lab, name,
			append(join, "-transcoder", "-workerName", name, "-maxSessions", "8")...))
	}
	w.ai = newMachine(t, w.lab, "rig3",
		append(join, "-aiWorker", "-workerName", "rig3", "-aiModels", file, "-aiAllowUnverified")...)
	w.ai.forward(server)
	for _, m := range w.workers() {
		w.lab.Link(o.host, m.host, link)
		m.start()
	}
	w.fund()
	for _, m := range w.workers() {
		w.registered(m)
	}
	w.known()
	return w
}

func (w *world) workers() []*machine { return append(append([]*machine{}, w.rigs...), w.ai) }

// fund makes orchestrator and gateway known on the chain.
func (w *world) fund() {
	w.Helper()
	var wg sync.WaitGroup
	wg.Go(func() {
		w.orchestrator.cli("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
			"--service-uri", "https://"+w.orchestrator.host.Addr.String()+":8935", "--price-per-unit", pixelPrice)
	})
	wg.Go(func() { w.gateway.cli("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH") })
	wg.Wait()
	_, err := w.chain.Control.NextRound(w.Context(), true)
	w.must(err)
}

// registered waits until the orchestrator has the machine and gives it work.
func (w *world) registered(m *machine) {
	w.Helper()
	w.orchestrator.proc.Wait(m.name+" to be registered", 30*time.Second, func() bool {
		one := w.orchestrator.worker(m.name)
		return one != nil && one.State == "ready"
	})
}

// known waits until the gateway has found the orchestrator and both jobs are served: a
// node that has just become active is not known at once.
func (w *world) known() {
	w.Helper()
	first := segments(w.T, 1)[0]
	w.gateway.proc.Wait("the first jobs", 60*time.Second, func() bool {
		_, video := push(w.gateway, "first", 0, first)
		_, chat := ask(w.gateway)
		return video == nil && chat == nil
	})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// models is a small server with one model, and a models file that names it.
func (w *world) models() (server, file string) {
	w.Helper()
	s := httptest.NewServer(http.HandlerFunc(counting))
	w.Cleanup(s.Close)
	path := filepath.Join(w.TempDir(), "aiModels.json")
	w.must(os.WriteFile(path, fmt.Appendf(nil,
		`[{"pipeline":"llm","model_id":%q,"warm":true,"price_per_unit":%s,"pixels_per_unit":1,"url":%q,"capacity":16}]`,
		model, tokenPrice, s.URL), 0o600))
	return s.URL, path
}

// words is how many a streamed answer has.
const words = 30

// counting is an OpenAI-compatible server whose model counts, a word in 20 ms.
func counting(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/models":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model"}]}`, model)
	case "/v1/chat/completions":
		w.Header().Set("Content-Type", "text/event-stream")
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for n := range words {
			finish := "null"
			if n == words-1 {
				finish = `"stop"`
			}
			fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":%q,"+
				"\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%d \"},\"finish_reason\":%s}]}\n\n", model, n, finish)
			w.(http.Flusher).Flush()
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	default:
		w.WriteHeader(http.StatusOK)
	}
}
