package admin_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// What happened before an error is told with it.
func TestBondFailsAfterApproval(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	approved := false // the chain asks one at a time
	st.chain.Refuse(func(a protocol.Action) error {
		switch a.(type) {
		case protocol.Approve:
			approved = true
		case protocol.Bond:
			if approved {
				return fault.New(fault.StakeMissing, "bond", "not now")
			}
		}
		return nil
	})
	rec := st.post(adminapi.ActionPath(adminapi.VerbBond), `{"amount":"1","to":"`+low+`"}`)
	got := result[adminapi.ActionResult](t, rec)
	if rec.Code != 400 || len(got.Before) != 1 || got.Error == nil || got.Error.Code != string(fault.StakeMissing) ||
		got.Error.Remedy == "" {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	hash := got.Before[0].Hash.String()
	if want := "not now; the approval before it was sent as " + hash; got.Error.Message != want {
		t.Errorf("%q, want %q", got.Error.Message, want)
	}
	if book := st.book(t); !strings.Contains(book,
		`"outcome":"failed","status":400,"code":"StakeMissing","tx":["`+hash+`"]`) {
		t.Errorf("book %s", book)
	}
}

// An approval that is not mined in time is named although it failed nothing yet.
func TestApprovalStaysOnItsWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStation(t, nil)
		st.chain.Hold(true)
		rec := st.post(adminapi.ActionPath(adminapi.VerbBond), `{"amount":"1","to":"`+low+`"}`)
		got := result[adminapi.ActionResult](t, rec)
		if rec.Code != 504 || len(got.Before) != 1 || got.Before[0].Verb != "approve" || got.Error == nil ||
			got.Error.Code != string(fault.TransactionPending) {
			t.Errorf("%d %s", rec.Code, rec.Body)
		}
	})
}

// No approval is paid for a bond that cannot succeed.
func TestNoApprovalForNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		to     string
		before func(*station)
		code   fault.Code
	}{
		{"own stake elsewhere", lowOther, func(st *station) { st.chain.Activate(account, core.LPTTokens(1000), "") },
			fault.CannotMoveOwnStake},
		{"round not initialized", low, func(st *station) { st.chain.ToRound(st.chain.View().Round.Number + 1) },
			fault.RoundNotInitialized},
		{"no tokens", low, func(st *station) { st.chain.Give(account, core.NewWei(1e18), core.LPT{}) }, fault.TokensMissing},
	} {
		st := newStation(t, old)
		tt.before(st)
		for _, query := range []string{"?dryRun=true", "?wait=submitted", ""} {
			rec := st.post(adminapi.ActionPath(adminapi.VerbBond)+query, `{"amount":"`+oneToken+`","to":"`+tt.to+`"}`)
			if got := result[adminapi.ErrorBody](t, rec); got.Error.Code != string(tt.code) {
				t.Errorf("%s %s: %d %s", tt.name, query, rec.Code, rec.Body)
			}
		}
		if got := st.form("/bond", "amount="+oneToken+"&toAddr="+tt.to); errorCode(got.Body.String()) != tt.code {
			t.Errorf("%s, the old way: %d %s", tt.name, got.Code, got.Body)
		}
		same(t, st.chain.Sent())
	}
	// More stake on oneself is no move.
	st := newStation(t, nil)
	st.chain.Activate(account, core.LPTTokens(1000), "")
	if got := st.post(adminapi.ActionPath(adminapi.VerbBond), `{"amount":"1","to":"`+low+`"}`); got.Code != 200 ||
		len(st.chain.Sent()) != 2 {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}
