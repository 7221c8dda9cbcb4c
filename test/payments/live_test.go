package payments

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/livepayer"
)

// liveWorld is a chain, an orchestrator with a live runner, and an account with a deposit that pays.
type liveWorld struct {
	*world
	orch  *party
	payer *livepayer.Payer
}

// newLiveWorld starts everything.
func newLiveWorld(t *testing.T) *liveWorld {
	t.Helper()
	w := &liveWorld{world: &world{T: t, chain: devnet.Start(t, devnet.Options{
		BlockTime: l1Time, L1BlockTime: time.Second, RoundLength: roundLength, Args: []string{"-initializeRounds"},
	})}}
	w.must(w.chain.Control.SetBaseFee(t.Context(), baseFee))
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.Path)
	}))
	t.Cleanup(app.Close)
	file := filepath.Join(t.TempDir(), "runners.json")
	w.must(os.WriteFile(file, fmt.Appendf(nil, `{"runners":[{"label":"hour","routing":"label","app":"demo/hour",
		"price_info":{"price":1.5},"runner_url":%q,"health_url":"/health"}]}`, app.URL), 0o600))
	w.orch = newParty(t, w.chain, "orchestrator")
	w.must(w.chain.Control.FundLPT(t.Context(), common.Address(w.orch.account), core.LPTTokens(1000)))
	w.orch.args = append(w.orch.args, "-orchestrator", "-serviceAddr", w.orch.front, "-httpAddr", w.orch.front,
		"-liveRunnerConfig", file, "-livePaymentInterval", "1s", "-ticketEV", "100000000000", "-pricePerUnit", pixelPrice)
	w.orch.start()
	gateway := newParty(t, w.chain, "gateway")
	gateway.args = append(gateway.args, "-gateway", "-httpAddr", gateway.front)
	gateway.start()
	w.orch.cli("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
		"--service-uri", "https://"+w.orch.front, "--price-per-unit", pixelPrice)
	gateway.cli("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	_, err := w.chain.Control.NextRound(t.Context(), true)
	w.must(err)
	w.orch.proc.Wait("the orchestrator to be active", time.Minute, func() bool {
		_, body := harness.Get(t, "https://"+w.orch.front+"/status")
		return strings.Contains(string(body), `"state": "active"`)
	})
	gateway.stop(false)
	store := account.Open(filepath.Join(gateway.dir, "keystore"), devnet.KeyCost)
	entries, err := store.List()
	w.must(err)
	signer, err := store.Unlock(entries[0], core.NewSecret(passphrase))
	w.must(err)
	w.payer = &livepayer.Payer{Account: gateway.account, Sign: signer.SignMessage}
	return w
}

// call sends a request to the orchestrator.
func (w *liveWorld) call(method, path, body string, headers http.Header) (int, string) {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, "https://"+w.orch.front+path, strings.NewReader(body))
	w.must(err)
	if headers != nil {
		r.Header = headers
	}
	res, err := harness.Client().Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	w.must(err)
	return res.StatusCode, string(data)
}

// liveChallenge is what a 402 says.
type liveChallenge struct {
	Params   string          `json:"payment_params"`
	Manifest core.ManifestID `json:"manifest_id"`
}

// challenge asks what to pay until the node can say: it has to know the round and the rate.
func (w *liveWorld) challenge() (liveChallenge, *livepayer.Session) {
	w.Helper()
	var c liveChallenge
	w.orch.proc.Wait("a challenge", 60*time.Second, func() bool {
		status, text := w.call("POST", "/apps/hour/session", "",
			http.Header{"Livepeer-Payer-Address": {w.payer.Account.String()}})
		return status == http.StatusPaymentRequired && json.Unmarshal([]byte(text), &c) == nil
	})
	s, err := w.payer.Open(c.Params, c.Manifest)
	w.must(err)
	return c, s
}

// pay sends a payment for so many seconds.
func (w *liveWorld) pay(s *livepayer.Session, path string, seconds int64) (int, string) {
	w.Helper()
	h, err := s.Pay(seconds)
	w.must(err)
	return w.call("POST", path, "", h)
}

// TestLiveSessionsArePaid: a session of a live runner on a real chain is charged by the second, goes on as long as
// it is paid, keeps its credit over a kill, and ends when that is used up. Then the orchestrator's books are the
// payer's, to the wei.
func TestLiveSessionsArePaid(t *testing.T) {
	t.Parallel()
	w := newLiveWorld(t)
	c, s := w.challenge()
	at := "/apps/hour/session/" + string(c.Manifest)
	if status, text := w.pay(s, "/apps/hour/session", 10); status != http.StatusOK {
		t.Fatal(status, text)
	}
	if status, text := w.call("GET", at+"/app/x", "", nil); status != http.StatusOK || text != "/x" {
		t.Fatal(status, text)
	}
	if status, text := w.pay(s, at+"/payment", 5); status != http.StatusOK {
		t.Fatal(status, text)
	} else if err := s.Answered([]byte(text)); err != nil {
		t.Error(err)
	}
	begun := time.Now()
	w.orch.proc.Wait("seconds to be charged", 30*time.Second, func() bool { return time.Since(begun) > 3*time.Second })

	w.orch.restart(true)
	if status, text := w.call("GET", at+"/app/x", "", nil); status != http.StatusNotFound {
		t.Error(status, text)
	}
	w.orch.proc.Wait("the session to begin again with its credit", 60*time.Second, func() bool {
		status, text := w.pay(s, "/apps/hour/session", 0)
		if status != http.StatusOK {
			t.Log(status, text)
		}
		return status == http.StatusOK
	})
	status, text := w.call("POST", "/refresh-payment",
		fmt.Sprintf(`{"sender":%q,"manifest_id":%q}`, w.payer.Account, c.Manifest), nil)
	var again liveChallenge
	if err := json.Unmarshal([]byte(text), &again); err != nil || status != http.StatusOK {
		t.Fatal(status, text)
	}
	w.must(s.Refresh(again.Params))
	if status, text := w.pay(s, at+"/payment", 3); status != http.StatusOK {
		t.Error(status, text)
	}
	w.orch.proc.Wait("the end of what was paid", 60*time.Second, func() bool {
		status, _ := w.call("GET", at+"/app/x", "", nil)
		return status == http.StatusNotFound
	})
	w.orch.stop(false)
	w.liveBooks(s)
}

// liveBooks holds the orchestrator's books against what the payer sent.
func (w *liveWorld) liveBooks(s *livepayer.Session) {
	w.Helper()
	if text, status := harness.Output(w.T, filepath.Join(bin, "tutti"), "ledger", "verify", "-dataDir",
		w.orch.dir); status != 0 {
		w.Errorf("tutti ledger verify: %d\n%s", status, text)
	}
	b := newBooks()
	w.readLedger(b, w.orch)
	if b.received.Cmp(s.Paid()) != 0 {
		w.Errorf("the payer paid %s wei, the orchestrator has %s", s.Paid(), b.received)
	}
	units := b.billedBy.Rat()
	units.Quo(units, s.Price().Rat())
	left := b.received.Sub(b.billedBy)
	if !units.IsInt() || left.Sign() < 0 || left.Cmp(s.Price().Of(1)) >= 0 {
		w.Errorf("%s of %s seconds were charged, %s wei are left", units.RatString(), b.received, left)
	}
	w.Logf("%s seconds at %s wei, %s wei left of %s", units.RatString(), s.Price(), left, b.received)
}
