package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	network "github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// gatewayService admits one account, at a price of its own.
type gatewayService struct {
	mu       sync.Mutex
	admitted core.Address
	asked    map[string]int
}

func (s *gatewayService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ ID string }
	_ = json.NewDecoder(r.Body).Decode(&in) // "" is admitted nowhere
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[in.ID]++
	if in.ID != s.admitted.String() {
		http.Error(w, "not on the list", http.StatusForbidden)
		return
	}
	fmt.Fprint(w, `{"priceInfo":{"pricePerUnit":777,"pixelsPerUnit":2}}`)
}

func (s *gatewayService) questions(a core.Address) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[a.String()]
}

// An orchestrator with -authWebhookUrl makes offers to the gateway that the service admits, at the service's price, and
// to no other one.
func TestAServiceAdmitsGateways(t *testing.T) {
	cli, err := harness.BuildTool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const l1 = 250 * time.Millisecond
	chain := devnet.Start(t, devnet.Options{BlockTime: l1, L1BlockTime: l1, RoundLength: 900,
		Args: []string{"-initializeRounds"}})
	service := &gatewayService{asked: make(map[string]int)}
	hooks := httptest.NewServer(service)
	t.Cleanup(hooks.Close)
	o := newMember(t, chain, cli, "-orchestrator", "-transcoder", "-pricePerUnit", "1000", "-autoAdjustPrice=false",
		"-authWebhookUrl", hooks.URL)
	o.args = append(o.args, "-serviceAddr", o.front)
	friend := newMember(t, chain, cli, "-gateway", "-orchAddr", o.front)
	other := newMember(t, chain, cli, "-gateway", "-orchAddr", o.front)
	service.admitted = friend.account
	if err := chain.Control.FundLPT(t.Context(), common.Address(o.account), core.LPTTokens(1000)); err != nil {
		t.Fatal(err)
	}
	o.start()
	o.run("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000", "--service-uri",
		"https://"+o.front, "--price-per-unit", "1000")
	for _, g := range []*member{friend, other} {
		g.start()
		g.run("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	}
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	o.awaitActive()
	offers := func(g *member) []network.NetworkOrchestrator {
		return fetched[network.NetworkCapabilities](t, g.admin, "/getNetworkCapabilities").Orchestrators
	}
	friend.Wait("an offer", 90*time.Second, func() bool { return len(offers(friend)) == 1 })
	if p := offers(friend)[0].PriceInfo; 2*p.GetPricePerUnit() != 777*p.GetPixelsPerUnit() {
		t.Errorf("the price is %v", p)
	}
	other.Wait("a question about the other gateway", time.Minute, func() bool {
		return len(offers(other)) == 0 && service.questions(other.account) > 0
	})
	if n := service.questions(friend.account); n != 1 {
		t.Errorf("the admitted gateway was asked about %d times", n)
	}
}

// While the service fails, no gateway gets an offer, and the orchestrator says why; when it is back, work is.
func TestAServiceThatFails(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	hooks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if down.Load() {
			http.Error(w, "no database", http.StatusInternalServerError)
		}
	}))
	t.Cleanup(hooks.Close)
	down.Store(true)
	admin := harness.Address(t)
	o, addr := orchestrator(t, "-authWebhookUrl", hooks.URL+"/?key=secret-word", "-cliAddr", admin)
	_, gw := gateway(t, addr)
	segs := segments(t, small(1))
	if _, err := harness.Push(gw, "movie", "0.ts", segs[0].Data, segs[0].Duration); err == nil {
		t.Fatal("a segment was transcoded")
	}
	if got := gatewayConditions(t, admin)["GatewayHookFailed"]; !strings.Contains(got, "500") {
		t.Errorf("the conditions are %v", gatewayConditions(t, admin))
	}
	down.Store(false)
	number := 1
	o.Wait("work", time.Minute, func() bool {
		number++
		_, err := harness.Push(gw, "movie", fmt.Sprintf("%d.ts", number), segs[0].Data, segs[0].Duration)
		return err == nil
	})
	if all := gatewayConditions(t, admin); all["GatewayHookFailed"] != "" {
		t.Errorf("the conditions are %v", all)
	}
	if strings.Contains(o.Log(), "secret-word") {
		t.Error("the service's address is in the log")
	}
	explained(t, fault.GatewayHookFailed)
}
