package admin_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/admin"
)

// explainer tells what it is given.
type explainer struct{ out adminapi.Explanation }

func (e explainer) Explain(context.Context) adminapi.Explanation { return e.out }

func TestExplain(t *testing.T) {
	t.Parallel()
	seven := "7"
	full := adminapi.Explanation{
		Summary: "No jobs can come now.", Since: time.Unix(1_700_000_000, 0).UTC(), Until: time.Unix(1_700_086_400, 0).UTC(),
		Findings: []adminapi.Finding{{Weight: "blocker", Says: "The node is draining.", Remedy: "None needed.",
			Code: "Draining"}},
		Place:   &adminapi.Place{Rank: 3, Members: 100, Size: 100, Stake: core.LPTTokens(2), Last: core.LPTTokens(1)},
		Answers: []adminapi.Answer{{Kind: "segment", Gateway: "0xa", Count: 4}},
		Missing: []adminapi.Missing{{Kind: "job", Text: "missing llm", Count: 4}},
		Prices:  []adminapi.AskedPrice{{Gateway: "0xa", Quotes: 2, Lowest: &seven, Highest: &seven, Last: &seven}},
	}
	for name, out := range map[string]adminapi.Explanation{"full": full, "empty": {}} {
		st := newStation(t, func(o *admin.Options) { o.Work.Explain = explainer{out}.Explain })
		got := st.get(adminapi.PathExplain)
		newContract(t, st).check(t, "GET", adminapi.PathExplain, "", got)
		if got.Code != 200 || strings.Contains(got.Body.String(), `"evidence":null`) ||
			strings.Contains(got.Body.String(), `"answers":null`) {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
		var back adminapi.Explanation
		if err := json.Unmarshal(got.Body.Bytes(), &back); err != nil || back.Summary != out.Summary {
			t.Errorf("%s: %v, %+v", name, err, back)
		}
	}
	st := newStation(t, func(o *admin.Options) { o.Work.Explain = nil })
	if got := st.get(adminapi.PathExplain); got.Code == 200 || !strings.Contains(got.Body.String(), "AdminPartAbsent") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

func TestProbes(t *testing.T) {
	t.Parallel()
	var why []string
	st := newStation(t, func(o *admin.Options) { o.Node.Ready = func() []string { return why } })
	if got := st.get(adminapi.PathReady); got.Code != 200 || got.Body.String() != "ready\n" {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	why = []string{"the node is draining", "no device is ready"}
	if got := st.get(adminapi.PathReady); got.Code != 503 ||
		got.Body.String() != "not ready\nthe node is draining\nno device is ready\n" {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := ask(st.Server, "HEAD", adminapi.PathReady, ""); got.Code != 503 || got.Body.Len() != 0 {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := st.get(adminapi.PathHealthy); got.Code != 200 || got.Body.String() != "healthy\n" {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := newStation(t, nil).get(adminapi.PathReady); got.Code != 200 {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

// A client that may not read the node's state gets codes, and no facts.
func TestProbesTellStrangersCodesOnly(t *testing.T) {
	t.Parallel()
	ready := func(o *admin.Options) {
		o.Node.Ready = func() []string { return []string{"LedgerFull: /var/lib/tutti is full"} }
	}
	remote := newStation(t, func(o *admin.Options) { ready(o); o.Listen, o.AllowRemote = "0.0.0.0:7935", true })
	local := newStation(t, ready)
	const codes, all = "not ready\nLedgerFull\n", "not ready\nLedgerFull: /var/lib/tutti is full\n"
	for name, c := range map[string]struct {
		got  string
		want string
	}{
		"a stranger": {remote.get(adminapi.PathReady).Body.String(), codes},
		"with the token": {ask(remote.Server, "GET", adminapi.PathReady, "", "Authorization",
			"Bearer "+remote.token).Body.String(), all},
		"on this machine": {local.get(adminapi.PathReady).Body.String(), all},
		"a page of another domain": {ask(local.Server, "GET", adminapi.PathReady, "", "Host", "peer.example").Body.String(),
			codes},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q", name, c.got)
		}
	}
}
