package admin_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// fakeProcess is a process with two sessions, whose configuration has changed.
type fakeProcess struct {
	mu    sync.Mutex
	drain adminapi.Drain
	fails error
}

func (p *fakeProcess) Reload(_ context.Context, dry bool) (adminapi.Reloaded, error) {
	return adminapi.Reloaded{DryRun: dry, Changes: []adminapi.ReloadChange{
		{Option: "maxSessions", Old: "10", New: "20", Source: "tutti.conf:1", State: adminapi.ReloadApplied}}}, p.fails
}

func (p *fakeProcess) Upgrade(context.Context) (adminapi.Upgrade, error) {
	return adminapi.Upgrade{PID: 4711, Binary: "/usr/bin/tutti"}, p.fails
}

func (p *fakeProcess) Drain() adminapi.Drain {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drain.State == "" {
		p.drain.State = adminapi.DrainServing
	}
	p.drain.Sessions, p.drain.Work = 2, []adminapi.DrainWork{{Kind: "sessions", Count: 2}}
	return p.drain
}

func (p *fakeProcess) Begin(deadline time.Duration, stop bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := time.Unix(1_700_000_000, 0).UTC().Add(deadline)
	p.drain = adminapi.Drain{State: adminapi.DrainDraining, Stop: stop, Deadline: &at}
	return p.fails
}

func (p *fakeProcess) Cancel() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drain = adminapi.Drain{State: adminapi.DrainServing}
	return p.fails
}

func (p *fakeProcess) into(o *admin.Options) {
	o.Node.Reload, o.Node.Drains, o.Node.Upgrade = p.Reload, p, p.Upgrade
}

func TestDrainOfTheNode(t *testing.T) {
	t.Parallel()
	st := newStation(t, (&fakeProcess{}).into)
	for _, step := range []struct {
		body string
		code int
		want string
	}{
		{`{"deadlineSeconds":60,` +
			`"stop":true}`, 200, `"state":"draining","sessions":2,"jobs":0,"work":[{"kind":"sessions","count":2}],` +
			`"deadline":"2023-11-14T22:14:20Z","stop":true`},
		{`{"cancel":true}`, 200, `"state":"serving"`},
		{`{"cancel":true,"stop":true}`, 400, "AdminBadBody"},
		{`{"deadlineSeconds":-1}`, 400, "AdminBadBody"},
		{`{"deadlineSeconds":99999999}`, 400, "AdminBadBody"},
	} {
		if got := st.post(adminapi.PathDrain, step.body); got.Code != step.code ||
			!strings.Contains(got.Body.String(), step.want) {
			t.Errorf("%s: %d %s", step.body, got.Code, got.Body)
		}
	}
}

func TestReloadTellsWhyItFailed(t *testing.T) {
	t.Parallel()
	st := newStation(t, (&fakeProcess{fails: &fault.Fault{Code: fault.ReloadFailed, Detail: "maxSessions x: not a number",
		Err: errors.New("x")}}).into)
	if got := st.post(adminapi.PathReload, ""); got.Code < 400 || !strings.Contains(got.Body.String(), "ReloadFailed") ||
		!strings.Contains(got.Body.String(), "maxSessions x") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}
