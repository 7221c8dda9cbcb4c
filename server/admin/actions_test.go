package admin_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/admin"
)

func result[T any](t *testing.T, got *httptest.ResponseRecorder) (out T) {
	t.Helper()
	if err := json.Unmarshal(got.Body.Bytes(), &out); err != nil {
		t.Fatalf("%d %s: %v", got.Code, got.Body, err)
	}
	return out
}

func TestBondApprovesFirst(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	body := `{"amount":"` + oneToken + `","to":"` + low + `"}`
	path := adminapi.ActionPath(adminapi.VerbBond)
	dry := result[adminapi.ActionResult](t, st.post(path+"?dryRun=true", body))
	if dry.Transaction != nil || dry.Estimate == nil || dry.Estimate.Verb != "bond" ||
		dry.Estimate.Gas != 250_000+850_000 ||
		dry.Estimate.Fee.String() != "11000000000000" ||
		dry.Estimate.About != "let the bonding contract take 1 LPT, then bond 1 LPT to "+account.String() {
		t.Errorf("dry run %+v", dry.Estimate)
	}
	same(t, st.chain.Sent())
	got := result[adminapi.ActionResult](t, st.post(path, body))
	if len(got.Before) != 1 || got.Before[0].Verb != "approve" || got.Transaction.Verb != "bond" ||
		got.Transaction.State != protocol.TxMined {
		t.Errorf("%+v", got)
	}
	approve, bond := protocol.Approve{Amount: core.LPTTokens(1)}, protocol.Bond{Amount: core.LPTTokens(1), To: account}
	same(t, st.chain.Sent(), approve, bond)
	// Where the allowance suffices there is nothing before it.
	st.post(adminapi.ActionPath(adminapi.VerbApprove), `{"amount":"`+oneToken+`"}`)
	if got = result[adminapi.ActionResult](t, st.post(path, body)); len(got.Before) != 0 {
		t.Errorf("%+v", got)
	}
	same(t, st.chain.Sent(), approve, bond, approve, bond)
}

func TestRefusedAction(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	for _, query := range []string{"", "?dryRun=true", "?wait=submitted"} {
		got := st.post(adminapi.ActionPath(adminapi.VerbUnbond)+query, `{"amount":"1"}`)
		if body := result[adminapi.ErrorBody](t, got); got.Code != 400 || body.Error.Code != string(fault.StakeMissing) ||
			body.Error.Cause == "" {
			t.Errorf("%s: %d %s", query, got.Code, got.Body)
		}
	}
	same(t, st.chain.Sent())
}

func TestSubmittedIsEnough(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	st.chain.Hold(true)
	rec := st.post(adminapi.ActionPath(adminapi.VerbClaimEarnings)+"?wait=submitted", "")
	got := result[adminapi.ActionResult](t, rec)
	if rec.Code != 202 || got.Transaction == nil || got.Transaction.State != protocol.TxSubmitted {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	st.chain.Mine(1, 0)
	all := read[adminapi.Transactions](t, st, adminapi.PathTransactions)
	if len(all.Transactions) != 1 || all.Transactions[0].Hash != got.Transaction.Hash ||
		all.Transactions[0].State != protocol.TxMined {
		t.Errorf("%+v", all)
	}
}

// A wait ends; the transaction does not.
func TestWaitIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStation(t, old)
		st.chain.Hold(true)
		began := time.Now()
		rec := st.post(adminapi.ActionPath(adminapi.VerbClaimEarnings), "")
		if got := result[adminapi.ActionResult](t, rec); rec.Code != 202 || got.Transaction == nil || got.Error != nil {
			t.Errorf("%d %s", rec.Code, rec.Body)
		}
		if waited := time.Since(began); waited != admin.DefaultWait {
			t.Errorf("waited %s", waited)
		}
		got := st.form("/claimEarnings", "")
		if got.Code != 500 || !strings.HasPrefix(got.Body.String(), "timed out waiting for transaction receipt txHash=0x") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
		body := `{"stake":"5"}`
		for _, query := range []string{"?step=next", ""} {
			rec = st.post(adminapi.PathActivate+query, body)
			plan := result[adminapi.PlanResult](t, rec)
			if rec.Code != 504 || plan.Error == nil || plan.Error.Code != string(fault.TransactionPending) ||
				plan.Executed == nil {
				t.Errorf("%q: %d %s", query, rec.Code, rec.Body)
			}
			// Asking again while it is on its way sends nothing more.
			sent := len(st.chain.Sent())
			rec = st.post(adminapi.PathActivate+query, body)
			if again := result[adminapi.PlanResult](t, rec); again.Error == nil ||
				again.Error.Code != string(fault.StepInFlight) || len(st.chain.Sent()) != sent {
				t.Errorf("%q again: %d %s", query, rec.Code, rec.Body)
			}
			st.chain.Mine(1, 0)
		}
	})
}

// A client that goes away stops nothing that was sent, nor what follows from it.
func TestClientGoesAway(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	st.chain.Hold(true)
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, "POST", "http://127.0.0.1:7935"+adminapi.ActionPath(adminapi.VerbBond),
		strings.NewReader(`{"amount":"5","to":"`+low+`"}`))
	r.Header.Set("Authorization", "Bearer "+st.token)
	rec, done := httptest.NewRecorder(), make(chan struct{})
	go func() { defer close(done); st.Handler().ServeHTTP(rec, r) }()
	await(t, func() bool { return len(st.chain.Sent()) == 1 })
	cancel()
	st.chain.Mine(1, 0)
	await(t, func() bool { return len(st.chain.Sent()) == 2 })
	st.chain.Mine(1, 0)
	<-done
	if got := result[adminapi.ActionResult](t, rec); rec.Code != 200 || got.Transaction.State != protocol.TxMined {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

// The node stops although a transaction is waited for; the client is told.
func TestStopEndsTheWait(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { o.Listen = "127.0.0.1:0" })
	st.chain.Hold(true)
	client, stop := start(t, st, byAddr)
	type answer struct {
		status int
		err    error
	}
	answers := make(chan answer, 1)
	req, err := http.NewRequestWithContext(t.Context(), "POST",
		"http://"+st.Addr().String()+adminapi.ActionPath(adminapi.VerbClaimEarnings), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+st.token)
	go func() {
		res, err := client.Do(req)
		if err != nil {
			answers <- answer{err: err}
			return
		}
		_ = res.Body.Close()
		answers <- answer{status: res.StatusCode}
	}()
	await(t, func() bool { return len(st.chain.Sent()) == 1 })
	stop()
	<-answers // the connection may be cut before the answer is through
	if book := st.book(t); !strings.Contains(book, `"outcome":"begun"`) || strings.Count(book, "\n") != 2 {
		t.Errorf("book %s", book)
	}
}

// await waits for a condition.
func await(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("never came")
		}
	}
}

func TestWithdrawFees(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	st.chain.GiveFees(account, core.NewWei(9))
	st.post(adminapi.ActionPath(adminapi.VerbWithdrawFees), `{"amount":"2","recipient":"`+lowOther+`"}`)
	st.post(adminapi.ActionPath(adminapi.VerbWithdrawFees), ``)
	same(t, st.chain.Sent(), protocol.WithdrawFees{Recipient: other, Amount: core.NewWei(2)},
		protocol.WithdrawFees{Recipient: account, Amount: core.NewWei(7)})
}

func TestSetCommission(t *testing.T) {
	t.Parallel()
	path := adminapi.ActionPath(adminapi.VerbSetCommission)
	for body, want := range map[string]string{
		`{"rewardCut":1,"feeCut":2,"feeShare":3}`: "exactly one of feeCut and feeShare is needed",
		`{"rewardCut":1000001,"feeShare":3}`:      "field rewardCut: more than 1000000 parts per million",
		`{"rewardCut":1,"feeShare":1000001}`:      "field feeShare: more than 1000000 parts per million",
		`{"rewardCut":1,"feeCut":1000001}`:        "field feeCut: more than 1000000 parts per million",
		`{"rewardCut":0.1,"feeCut":0.95}`:         "field rewardCut: the number is out of range or not whole",
	} {
		st := newStation(t, nil)
		got := st.post(path, body)
		if e := result[adminapi.ErrorBody](t, got).Error; got.Code != 400 || e.Message != want {
			t.Errorf("%s: %d %s", body, got.Code, got.Body)
		}
	}
	for _, body := range []string{`{"rewardCut":100000,"feeCut":950000}`, `{"rewardCut":100000,"feeShare":50000}`} {
		st := newStation(t, nil)
		st.chain.Register(account, core.LPTTokens(1), "")
		st.post(path, body)
		same(t, st.chain.Sent(), protocol.SetCommission{RewardCut: 100_000, FeeShare: 50_000})
	}
}
