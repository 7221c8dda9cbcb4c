package admin_test

import (
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"encoding/json"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/admin"
)

// tool asks the node as the existing command-line tool does: plain GET and form
// POST over a socket, JSON into its own structs, text as it comes. Where the tool
// would show an error, err keeps it.
type tool struct {
	client *http.Client
	base   string
	err    error
}

func (c *tool) read(res *http.Response, err error) []byte {
	if err != nil {
		c.fail(err)
		return nil
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode < 200 || res.StatusCode >= 300 {
		c.fail(fmt.Errorf("%s: %d %q %v", res.Request.URL.Path, res.StatusCode, body, err))
	}
	return body
}

func (c *tool) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *tool) get(path string) string { return string(c.read(c.client.Get(c.base + path))) }

func (c *tool) post(path string, pairs ...string) string {
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return string(c.read(c.client.PostForm(c.base+path, form)))
}

func (c *tool) json(path string, into any) {
	if err := json.Unmarshal([]byte(c.get(path)), into); err != nil {
		c.fail(fmt.Errorf("%s: %w", path, err))
	}
}

// number reads a decimal text.
func (c *tool) number(path string) *big.Int {
	text := c.get(path)
	n, ok := new(big.Int).SetString(text, 10)
	if !ok {
		c.fail(fmt.Errorf("%s: %q is no number", path, text))
		return new(big.Int)
	}
	return n
}

// What the tool reads of the JSON answers.
type (
	toolDelegator struct {
		Address, DelegateAddress, Status string
		BondedAmount, Fees, DelegatedAmount, StartRound, LastClaimRound, PendingStake, PendingFees,
		NextUnbondingLockId *big.Int
	}
	toolOrchestrator struct {
		Address, ServiceURI, Status                                    string
		LastRewardRound, RewardCut, FeeShare, DelegatedStake           *big.Int
		ActivationRound, DeactivationRound, LastActiveStakeUpdateRound *big.Int
		Active                                                         bool
		PricePerPixel                                                  *big.Rat
	}
	toolInfo struct {
		Transcoder toolOrchestrator
		PriceInfo  *big.Rat
	}
	toolSender struct {
		Deposit, WithdrawRound *big.Int
		Reserve                struct{ FundsRemaining, ClaimedInCurrentRound *big.Int }
	}
	toolLock struct {
		ID            int64
		Delegator     string
		Amount        *big.Int
		WithdrawRound int64
	}
)

// entry is a menu entry: what has to be before it, and the tool's calls.
type entry struct {
	name   string
	before func(*station)
	calls  func(c *tool)
	// fault is what an entry ends with for which the node has no part.
	fault string
}

func (c *tool) status(orchestrator bool) {
	var contracts map[string]string
	c.json("/contractAddresses", &contracts)
	for _, name := range []string{"Controller", "LivepeerToken", "LivepeerTokenFaucet", "TicketBroker", "RoundsManager",
		"BondingManager", "Minter"} {
		if a := contracts[name]; len(a) != 42 || a != strings.ToLower(a) {
			c.fail(fmt.Errorf("contract %s is %q", name, a))
		}
	}
	var status map[string]any
	c.json("/status", &status)
	c.number("/tokenBalance")
	c.number("/ethBalance")
	c.get("/maxGasPrice")
	c.number("/minGasPrice")
	c.get("/ethAddr")
	if orchestrator {
		var info toolInfo
		c.json("/orchestratorInfo", &info)
		if info.Transcoder.PricePerPixel == nil || info.Transcoder.DeactivationRound == nil {
			c.fail(fmt.Errorf("info %+v", info))
		}
		c.json("/status", &status)
	} else {
		c.json("/senderInfo", new(toolSender))
	}
	c.json("/delegatorInfo", new(toolDelegator))
	c.number("/currentRound")
}

func (c *tool) delegator() (d toolDelegator) { c.json("/delegatorInfo", &d); return d }

func (c *tool) locks(query string) (l []toolLock) { c.json("/unbondingLocks"+query, &l); return l }

func commonEntries() []entry {
	active := func(st *station) { st.chain.Activate(account, core.LPTTokens(10), "https://o.example:8935") }
	unbonded := func(st *station) { active(st); st.form("/unbond", "amount="+oneToken) }
	return []entry{
		{name: "protocol parameters", calls: func(c *tool) {
			var p struct{ TotalBonded, TotalSupply *big.Int }
			c.json("/protocolParameters", &p)
		}},
		{name: "list registered orchestrators", before: active, calls: func(c *tool) {
			var all []toolOrchestrator
			if c.json("/registeredOrchestrators", &all); len(all) != 1 || all[0].PricePerPixel == nil {
				c.fail(fmt.Errorf("orchestrators %+v", all))
			}
		}},
		{name: "initialize round", before: func(st *station) { st.chain.ToRound(101) },
			calls: func(c *tool) { c.post("/initializeRound") }},
		{name: "bond", before: active, calls: func(c *tool) {
			var all []toolOrchestrator
			c.json("/registeredOrchestrators", &all)
			c.number("/tokenBalance")
			c.post("/bond", "amount", oneToken, "toAddr", all[0].Address)
		}},
		{name: "unbond", before: active, calls: func(c *tool) {
			c.post("/unbond", "amount",
				c.delegator().PendingStake.String())
		}},
		{name: "rebond", before: unbonded, calls: func(c *tool) {
			c.delegator()
			c.post("/rebond", "unbondingLockId", fmt.Sprint(c.locks("")[0].ID), "toAddr", "")
		}},
		{name: "withdraw stake", before: func(st *station) { unbonded(st); st.chain.ToRound(120); st.chain.Open() },
			calls: func(c *tool) {
				c.delegator()
				c.post("/withdrawStake", "unbondingLockId", fmt.Sprint(c.locks("?withdrawable=true")[0].ID))
			}},
		{name: "withdraw fees", before: func(st *station) { st.chain.GiveFees(account, core.NewWei(5)) },
			calls: func(c *tool) {
				c.post("/withdrawFees", "amount", c.delegator().PendingFees.String())
			}},
		{name: "transfer", calls: func(c *tool) {
			c.number("/tokenBalance")
			c.post("/transferTokens", "to", low, "amount", "5")
		}},
		{name: "set maximum gas price", calls: func(c *tool) {
			c.get("/maxGasPrice")
			c.post("/setMaxGasPrice", "amount",
				"0")
		}},
		{name: "set minimum gas price", calls: func(c *tool) {
			c.get("/minGasPrice")
			c.post("/setMinGasPrice", "minGasPrice",
				"1")
		}},
		{name: "get test LPT", calls: func(c *tool) { c.post("/requestTokens") }},
		{name: "sign a message", calls: func(c *tool) {
			if s := c.post("/signMessage", "message", "two\nlines"); len(s) != 65 {
				c.fail(fmt.Errorf("%d bytes", len(s)))
			}
		}},
		{name: "sign typed data", calls: func(c *tool) {
			req, _ := http.NewRequest("POST", c.base+"/signMessage", strings.NewReader(url.Values{"message": {"{}"}}.Encode()))
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("SigFormat", "data/typed")
			if s := c.read(c.client.Do(req)); len(s) != 65 {
				c.fail(fmt.Errorf("%d bytes", len(s)))
			}
		}},
	}
}

func orchestratorEntries() []entry {
	active := func(st *station) { st.chain.Activate(account, core.LPTTokens(10), "https://o.example:8935") }
	info := func(c *tool) (i toolInfo) { c.json("/orchestratorInfo", &i); return i }
	return []entry{
		{name: "status", before: active, calls: func(c *tool) { c.status(true) }},
		{name: "reward", before: active, calls: func(c *tool) {
			if info(c).Transcoder.LastRewardRound.Cmp(c.number("/currentRound")) < 0 {
				c.post("/reward") // earlier revisions used GET; docs/migration.md says what to do
			}
			if info(c).Transcoder.LastRewardRound.Cmp(c.number("/currentRound")) != 0 {
				c.fail(fmt.Errorf("no reward"))
			}
		}},
		{name: "become an orchestrator", calls: func(c *tool) {
			c.delegator()
			c.number("/tokenBalance")
			info(c)
			c.locks("")
			c.post("/activateOrchestrator", "blockRewardCut", "10", "feeShare", "5", "pricePerUnit", "0", "pixelsPerUnit", "1",
				"currency", "Wei",
				"serviceURI", "https://127.0.0.1:8935", "amount", oneToken)
			if s := info(c).Transcoder.Status; s != "Registered" {
				c.fail(fmt.Errorf("status %s", s))
			}
		}},
		{name: "set orchestrator config", before: func(st *station) { active(st); st.form("/reward", "") },
			calls: func(c *tool) {
				c.number("/tokenBalance")
				info(c)
				c.post("/setOrchestratorConfig", "blockRewardCut", "20", "feeShare", "5", "pricePerUnit", "9", "pixelsPerUnit", "1",
					"currency", "Wei",
					"serviceURI", "https://new.example:8935")
				if i := info(c); i.Transcoder.RewardCut.Int64() != 200_000 ||
					i.Transcoder.ServiceURI != "https://new.example:8935" || i.PriceInfo.RatString() != "9" {
					c.fail(fmt.Errorf("%+v", i))
				}
			}},
		{name: "set reward caller", before: active, calls: func(c *tool) {
			c.post("/setRewardCaller", "rewardCaller",
				lowOther)
		}},
		{name: "vote in a poll", calls: func(c *tool) {
			if h := c.post("/vote", "poll", low, "choiceID", "0"); len(h) != 32 {
				c.fail(fmt.Errorf("%d bytes", len(h)))
			}
		}},
		{name: "vote on a proposal", calls: func(c *tool) {
			if h := c.post("/voteOnProposal", "proposalID", "5", "support", "1", "reason", ""); len(h) != 32 {
				c.fail(fmt.Errorf("%d bytes", len(h)))
			}
		}},
		{name: "set max ticket face value", calls: func(c *tool) { c.post("/setMaxFaceValue", "maxfacevalue", "5") }},
		{name: "set price for broadcaster", calls: func(c *tool) {
			c.post("/setPriceForBroadcaster", "pricePerUnit", "5", "pixelsPerUnit", "1", "currency", "Wei", "broadcasterEthAddr",
				"default")
		}},
		{name: "set maximum sessions", calls: func(c *tool) { c.post("/setMaxSessions", "maxSessions", "auto") }},
	}
}

func gatewayEntries() []entry {
	funded := func(st *station) { st.chain.SetSender(account, protocol.Sender{Deposit: core.NewWei(5)}) }
	unlocking := func(st *station) { funded(st); st.form("/unlock", "") }
	funds := func(c *tool) { c.json("/senderInfo", new(toolSender)); c.number("/currentRound") }
	return []entry{
		{name: "status", calls: func(c *tool) { c.status(false) }},
		{name: "deposit broadcasting funds", calls: func(c *tool) {
			c.json("/senderInfo", new(toolSender))
			c.post("/fundDepositAndReserve", "depositAmount", "5", "reserveAmount", "6")
		}},
		{name: "unlock", before: funded, calls: func(c *tool) {
			funds(c)
			var p struct{ UnlockPeriod *big.Int }
			c.json("/ticketBrokerParams", &p)
			c.post("/unlock")
		}},
		{name: "cancel unlock", before: unlocking, calls: func(c *tool) { funds(c); c.post("/cancelUnlock") }},
		{name: "withdraw", before: func(st *station) { unlocking(st); st.chain.ToRound(110) },
			calls: func(c *tool) { funds(c); c.post("/withdraw") }},
		{name: "set broadcast config", fault: "AdminPartAbsent", calls: func(c *tool) {
			var names []string
			c.json("/getAvailableTranscodingOptions", &names)
			c.post("/setBroadcastConfig", "maxPricePerUnit", "0", "pixelsPerUnit", "1", "currency", "Wei", "transcodingOptions",
				names[0])
		}},
		{name: "set max price per capability", fault: "AdminPartAbsent", calls: func(c *tool) {
			c.post("/setMaxPriceForCapability", "maxPricePerUnit", "0", "pixelsPerUnit", "1", "currency", "Wei", "pipeline",
				"llm", "modelID", "default")
		}},
	}
}

// Every menu entry of the existing tool works against the node that lets the old
// way in.
func TestExistingToolWorks(t *testing.T) {
	t.Parallel()
	for _, orchestrator := range []bool{true, false} {
		entries := append(commonEntries(), gatewayEntries()...)
		if orchestrator {
			entries = append(commonEntries(), orchestratorEntries()...)
		}
		for _, e := range entries {
			t.Run(fmt.Sprintf("orchestrator %v, %s", orchestrator, e.name), func(t *testing.T) {
				t.Parallel()
				st := newStation(t, func(o *admin.Options) { old(o); o.Listen, o.Orchestrator = "127.0.0.1:0", orchestrator })
				client, stop := start(t, st, byAddr)
				defer stop()
				c := &tool{client: client, base: "http://localhost:7935"}
				if e.before != nil {
					e.before(st)
				}
				if is := c.get("/IsOrchestrator"); is != fmt.Sprint(orchestrator) || c.get("/IsRedeemer") != "false" ||
					c.get("/EthChainID") != "54321" {
					t.Errorf("role %s", is)
				}
				e.calls(c)
				if e.fault != "" {
					if c.err == nil || !strings.Contains(c.err.Error(), e.fault) {
						t.Errorf("got %v", c.err)
					}
					return
				}
				if c.err != nil {
					t.Error(c.err)
				}
			})
		}
	}
}
