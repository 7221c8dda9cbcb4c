package adminapi_test

import (
	"encoding/json"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ got, want string }{
		{adminapi.ActionPath(protocol.SetServiceURI{}.Verb()), "/api/v1/actions/set-service-uri"},
		{adminapi.ActionPath(protocol.RebondFromUnbonded{}.Verb()), "/api/v1/actions/rebond-from-unbonded"},
		{adminapi.ActionPath(adminapi.VerbVoteInPoll), "/api/v1/actions/vote-in-poll"},
		{adminapi.EarningsPath(core.Address{19: 1}, 7),
			"/api/v1/orchestrators/0x0000000000000000000000000000000000000001/earnings?round=7"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s, want %s", tt.got, tt.want)
		}
	}
}

func TestMaxSessions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, out string
		n       int
		bad     bool
	}{
		{`5`, `5`, 5, false},
		{`"5"`, `5`, 5, false},
		{`"auto"`, `"auto"`, 0, false},
		{`0`, `"0"`, 0, true},
		{`"many"`, `"many"`, 0, true},
		{`""`, `""`, 0, true},
	} {
		var m adminapi.MaxSessions
		if err := json.Unmarshal([]byte(tt.in), &m); err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(m)
		if err != nil || string(out) != tt.out {
			t.Errorf("%s becomes %s, %v", tt.in, out, err)
		}
		if n, err := m.Number(); n != tt.n || (err != nil) != tt.bad {
			t.Errorf("%s is %d, %v", tt.in, n, err)
		}
	}
	var m adminapi.MaxSessions
	for _, in := range []string{`1.5`, `null2`, `{}`, `true`} {
		if json.Unmarshal([]byte(in), &m) == nil {
			t.Errorf("%s was taken", in)
		}
	}
}

// An amount must never become a JSON number, which readers round.
func TestAmountsAreStrings(t *testing.T) {
	t.Parallel()
	out, err := json.Marshal(adminapi.Balances{Ether: core.NewWei(5), Token: core.LPTTokens(1)})
	if err != nil || string(out) != `{"ether":"5","token":"1000000000000000000","allowance":"0"}` {
		t.Errorf("%s, %v", out, err)
	}
	var back adminapi.Balances
	if json.Unmarshal([]byte(`{"ether":5}`), &back) == nil {
		t.Error("a number was taken for an amount")
	}
}
