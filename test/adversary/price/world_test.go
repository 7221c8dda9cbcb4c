package price

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// bound is what an orchestrator may hold unworked by default, in gwei: -maxCreditEV.
const bound = 20_000

// world is a chain with two orchestrators and a gateway that pays. The cheat has so much
// stake that the gateway takes it first.
type world struct {
	*testing.T
	chain         *devnet.Chain
	cheat, honest *orchestrator
	dir           string
	admin, front  string
	gateway       *harness.Process
	segs          []clip.Segment
	// args are further arguments of the gateway.
	args []string
}

const passphrase = "open sesame"

func newWorld(t *testing.T, args ...string) *world {
	t.Helper()
	w := &world{T: t, args: args, chain: devnet.Start(t, devnet.Options{BlockTime: 100 * time.Millisecond,
		Args: []string{"-initializeRounds"}})}
	w.cheat, w.honest = newOrchestrator(t, 0), newOrchestrator(t, 1)
	at := w.chain.AdvanceL1(1)
	for i, o := range []*orchestrator{w.cheat, w.honest} {
		o.expires = at + 5000
		w.must(w.chain.Control.Populate(t.Context(), control.Population{
			First: uint64(i), Orchestrators: 1, Base: core.LPTTokens([]uint64{100_000, 10}[i]),
			ServiceURI: o.server.URL,
		}))
	}
	_, err := w.chain.Control.NextRound(t.Context(), true)
	w.must(err)
	w.segs = segments(t)
	w.dir, w.admin, w.front = t.TempDir(), harness.Address(t), harness.Address(t)
	w.fund()
	return w
}

// fund makes the gateway's account, starts it and fills its deposit.
func (w *world) fund() {
	w.Helper()
	w.must(os.WriteFile(filepath.Join(w.dir, "passphrase"), []byte(passphrase), 0o600))
	e, err := account.Open(filepath.Join(w.dir, "keystore"), devnet.KeyCost).Create(core.NewSecret(passphrase),
		rand.Reader, time.Now())
	w.must(err)
	ether, err := core.ParseEther("10")
	w.must(err)
	w.must(w.chain.Control.Fund(w.Context(), common.Address(e.Address), ether))
	w.start()
	w.gateway.Wait("the deposit", 30*time.Second, func() bool {
		text, status := w.cli("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
		if status != 0 {
			w.Log(text)
		}
		return status == 0
	})
	seen := regexp.MustCompile(`(?m)^livepeer_gateway_reserve(\{.*\})? [1-9]`)
	w.gateway.Wait("the gateway to see its reserve", 30*time.Second, func() bool {
		_, text := harness.Get(w.T, "http://"+w.admin+"/metrics")
		return seen.Match(text)
	})
}

func (w *world) start() {
	w.Helper()
	w.gateway = harness.Start(w.T, filepath.Join(bin, "tutti"), append([]string{"-gateway", "-network", "devnet",
		"-ethUrl", strings.Join(w.chain.Info.Endpoints, ","), "-ethPassword", filepath.Join(w.dir, "passphrase"),
		"-dataDir", w.dir,
		"-cliAddr", w.admin, "-httpAddr", w.front, "-blockPollingInterval", "1s", "-transcodingOptions",
		"P144p30fps16x9",
		"-localVerify=false", "-maxPricePerUnit", "2000", "-selectRandFreq", "0", "-selectStakeWeight", "1",
		"-selectPriceWeight", "0", "-monitor", "-v", "6"}, w.args...)...)
	w.gateway.WaitHTTP("http://" + w.admin + "/healthz")
}

// kill ends the gateway without a word and starts it again.
func (w *world) kill() {
	w.Helper()
	w.gateway.Signal(syscall.SIGKILL)
	w.gateway.Exit(30 * time.Second)
	w.start()
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) cli(words ...string) (string, int) {
	w.Helper()
	args := append([]string{"--url", "http://" + w.admin, "--token-file", filepath.Join(w.dir, "admin.token"), "--yes",
		"--no-color"}, words...)
	return harness.Output(w.T, filepath.Join(bin, "tutti_cli"), args...)
}

// push sends the n-th segment of a stream.
func (w *world) push(stream string, n int) error {
	s := w.segs[n%len(w.segs)]
	out, err := harness.Push("http://"+w.front, stream, fmt.Sprintf("%d.ts", n), s.Data, s.Duration)
	if err == nil && len(out) != 1 {
		err = fmt.Errorf("%d renditions", len(out))
	}
	return err
}

const maxTokens = 20

// ask sends a chat.
func (w *world) ask(n int) error {
	body := fmt.Appendf(nil, `{"model":%q,"max_tokens":%d,"messages":[{"role":"user","content":"%d is a number"}]}`,
		networkModel, maxTokens, n)
	resp, err := harness.Client().Post("http://"+w.front+"/v1/chat/completions", "application/json",
		bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return err
}

// conditions are those of the gateway with a code, by what they are about.
func (w *world) conditions(code string) map[string]string {
	w.Helper()
	_, text := harness.Get(w.T, "http://"+w.admin+adminapi.PathConditions)
	var got adminapi.Conditions
	w.must(json.Unmarshal(text, &got))
	out := map[string]string{}
	for _, c := range got.Conditions {
		if string(c.Code) == code {
			out[c.About] = c.Detail
		}
	}
	return out
}

// segments makes a short generated stream that costs little.
func segments(t *testing.T) []clip.Segment {
	t.Helper()
	out, err := clip.GenerateAll(t.Context(), clip.Options{Width: 256, Height: 144, FPSNum: 15, FPSDen: 1,
		Segments: 2, Bitrate: 100_000, Segment: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
