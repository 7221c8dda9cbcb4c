package guides

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/collector"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// world is what all guides share: a chain, an active orchestrator on it that has a
// worker called rig7, an orchestrator off-chain that transcodes and serves a model, and
// a gateway before that one.
type world struct {
	t        *testing.T
	chain    *devnet.Chain
	etc      string
	segments []clip.Segment
	// runner is a model server; curl and modules are the real client and Node's packages.
	runner, curl, modules string
	// collector takes traces.
	collector string
	// admin, paid are the orchestrator's on the chain; service is the other's.
	admin, paid, service, gateway string
	// signer is a remote signer, whose account has no deposit.
	signer string
	// second is another orchestrator like that at service: a busy machine measures that it
	// can bear one stream and refuses the next, and two guides push one.
	second string
	// keystore has the account that nodes of the guides start with.
	keystore string
	// token is what changes at the nodes need.
	token   string
	address core.Address
}

// modelID is the model that the guides ask for.
const modelID = "meta-llama/Meta-Llama-3.1-8B-Instruct"

func newWorld(t *testing.T) *world {
	w := &world{t: t, etc: t.TempDir(), admin: harness.Address(t), paid: harness.Address(t), service: harness.Address(t),
		second: harness.Address(t), gateway: harness.Address(t), signer: harness.Address(t)}
	w.chain = devnet.Start(t, devnet.Options{BlockTime: 250 * time.Millisecond, L1BlockTime: time.Second,
		Args: []string{"-initializeRounds"}})
	w.collector = collector.Start(t).URL
	w.runner, w.token = runner(t), rand.Text()+rand.Text()+rand.Text()
	w.tools()
	w.files()
	w.cut()
	w.keystore, w.address = w.account()
	w.nodes()
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// tools finds the clients that the guides use.
func (w *world) tools() {
	curl, err := exec.LookPath("curl")
	w.must(err)
	out, err := exec.Command(filepath.Join(tree, "deploy/deps/deps.sh"), "npm",
		filepath.Join(tree, "test/openai")).Output()
	w.must(err)
	w.curl, w.modules = curl, filepath.Join(strings.TrimSpace(string(out)), "node_modules")
}

// files are what stands in /etc/tutti.
func (w *world) files() {
	models := []map[string]any{{"pipeline": "llm", "model_id": modelID, "warm": true, "price_per_unit": 0,
		"pixels_per_unit": 1000000, "url": w.runner}}
	text, err := json.Marshal(models)
	w.must(err)
	for name, content := range map[string]string{
		"passphrase": "four words are a start\n", "pool-secret": "let them in, they are ours\n", "admin-token": w.token,
		"aiModels.json": string(text),
		"tutti.conf":    "orchestrator\ntranscoder\nserviceAddr 127.0.0.1:8935\n",
	} {
		w.must(os.WriteFile(filepath.Join(w.etc, name), []byte(content), 0o600))
	}
}

// cut makes two segments.
func (w *world) cut() {
	var err error
	w.segments, err = clip.GenerateAll(w.t.Context(), clip.Options{Width: 320, Height: 180, FPSNum: 15, FPSDen: 1,
		Segments: 2, Bitrate: 300_000})
	w.must(err)
}

// account makes a key that has money.
func (w *world) account() (string, core.Address) {
	dir := filepath.Join(w.t.TempDir(), "keystore")
	e, err := account.Open(dir, devnet.KeyCost).Create(core.NewSecret("four words are a start"), rand.Reader, time.Now())
	w.must(err)
	ether, err := core.ParseEther("1")
	w.must(err)
	tokens, err := core.ParseTokens("2000")
	w.must(err)
	w.must(w.chain.Control.Fund(w.t.Context(), common.Address(e.Address), ether))
	w.must(w.chain.Control.FundLPT(w.t.Context(), common.Address(e.Address), tokens))
	return dir, e.Address
}

func (w *world) file(name string) string { return filepath.Join(w.etc, name) }

// start starts one of the shared nodes and waits until it is well.
func (w *world) start(admin string, args ...string) *harness.Process {
	w.t.Helper()
	p := harness.Start(w.t, filepath.Join(bin, "tutti"),
		append([]string{"-cliAddr", admin, "-moveFrom", "none"}, args...)...)
	p.WaitHTTP("http://" + admin + "/-/ready")
	return p
}

func (w *world) nodes() {
	chain := []string{"-network", "devnet", "-ethUrl", w.chain.URL(0), "-ethPassword", w.file("passphrase"),
		"-blockPollingInterval", "1s"}
	orch := w.start(w.admin, append(chain, "-orchestrator", "-transcoder", "-orchSecret", w.file("pool-secret"),
		"-serviceAddr", w.paid, "-httpAddr", w.paid,
		"-pricePerUnit", "1200", "-ethKeystorePath", w.keystore, "-dataDir", w.t.TempDir(), "-adminToken",
		w.file("admin-token"), "-monitor")...)
	w.start(harness.Address(w.t), "-transcoder", "-orchAddr", w.paid, "-orchSecret", w.file("pool-secret"), "-workerName",
		"rig7", "-dataDir", w.t.TempDir())
	for _, addr := range []string{w.service, w.second} {
		w.start(harness.Address(w.t), "-orchestrator", "-transcoder", "-aiWorker", "-aiModels", w.file("aiModels.json"),
			"-orchSecret", w.file("pool-secret"),
			"-serviceAddr", addr, "-httpAddr", addr, "-dataDir", w.t.TempDir())
	}
	w.start(harness.Address(w.t), "-gateway", "-orchAddr", w.service, "-httpAddr", w.gateway, "-dataDir", w.t.TempDir())
	w.start(harness.Address(w.t), append(chain, "-remoteSigner", "-httpAddr", w.signer, "-ethKeystorePath", w.keystore,
		"-dataDir", w.t.TempDir())...)
	orch.Wait("the orchestrator to be registered", time.Minute, func() bool {
		_, status := harness.Output(w.t, filepath.Join(bin, "tutti_cli"), "--url", "http://"+w.admin, "--token-file",
			w.file("admin-token"), "orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95",
			"--stake", "1000", "--service-uri", "https://"+w.paid, "--price-per-unit", "1200", "--yes", "--allow-unusual")
		return status == 0
	})
	_, err := w.chain.Control.NextRound(w.t.Context(), true)
	w.must(err)
	orch.Wait("the stake to count", time.Minute, func() bool {
		_, body := harness.Get(w.t, "https://"+w.paid+"/status")
		return strings.Contains(string(body), `"state": "active"`)
	})
	orch.Wait("the worker", time.Minute, func() bool {
		_, body := harness.Get(w.t, "http://"+w.admin+"/api/v1/workers")
		return strings.Contains(string(body), "rig7")
	})
	w.awaitModel(orch)
}

// awaitModel waits until the gateway offers the model.
func (w *world) awaitModel(p *harness.Process) {
	p.Wait("the model", time.Minute, func() bool {
		_, body := harness.Get(w.t, "http://"+w.gateway+"/v1/models")
		return strings.Contains(string(body), modelID)
	})
}

// runner is a model server that says one sentence.
func runner(t *testing.T) string {
	const usage = `"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8}`
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health",
		func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, `{"status":"ok"}`) })
	mux.HandleFunc("GET /v1/models", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw,
			`{"object":"list","data":[{"id":"`+modelID+`","object":"model","owned_by":"vllm","max_model_len":8192}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(rw http.ResponseWriter, r *http.Request) {
		var asked struct{ Stream bool }
		if json.NewDecoder(r.Body).Decode(&asked) == nil && asked.Stream {
			rw.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(rw,
				`data: {"id":"1","object":"chat.completion.chunk","created":1,`+
					`"model":"`+modelID+`","choices":[{"index":0,"delta":{"content":"Rhine, Po, Nile."},`+
					`"finish_reason":null}]}`+"\n\n"+
					`data: {"id":"1","object":"chat.completion.chunk","created":1,`+
					`"model":"`+modelID+`","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],`+usage+"}\n\ndata: [DONE]\n\n")
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw,
			`{"id":"1","object":"chat.completion","created":1,`+
				`"model":"`+modelID+`","choices":[{"index":0,"message":{"role":"assistant","content":"Rhine, Po, Nile."},`+
				`"finish_reason":"stop"}],`+usage+"}")
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}
