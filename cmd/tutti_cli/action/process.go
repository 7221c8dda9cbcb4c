package action

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// Reloaded is what `reload` answers.
type Reloaded struct{ adminapi.Reloaded }

// Drain is what `drain` answers.
type Drain struct {
	adminapi.Drain
	DryRun bool `json:"dryRun"`
}

// Upgrade is what `upgrade` answers.
type Upgrade struct {
	adminapi.Upgrade
	DryRun bool `json:"dryRun"`
}

// processVerbs change the running process itself.
func processVerbs() []*verb.Verb {
	deadline := verb.Field{Name: "deadline", Meta: "DURATION",
		Help: "how long sessions may go on, such as 5m; without one, until they end by themselves", Parse: parseDeadline}
	return []*verb.Verb{
		{Name: "reload", Changes: true, Short: "Reload the configuration and take over what may change while the node " +
			"runs; --dry-run shows the difference.", Result: Reloaded{}, Run: runReload},
		{Name: "drain", Changes: true, Short: "Take no new sessions and jobs; without an option for as long as you like.",
			Long: "Sessions go on. `--cancel` takes new work again, as long as the node is not stopping. `drain --dry-run` " +
				"shows what is left.",
			Fields: []verb.Field{deadline,
				{Name: "stop", Switch: true, Help: "end the node when nothing is left, or at the deadline"},
				{Name: "cancel", Switch: true, Help: "take new work again"}},
			Result: Drain{}, Run: runDrain},
		{Name: "upgrade", Changes: true,
			Short:  "Start the program on disk in the running one's place, without losing a session.",
			Long:   "It returns when the new program serves, which segments in progress may delay.",
			Result: Upgrade{}, Run: runUpgrade},
	}
}

var errDeadline = errors.New("must be a duration of at least a second, such as 5m")

func parseDeadline(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Second {
		return nil, errDeadline
	}
	return d, nil
}

func runReload(ctx context.Context, c *verb.Call) (verb.Result, error) {
	var out Reloaded
	query := url.Values{}
	if c.Set.DryRun {
		query.Set(adminapi.QueryDryRun, strconv.FormatBool(true))
	}
	err := c.Node.Post(ctx, adminapi.PathReload, query, nil, &out.Reloaded)
	return out, err
}

func runDrain(ctx context.Context, c *verb.Call) (verb.Result, error) {
	var out Drain
	if c.Set.DryRun {
		out.DryRun = true
		err := c.Node.Get(ctx, adminapi.PathDrain, &out.Drain)
		return out, err
	}
	change := adminapi.DrainChange{Cancel: verb.Get[bool](c, "cancel"), Stop: verb.Get[bool](c, "stop")}
	if c.Has("deadline") {
		change.DeadlineSeconds = int(verb.Get[time.Duration](c, "deadline") / time.Second)
	}
	if change.Stop {
		if err := c.Agree(ctx, "Stop the node when its sessions have ended?"); err != nil {
			return nil, err
		}
	}
	err := c.Node.Post(ctx, adminapi.PathDrain, nil, change, &out.Drain)
	return out, err
}

func runUpgrade(ctx context.Context, c *verb.Call) (verb.Result, error) {
	if c.Set.DryRun {
		return Upgrade{DryRun: true}, nil
	}
	if err := c.Agree(ctx, "Replace the running program?"); err != nil {
		return nil, err
	}
	var before adminapi.Node
	if err := c.Node.Get(ctx, adminapi.PathNode, &before); err != nil {
		return nil, err
	}
	var out Upgrade
	if err := c.Node.Post(ctx, adminapi.PathUpgrade, nil, nil, &out.Upgrade); err != nil {
		return nil, err
	}
	c.Report("Process %d takes over; waiting until it serves.", out.PID)
	return out, awaitOther(ctx, c, before.Started)
}

// upgradeWait bounds the wait for the new process: the old one finishes what it has in
// hand before, and a new one that does not come up is replaced by the old program.
const upgradeWait = 5 * time.Minute

// awaitOther waits until another process answers than the one that started at a time.
func awaitOther(ctx context.Context, c *verb.Call, started time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, upgradeWait)
	defer cancel()
	for {
		var now adminapi.Node
		if err := c.Node.Get(ctx, adminapi.PathNode, &now); err == nil && !now.Started.Equal(started) {
			return nil
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fault.New(fault.UpgradeFailed, "wait for the new process",
					"no other process has answered within "+upgradeWait.String())
			}
			return ctx.Err()
		case <-time.After(c.World.Poll):
		}
	}
}

// Print writes the differences.
func (r Reloaded) Print(p *console.Page) {
	defer p.Flush()
	if len(r.Changes) == 0 {
		p.Row("Changed", "nothing")
		return
	}
	var rows [][]string
	for _, c := range r.Changes {
		rows = append(rows, []string{"-" + c.Option, c.Old, c.New, c.Source, stateOf(c.State)})
	}
	p.Table([]string{"Option", "In force", "Configured", "From", ""}, rows)
	if r.Restart {
		p.Row("Restart", "some of it is in force only after `tutti_cli upgrade` or a restart")
	}
	if r.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}

func stateOf(state string) string {
	switch state {
	case adminapi.ReloadApplied:
		return "taken over"
	case adminapi.ReloadPending:
		return "would be taken over"
	}
	return "needs a restart"
}

// Print writes where the drain stands.
func (d Drain) Print(p *console.Page) {
	defer p.Flush()
	p.Row("State", d.State)
	p.Row("Sessions left", d.Sessions)
	p.Row("Jobs left", d.Jobs)
	for _, w := range d.Work {
		p.Row("Waits for", strconv.Itoa(w.Count)+" "+w.Kind)
	}
	if d.Deadline != nil {
		p.Row("Deadline", d.Deadline.Format(time.DateTime)+" UTC")
	}
	if d.Stop {
		p.Row("Afterwards", "the node stops")
	}
	if d.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}

// Print writes which process takes over.
func (u Upgrade) Print(p *console.Page) {
	defer p.Flush()
	if u.DryRun {
		p.Row("Changed", "nothing (dry run)")
		return
	}
	p.Row("Takes over", "process "+strconv.Itoa(u.PID))
	p.Row("Program", u.Binary)
}
