package admin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/admin"
)

// What programs read of version 1, to the byte.
func TestReadsOfVersion1(t *testing.T) {
	t.Parallel()
	st := orchestrating(t, nil)
	price, _ := core.ParsePrice("1")
	_ = st.table.SetPrice(t.Context(), core.Address{}, core.UnitPrice{Price: price, PixelsPerUnit: 3})
	me := account.String()
	record := `{"address":"` + me +
		`","serviceURI":"https://o.example:8935","lastRewardRound":0,"rewardCut":0,"feeCut":1000000,"feeShare":0,` +
		`"delegatedStake":"1000000000000000000000","activationRound":101,"deactivationRound":null,` +
		`"lastActiveStakeUpdateRound":101,` +
		`"active":true,"registered":true,"status":"Registered","state":"active","rewardCaller":null,"pricePerPixel":"1/3"}`
	for _, tt := range []struct{ path, want string }{
		{adminapi.PathNode, `{"version":"1.2.3","roles":["orchestrator"],"network":"devnet","offchain":false,` +
			`"chainId":54321,"account":"` + me +
			`","orchestrator":"` + me + `","networkVersion":"0.9.1","started":"2023-11-14T22:13:20Z"}`},
		{adminapi.PathOrchestrator, record},
		{adminapi.PathDelegator, `{"address":"` + me +
			`","bonded":"1000000000000000000000","fees":"0","pendingStake":"1000000000000000000000","pendingFees":"0",` +
			`"delegate":"` + me + `","delegatedAmount":"1000000000000000000000","startRound":101,"lastClaimRound":0,` +
			`"nextLockId":0,"status":"Bonded"}`},
		{adminapi.PathUnbondingLocks, `{"locks":[]}`},
		{adminapi.PathSender, `{"deposit":"0","withdrawRound":0,"reserve":{"fundsRemaining":"0",` +
			`"claimedInCurrentRound":"0"},"status":"empty","unlockPeriod":2}`},
		{adminapi.PathGas, `{"current":"10000000","min":"0","max":"0"}`},
		{adminapi.PathSettings, `{"maxSessions":"auto","logLevel":3}`},
		{adminapi.PathTransactions, `{"transactions":[]}`},
		{adminapi.PathReward, `{"mode":"auto","state":"done","round":101,"lastRewardRound":101,"nextTry":null,"reason":"",` +
			`"code":"","tx":"0x01` + strings.Repeat("0", 62) +
			`","history":[{"round":101,"amount":"5","tx":"0x01` + strings.Repeat("0", 62) +
			`","time":"2023-11-14T22:13:20Z","outcome":"called","reason":""}]}`},
		{adminapi.PathServiceAddress, `{"advertised":"https://o.example:8935","onChain":"","discovered":"",` +
			`"mismatch":false,"reachable":"yes","detail":""}`},
		{adminapi.EarningsPath(account, 101), `{"address":"` + me +
			`","round":101,"totalStake":"1000000000000000000000","rewardCut":0,"feeShare":0,` +
			`"rewardFactor":"1000000000000000000000000000","feeFactor":"0"}`},
	} {
		if got := st.get(tt.path); got.Code != 200 || got.Body.String() != tt.want+"\n" {
			t.Errorf("%s: %d %s", tt.path, got.Code, got.Body)
		}
	}
	if got := st.get(adminapi.PathOrchestrators).Body.String(); !strings.HasPrefix(got,
		`{"orchestrators":[`+record+`,{"address":"`+other.String()) {
		t.Errorf("pool %s", got)
	}
	if got := st.get(adminapi.PathConditions).Body.String(); !strings.HasPrefix(got,
		`{"conditions":[{"code":"PortClosed","about":"host:8935","detail":"no answer"`) {
		t.Errorf("conditions %s", got)
	}
}

func read[T any](t *testing.T, st *station, path string) (out T) {
	t.Helper()
	got := st.get(path)
	if err := json.Unmarshal(got.Body.Bytes(), &out); err != nil || got.Code != 200 {
		t.Fatalf("%s: %d %s, %v", path, got.Code, got.Body, err)
	}
	return out
}

func TestStateOfAnOrchestrator(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	expect := func(want adminapi.OrchestratorState) {
		t.Helper()
		if got := read[adminapi.Orchestrator](t, st, adminapi.PathOrchestrator); got.State != want {
			t.Errorf("%s, want %s", got.State, want)
		}
	}
	expect(adminapi.StateUnregistered)
	st.chain.Register(account, core.LPTTokens(5), "")
	expect(adminapi.StateWaiting)
	st.chain.ToRound(101)
	st.chain.Open()
	expect(adminapi.StateActive)
	st.chain.SetParameters(func(p *protocol.Parameters) { p.PoolMaxSize = 1 })
	st.chain.Register(other, core.LPTTokens(50), "")
	expect(adminapi.StateLeaving)
	st.chain.ToRound(102)
	expect(adminapi.StateInactive)
}

func TestStatusOfASender(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	for _, tt := range []struct {
		sender protocol.Sender
		want   adminapi.SenderStatus
	}{
		{protocol.Sender{}, adminapi.SenderEmpty},
		{protocol.Sender{Reserve: protocol.Reserve{FundsRemaining: core.NewWei(1)}}, adminapi.SenderLocked},
		{protocol.Sender{Deposit: core.NewWei(1), WithdrawRound: 101}, adminapi.SenderUnlocking},
		{protocol.Sender{Deposit: core.NewWei(1), WithdrawRound: 100}, adminapi.SenderUnlocked},
	} {
		st.chain.SetSender(account, tt.sender)
		if got := read[adminapi.Sender](t, st, adminapi.PathSender); got.Status != tt.want {
			t.Errorf("%+v: %s", tt.sender, got.Status)
		}
	}
}

func TestChainBeforeTheFirstBlock(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	st.chain.Forget()
	if got := read[adminapi.Chain](t, st, adminapi.PathChain); got.Known || got.Head.Number != 0 ||
		len(got.Endpoints) != 1 {
		t.Errorf("%+v", got)
	}
	st.chain.Learn()
	st.chain.SetStale(true)
	got := read[adminapi.Chain](t, st, adminapi.PathChain)
	if !got.Known || !got.Stale || got.Round.End != 5050 || got.Round.LocksAt != 5045 ||
		got.Head.L1 == protocol.L1Block(got.Head.Number) {
		t.Errorf("%+v", got)
	}
}

func TestSettingsAreAllOrNothing(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	for _, body := range []string{`{"maxSessions":5,"logLevel":99}`, `{"maxSessions":"many","logLevel":6}`,
		`{"maxSessions":5,"loglevel":6}`} {
		if got := st.post(adminapi.PathSettings, body); got.Code != 400 {
			t.Errorf("%s: %d %s", body, got.Code, got.Body)
		}
	}
	if len(st.limits) != 0 || st.Verbosity() != 3 {
		t.Errorf("limits %v, level %d", st.limits, st.Verbosity())
	}
	if got := st.post(adminapi.PathSettings,
		`{"maxSessions":7,"logLevel":6}`); got.Body.String() != `{"maxSessions":7,"logLevel":6}`+"\n" {
		t.Errorf("%s", got.Body)
	}
	if got := st.post(adminapi.PathSettings,
		`{"maxSessions":"auto"}`); got.Body.String() != `{"maxSessions":"auto","logLevel":6}`+"\n" {
		t.Errorf("%s", got.Body)
	}
	bare := newStation(t, func(o *admin.Options) { o.Node.SetMaxSessions = nil })
	if got := bare.get(adminapi.PathSettings); got.Body.String() != `{"maxSessions":"","logLevel":3}`+"\n" {
		t.Errorf("without sessions: %s", got.Body)
	}
}

func TestSign(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	zeros := strings.Repeat("00", 63)
	for body, want := range map[string]string{
		`{"message":"hello"}`:       `{"signature":"0x` + zeros + `051b","address":"` + account.String() + `"}`,
		`{"typedData":{"types":1}}`: `{"signature":"0x` + zeros + `0b1c","address":"` + account.String() + `"}`,
	} {
		if got := st.post(adminapi.PathSign, body); got.Code != 200 || got.Body.String() != want+"\n" {
			t.Errorf("%s: %d %s", body, got.Code, got.Body)
		}
	}
	if book := st.book(t); strings.Contains(book, "hello") || !strings.Contains(book, `"message":"5 bytes"`) {
		t.Errorf("the book: %s", book)
	}
}

func TestGasBounds(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	for _, tt := range []struct{ body, want string }{
		{`{"max":"30000000"}`, `{"current":"10000000","min":"0","max":"30000000"}`},
		{`{"min":"1"}`, `{"current":"10000000","min":"1","max":"30000000"}`},
		{`{"min":"0","max":"0"}`, `{"current":"10000000","min":"0","max":"0"}`},
	} {
		if got := st.post(adminapi.PathGas, tt.body); got.Code != 200 || got.Body.String() != tt.want+"\n" {
			t.Errorf("%s: %d %s", tt.body, got.Code, got.Body)
		}
	}
}

// A misspelled parameter must not spend money.
func TestQueriesAreStrict(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	for _, query := range []string{"?dryrun=true", "?dryRun=1", "?dryRun=", "?wait=forever", "?dryRun=true&dryRun=false",
		"?step=next"} {
		got := st.post(adminapi.ActionPath(adminapi.VerbClaimEarnings)+query, "{}")
		if got.Code != 400 || !strings.Contains(got.Body.String(), string(fault.AdminBadParam)) {
			t.Errorf("%s: %d %s", query, got.Code, got.Body)
		}
	}
	if got := st.post(adminapi.PathActivate+"?step=all", "{}"); got.Code != 400 {
		t.Errorf("step: %d", got.Code)
	}
	same(t, st.chain.Sent())
}
