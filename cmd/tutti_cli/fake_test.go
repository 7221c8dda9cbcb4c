package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

const fakeToken = "the-admin-token"

var (
	fakeNow            = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	self               = core.Address{19: 1}
	other              = core.Address{19: 2}
	secondOrchestrator = core.Address{19: 3}
)

// fakeNode is a node's admin API over a chain of a few fields.
type fakeNode struct {
	t   *testing.T
	url string

	mu           sync.Mutex
	node         adminapi.Node
	conditions   []adminapi.Condition
	chain        adminapi.Chain
	balances     adminapi.Balances
	orchestrator adminapi.Orchestrator
	delegator    adminapi.Delegator
	pool         []adminapi.Orchestrator
	locks        []adminapi.UnbondingLock
	sender       adminapi.Sender
	gas          adminapi.Gas
	reward       adminapi.Reward
	address      adminapi.ServiceAddress
	settings     adminapi.Settings
	price        string
	txs          []adminapi.Transaction
	// refuse makes a verb fail with this error, dry runs included; fails makes its
	// transaction end so.
	refuse map[string]adminapi.Error
	fails  map[string]string
	// hold keeps transactions submitted.
	hold bool
	// stall is called when a transaction is on its way, and the answer waits until
	// the client is gone.
	stall func()
	// free: the price can only be 0, as on a node that cannot be paid.
	free bool
	// abort makes a step's answer break off once its transaction is sent; away is
	// how many looks at the transactions break off.
	abort bool
	away  int
	// leaving is how often the node's identity gets no answer after an upgrade.
	leaving int
	// onLook is called with the transactions before they are returned.
	onLook func([]adminapi.Transaction)
	// broken is a path that fails.
	broken string
	// ticketState is the state of the ticket that is looked at, failed where empty.
	ticketState string
	// looked are the looks at tickets and money.
	looked []string
	// asked are the changes that were asked for, "POST path?query body".
	asked []string
}

// newFake is an orchestrator's node whose account has means and no stake.
func newFake(t *testing.T) *fakeNode {
	t.Helper()
	f := &fakeNode{t: t, refuse: map[string]adminapi.Error{}, fails: map[string]string{}}
	f.node = adminapi.Node{Version: "1.2.3", Roles: []string{"orchestrator", "transcoder"},
		Network: "arbitrum-one-mainnet", ChainID: 42161, Account: &self, Orchestrator: &self, NetworkVersion: "0.9.1",
		Started: fakeNow}
	f.chain = adminapi.Chain{Known: true, Head: adminapi.Head{Number: 1000, L1: 500, Time: fakeNow},
		Round: adminapi.Round{Number: 7, Initialized: true, Start: 400, Length: 200, LockLength: 20, LastInitialized: 7,
			End: 600, LocksAt: 580},
		Endpoints: []adminapi.Endpoint{{Name: "rpc.example.com", State: "good", Head: 1000, LatencyMs: 12}},
		Contracts: map[string]core.Address{"BondingManager": other}, PoolSize: 2}
	f.balances = adminapi.Balances{Ether: core.NewWei(2_000_000_000_000_000_000), Token: core.LPTTokens(5000)}
	f.orchestrator = adminapi.Orchestrator{Address: self, Status: adminapi.NotRegistered,
		State: adminapi.StateUnregistered}
	f.delegator = adminapi.Delegator{Address: self, Status: "Unbonded"}
	f.pool = []adminapi.Orchestrator{
		{Address: other, ServiceURI: "https://first.example.com:8935", RewardCut: 100_000, FeeCut: 50_000, FeeShare: 950_000,
			DelegatedStake: core.LPTTokens(20_000), Active: true, Registered: true, Status: adminapi.Registered,
			State: adminapi.StateActive, PricePerPixel: "1200"},
		{Address: secondOrchestrator, ServiceURI: "https://second.example.com:8935", RewardCut: 125_000, FeeCut: 1_000_000,
			DelegatedStake: core.LPTTokens(10), Active: true, Registered: true, Status: adminapi.Registered,
			State: adminapi.StateActive},
	}
	f.sender = adminapi.Sender{Status: adminapi.SenderEmpty, UnlockPeriod: 3}
	f.gas = adminapi.Gas{Current: core.NewWei(100_000_000)}
	f.reward = adminapi.Reward{Mode: "auto", State: "idle", Round: 7, LastRewardRound: 6,
		History: []adminapi.RewardCall{{Round: 6, Amount: core.LPTTokens(12), Time: fakeNow, Outcome: "done"}}}
	f.address = adminapi.ServiceAddress{Advertised: "node.example.com:8935", Reachable: adminapi.ReachYes}
	f.settings = adminapi.Settings{MaxSessions: "10", LogLevel: 3}
	s := httptest.NewServer(f.routes())
	t.Cleanup(s.Close)
	f.url = s.URL
	return f
}

// with changes the fake's state.
func (f *fakeNode) with(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fakeNode) requests() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.asked, "\n")
}

func (f *fakeNode) routes() http.Handler {
	mux := http.NewServeMux()
	get := func(path string, answer func() any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.away > 0 && path == adminapi.PathTransactions {
				f.away--
				panic(http.ErrAbortHandler)
			}
			if f.broken == path {
				f.refused(w, http.StatusServiceUnavailable,
					adminapi.Error{Code: "ChainNotReady", Message: "no endpoint answered", Remedy: "wait"})
				return
			}
			if f.leaving > 0 && path == adminapi.PathNode {
				f.leaving--
				panic(http.ErrAbortHandler)
			}
			f.answer(w, answer())
		})
	}
	get(adminapi.PathNode, func() any { return f.node })
	get(adminapi.PathConditions, func() any { return adminapi.Conditions{Conditions: f.conditions} })
	get(adminapi.PathChain, func() any { return f.chain })
	get(adminapi.PathParameters, func() any {
		return adminapi.Parameters{PoolMaxSize: 100, PoolSize: 2, RoundLength: 200, RoundLockAmount: 100_000,
			UnbondingPeriod: 7, UnlockPeriod: 3, TicketValidity: 2,
			Inflation: 1_234_500, InflationChange: 500, TargetBondingRate: 500_000_000, TotalBonded: core.LPTTokens(1),
			TotalSupply: core.LPTTokens(3), MintableTokens: core.LPTTokens(9), MintedTokens: core.NewLPT(5),
			TreasuryCut: 100_000_000, NextTreasuryCut: 50_000_000}
	})
	get(adminapi.PathOrchestrator, func() any { return f.orchestrator })
	get(adminapi.PathOrchestrators, func() any { return adminapi.Orchestrators{Orchestrators: f.pool} })
	get(adminapi.PathDelegator, func() any { return f.delegator })
	get(adminapi.PathUnbondingLocks,
		func() any { return adminapi.UnbondingLocks{Locks: append([]adminapi.UnbondingLock{}, f.locks...)} })
	get(adminapi.PathBalances, func() any { return f.balances })
	get(adminapi.PathSender, func() any { return f.sender })
	get(adminapi.PathGas, func() any { return f.gas })
	get(adminapi.PathReward, func() any { return f.reward })
	get(adminapi.PathServiceAddress, func() any { return f.address })
	get(adminapi.PathSettings, func() any { return f.settings })
	get(adminapi.PathTransactions, func() any {
		if f.onLook != nil {
			f.onLook(f.txs)
		}
		return adminapi.Transactions{Transactions: append([]adminapi.Transaction{}, f.txs...)}
	})
	f.changes(mux)
	return mux
}

// changes are the paths that need the token.
func (f *fakeNode) changes(mux *http.ServeMux) {
	post := func(path string, do func(w http.ResponseWriter, r *http.Request, body []byte)) {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			f.mu.Lock()
			defer f.mu.Unlock()
			var body json.RawMessage
			if strings.HasPrefix(path, adminapi.Prefix) {
				if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
					f.t.Error(err)
				}
			} else {
				_ = r.ParseForm()
				body = json.RawMessage(r.PostForm.Encode())
			}
			if r.URL.Query().Get(adminapi.QueryDryRun) == "" {
				f.asked = append(f.asked, "POST "+r.URL.RequestURI()+" "+string(body))
			}
			if r.Header.Get("Authorization") != "Bearer "+fakeToken {
				f.refused(w, http.StatusUnauthorized,
					adminapi.Error{Code: "AdminTokenRefused", Message: "another token", Remedy: "give the right one"})
				return
			}
			do(w, r, body)
		})
	}
	post(adminapi.PathAction, f.action)
	post(adminapi.PathActivate, f.activate)
	post(adminapi.PathConfig, f.activate)
	post(adminapi.PathGas, func(w http.ResponseWriter, _ *http.Request, body []byte) {
		var change adminapi.GasChange
		f.read(body, &change)
		if change.Min != nil {
			f.gas.Min = *change.Min
		}
		if change.Max != nil {
			f.gas.Max = *change.Max
		}
		f.answer(w, f.gas)
	})
	post(adminapi.PathSettings, func(w http.ResponseWriter, _ *http.Request, body []byte) {
		var change adminapi.SettingsChange
		f.read(body, &change)
		f.settings.MaxSessions = *change.MaxSessions
		f.answer(w, f.settings)
	})
	post(adminapi.PathSign, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		f.answer(w, adminapi.Signature{Signature: "0x" + strings.Repeat("ab", 65), Address: self})
	})
	f.books(mux, post)
	for _, path := range []string{"/setMaxFaceValue", "/setPriceForBroadcaster", "/setBroadcastConfig",
		"/setMaxPriceForCapability"} {
		post(path, func(w http.ResponseWriter, _ *http.Request, body []byte) { fmt.Fprintf(w, "set %s\n", body) })
	}
}

func (f *fakeNode) read(body []byte, into any) {
	if err := json.Unmarshal(body, into); err != nil {
		f.t.Errorf("%s: %v", body, err)
	}
}

func (f *fakeNode) answer(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		f.t.Error(err)
	}
}

func (f *fakeNode) refused(w http.ResponseWriter, status int, e adminapi.Error) {
	w.WriteHeader(status)
	f.answer(w, adminapi.ErrorBody{Error: e})
}

func (f *fakeNode) estimate(name, about string) *adminapi.Estimate {
	return &adminapi.Estimate{Verb: name, About: about, Gas: 350_000, Price: f.gas.Current,
		Fee: core.NewWei(35_000_000_000_000), Need: core.NewWei(35_000_000_000_000)}
}

func (f *fakeNode) action(w http.ResponseWriter, r *http.Request, body []byte) {
	name := r.PathValue("verb")
	if e, ok := f.refuse[name]; ok {
		f.refused(w, http.StatusConflict, e)
		return
	}
	about := name + " " + string(body)
	if r.URL.Query().Get(adminapi.QueryDryRun) == "true" {
		f.answer(w, adminapi.ActionResult{Estimate: f.estimate(name, about)})
		return
	}
	t := f.send(name, about)
	f.wait(r)
	if t.State == protocol.TxMined {
		f.apply(name, body)
	}
	f.answer(w, adminapi.ActionResult{Transaction: &t})
}

// send makes a transaction that is mined at once, unless it is to be held or to
// fail.
func (f *fakeNode) send(name, about string) adminapi.Transaction {
	n := len(f.txs) + 1
	t := adminapi.Transaction{ID: uint64(n), Verb: name, About: about, State: protocol.TxMined,
		Hash: protocol.TxHash{31: byte(n)}, Nonce: uint64(n), Block: 1001, Gas: 300_000,
		Fee: core.NewWei(30_000_000_000_000), Sent: time.Now(), Updated: fakeNow}
	if reason, ok := f.fails[name]; ok {
		t.State, t.Reason = protocol.TxFailed, reason
	} else if f.hold {
		t.State, t.Block, t.Fee = protocol.TxSubmitted, 0, core.Wei{}
	}
	f.txs = append([]adminapi.Transaction{t}, f.txs...)
	return t
}

// wait holds an answer back while others look at the node.
func (f *fakeNode) wait(r *http.Request) {
	if f.stall == nil {
		return
	}
	f.stall()
	f.mu.Unlock()
	defer f.mu.Lock()
	<-r.Context().Done()
}

// apply is what an action changes.
func (f *fakeNode) apply(name string, body []byte) {
	switch name {
	case adminapi.VerbUnbond:
		var b adminapi.Tokens
		f.read(body, &b)
		f.delegator.PendingStake = f.delegator.PendingStake.Sub(b.Amount)
		f.locks = append(f.locks, adminapi.UnbondingLock{ID: protocol.LockID(len(f.locks)), Amount: b.Amount,
			WithdrawRound: 14})
	case adminapi.VerbBond:
		var b adminapi.TokensTo
		f.read(body, &b)
		f.bond(b.Amount, b.To)
	case adminapi.VerbSetServiceURI:
		var b adminapi.ServiceURI
		f.read(body, &b)
		f.orchestrator.ServiceURI = b.URI
	}
}

func (f *fakeNode) bond(amount core.LPT, to core.Address) {
	f.balances.Token = f.balances.Token.Sub(amount)
	f.delegator.PendingStake = f.delegator.PendingStake.Add(amount)
	f.delegator.Delegate, f.delegator.Status = &to, "Bonded"
	if to == self {
		f.orchestrator.Registered, f.orchestrator.Status, f.orchestrator.State = true, adminapi.Registered,
			adminapi.StateWaiting
	}
}
