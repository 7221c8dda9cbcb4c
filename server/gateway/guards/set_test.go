package guards_test

import (
	"context"
	"net/http"
	"os"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/guards"
)

func passing(t *testing.T, url string) *guards.Guards {
	t.Helper()
	return guards.New(parse(t, `{"guards":[{"name":"a","url":"`+url+`"}]}`), quiet())
}

// Guards that were replaced are asked by the requests that began with them, and their programs end with the last one.
func TestReplacedGuardsServeTheirRequests(t *testing.T) {
	t.Parallel()
	old := guards.New(parse(t, `{"guards":[{"name":"a","program":["`+os.Args[0]+`","guard-program"]}]}`), quiet())
	set := guards.NewSet(old)
	one, two := set.Use(), set.Use()
	if _, err := one.Check(t.Context(), question(`{}`)); err != nil {
		t.Fatal(err)
	}
	var s service
	if !set.Replace(passing(t, s.start(t, says(`{"action":"refuse"}`)))) {
		t.Error("other guards are not taken over")
	}
	next := set.Use()
	if _, err := next.Check(t.Context(), question(`{}`)); fault.CodeOf(err) != fault.GuardRefused {
		t.Errorf("the new guards say %v", err)
	}
	if next.Version == one.Version {
		t.Error("new guards have the version of the old ones")
	}
	one.Done()
	for range 2 {
		if r, err := two.Check(t.Context(), question(`{}`)); err != nil || r.Annotations["a"]["n"] == "" {
			t.Errorf("the old guards are gone: %+v %v", r, err)
		}
	}
	two.Done()
	if _, err := old.Check(t.Context(), question(`{}`)); fault.CodeOf(err) != fault.GuardFailed {
		t.Errorf("the old guards are open: %v", err)
	}
	next.Done()
	set.Close()
}

// Guards that are set up as before stay, with their programs and version; nil puts none in force.
func TestTheSameGuardsStay(t *testing.T) {
	t.Parallel()
	var s service
	url := s.start(t, says(`{"action":"pass"}`))
	set := guards.NewSet(passing(t, url))
	version := set.Use().Version
	if set.Replace(passing(t, url)) || set.Use().Version != version {
		t.Error("the same guards were replaced")
	}
	if !set.Replace(nil) {
		t.Error("no guards are not taken over")
	}
	if _, covers := set.Use().Cover(guards.StageRequest, "", "m"); covers {
		t.Error("guards are there that were removed")
	}
	if set.Replace(nil) || !set.Replace(passing(t, url)) {
		t.Error("guards do not come back")
	}
	var none *guards.Set
	none.Use().Done()
	none.Close()
	if none.Counts() != nil {
		t.Error("no set counts")
	}
}

// Checks are counted by what came of them, over replacements.
func TestChecksAreCounted(t *testing.T) {
	t.Parallel()
	var s service
	verdict := `{"action":"pass"}`
	status := http.StatusOK
	url := s.start(t, func(guards.Question) (int, string) { return status, verdict })
	set := guards.NewSet(passing(t, url))
	ask := func(ctx context.Context) {
		u := set.Use()
		defer u.Done()
		_, _ = u.Check(ctx, question(`{}`)) // it is counted
	}
	ask(t.Context())
	verdict = `{"action":"replace","body":{}}`
	ask(t.Context())
	verdict = `{"action":"refuse"}`
	ask(t.Context())
	set.Replace(guards.New(parse(t, `{"guards":[{"name":"a","url":"`+url+`","timeout":"3s"}]}`), quiet()))
	status = http.StatusInternalServerError
	ask(t.Context())
	left, leave := context.WithCancel(t.Context())
	leave()
	ask(left)
	var got guards.Count
	for _, c := range set.Counts() {
		if c.Guard == "a" && c.Stage == guards.StageRequest {
			got = c
		}
	}
	want := map[guards.Outcome]int64{guards.Passed: 1, guards.Replaced: 1, guards.Refused: 1, guards.Failed: 1,
		guards.Left: 1, guards.More: 0, guards.Busy: 0}
	for how, n := range want {
		if got.Outcomes[how] != n {
			t.Errorf("%s: %d, want %d", how, got.Outcomes[how], n)
		}
	}
	if got.Number != 5 || got.Seconds <= 0 || got.Within[60] != 5 || len(set.Counts()) != 2 {
		t.Errorf("%+v", got)
	}
}
