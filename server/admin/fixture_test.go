package admin_test

import (
	"context"
	"io"
	"log/slog"
	"math/big"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/test/coretest"
)

var (
	account = core.Address{0xaa, 19: 1}
	other   = core.Address{0xbb, 19: 2}
)

// moved are contracts of which one changed.
type moved struct{}

func (moved) TrustedContracts() (trusted, answered map[string]core.Address) {
	return map[string]core.Address{"TicketBroker": {19: 6}}, map[string]core.Address{"TicketBroker": {19: 7}}
}

func (moved) ConfirmContracts(context.Context, map[string]core.Address) error { return nil }

// station is a node on the fake chain behind the API.
type station struct {
	*node
	*admin.Server
	chain *coretest.Chain
	dir   string
	token string
	log   *lockedLog
	gas   *bounds
	table *priceTable
}

// lockedLog is a log that many write and the test reads.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.text.String() }

// bounds are the bounds on gas in memory.
type bounds struct {
	mu     sync.Mutex
	prices protocol.GasPrices
}

func (b *bounds) GasPrices(context.Context) (protocol.GasPrices, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.prices, nil
}

func (b *bounds) SetGasBounds(lowest, highest *core.Wei) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if lowest != nil {
		b.prices.Min = *lowest
	}
	if highest != nil {
		b.prices.Max = *highest
	}
	return nil
}

// signer signs with the length of what is signed.
type signer struct{}

func (signer) SignMessage(_ context.Context, m []byte) ([]byte, error) {
	return append(make([]byte, 63), byte(len(m)), 27), nil
}

func (signer) SignTypedData(_ context.Context, m []byte) ([]byte, error) {
	if m[0] != '{' {
		return nil, fault.New(fault.TypedDataInvalid, "sign", "no EIP-712 document")
	}
	return append(make([]byte, 63), byte(len(m)), 28), nil
}

// priceTable is prices by gateway.
type priceTable struct {
	mu     sync.Mutex
	prices map[core.Address]core.UnitPrice
	face   core.Wei
}

func (p *priceTable) PricePerPixel(address core.Address) (*big.Rat, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	price, ok := p.prices[address]
	if !ok {
		return nil, false
	}
	return price.WeiPerPixel()
}

func (p *priceTable) SetPrice(_ context.Context, address core.Address, price core.UnitPrice) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prices[address] = price
	return nil
}

func (p *priceTable) List() []pricing.ListedPrice {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []pricing.ListedPrice
	for address, price := range p.prices {
		wei, _ := price.WeiPerPixel()
		out = append(out, pricing.ListedPrice{Gateway: address, Price: price, Wei: wei})
	}
	return out
}

func (p *priceTable) AutoAdjust() bool { return true }

func (p *priceTable) SetMaxFaceValue(most core.Wei) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.face = most
	return nil
}

func (n *node) Node() adminapi.Node {
	return adminapi.Node{Version: "1.2.3", Roles: []string{"orchestrator"}, Network: "devnet", NetworkVersion: "0.9.1",
		Started: time.Unix(1_700_000_000, 0).UTC()}
}

func (n *node) ServiceAddress() adminapi.ServiceAddress {
	return adminapi.ServiceAddress{Advertised: "https://o.example:8935", Reachable: adminapi.ReachYes}
}

func (n *node) Endpoints() []adminapi.Endpoint {
	return []adminapi.Endpoint{{Name: "rpc.example", State: "healthy", Head: 7, LatencyMs: 1.5}}
}

// rewards is the state of a reward machine.
type rewards struct{}

func (rewards) Status() protocol.RewardStatus {
	return protocol.RewardStatus{Mode: protocol.RewardAuto, State: protocol.RewardDone, Round: 101, LastRewardRound: 101,
		Tx: protocol.TxHash{1},
		History: []protocol.PastReward{{Round: 101, Outcome: protocol.RewardCalled, Amount: core.NewLPT(5),
			Tx:   protocol.TxHash{1},
			Time: time.Unix(1_700_000_000, 0).UTC()}}}
}

// newStation makes a node on the chain whose API is open.
func newStation(t *testing.T, change func(*admin.Options)) *station {
	t.Helper()
	st := stationIn(t.TempDir(), change)
	if err := st.Open(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(st.dir, adminapi.TokenFile)); err == nil {
		st.token = strings.TrimSpace(string(text))
	}
	return st
}

// stationIn makes a node whose API is not open yet.
func stationIn(dir string, change func(*admin.Options)) *station {
	st := &station{node: &node{level: 3}, chain: coretest.NewChain(account, core.Address{}), dir: dir, log: &lockedLog{},
		gas:   &bounds{prices: protocol.GasPrices{Current: core.NewWei(10_000_000)}},
		table: &priceTable{prices: map[core.Address]core.UnitPrice{}}}
	st.Server = newServer(st.node, func(o *admin.Options) {
		o.Access = admin.Access{DataDir: st.dir}
		o.Log = slog.New(slog.NewTextHandler(st.log, nil))
		o.Node.Describe, o.Node.ServiceAddress = st.node.Node, st.node.ServiceAddress
		o.Work.Explain = explainer{}.Explain
		o.Work.ExplainRoute = func(q adminapi.RouteQuestion) (adminapi.RoutePlan, error) {
			now := time.Unix(1_700_000_000, 0).UTC()
			return adminapi.RoutePlan{Models: []adminapi.RoutedModel{{Name: "m", Model: "m", Why: "asked", Refreshed: &now,
				Orchestrators: []adminapi.RoutedOrchestrator{{Rank: 1, URI: "https://o.example:8935", Reason: "loaded",
					Says: "it is loaded", Price: "0", Missing: []string{"context"}}}}}}, nil
		}
		(&fakeProcess{}).into(o)
		o.Node.LogTail = logTail{}.Lines
		o.Market = admin.Market{Prices: st.table, SetMaxFaceValue: st.table.SetMaxFaceValue}
		c := st.chain
		o.Chain = &admin.Chain{Rounds: c, Stakes: c, Settings: c, Funds: c, Actor: c, Views: c, Gas: st.gas,
			Signer: signer{}, Endpoints: st.node.Endpoints, Contracts: moved{}, Reward: rewards{}.Status}
		if change != nil {
			change(o)
		}
	})
	return st
}

// old lets changes in as the existing node does.
func old(o *admin.Options) { o.CompatTransactions = true }

// get asks for a path.
func (st *station) get(target string) *httptest.ResponseRecorder {
	return ask(st.Server, "GET", target, "")
}

// glance asks for a path and is gone, so that a stream's answer ends.
func (st *station) glance(target string) *httptest.ResponseRecorder {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rec := httptest.NewRecorder()
	st.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:7935"+target, nil))
	return rec
}

// post changes something under version 1.
func (st *station) post(target, body string) *httptest.ResponseRecorder {
	return ask(st.Server, "POST", target, body, "Authorization", "Bearer "+st.token, "Content-Type", "application/json")
}

// form sends an old form.
func (st *station) form(target, body string) *httptest.ResponseRecorder {
	return ask(st.Server, "POST", target, body)
}

// book is the log of changes.
func (st *station) book(t *testing.T) string {
	t.Helper()
	f, err := os.Open(filepath.Join(st.dir, "admin-audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// same compares what was sent with what should have been.
func same(t *testing.T, sent []protocol.Action, want ...protocol.Action) {
	t.Helper()
	if len(sent) != len(want) || len(want) > 0 && !reflect.DeepEqual(sent, want) {
		t.Errorf("sent %#v, want %#v", sent, want)
	}
}

// errorCode is the code that an old route's line begins with.
func errorCode(line string) fault.Code {
	code, _, _ := strings.Cut(line, ":")
	return fault.Code(code)
}
