package action

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Workers is `workers`, and what `worker drain` and `worker resume` answer.
type Workers struct {
	adminapi.Workers
	DryRun bool `json:"dryRun"`
}

func workerVerbs() []*verb.Verb {
	return []*verb.Verb{
		{Name: "workers", Short: "The node's devices and the workers on other machines: state, sessions, what they did.",
			Result: Workers{},
			Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
				var w adminapi.Workers
				err := c.Node.Get(ctx, adminapi.PathWorkers, &w)
				return Workers{Workers: w}, err
			}},
		workerVerb("drain", true, "Let a device or worker finish what it has and give it nothing new, until it is resumed "+
			"or registers again."),
		workerVerb("resume", false, "Give a drained device or worker sessions again."),
	}
}

func workerVerb(name string, drain bool, short string) *verb.Verb {
	field := verb.Field{Name: "name", Word: true, Required: true, Meta: "WORKER", Help: "as `workers` lists it",
		Question: "Worker",
		Parse:    func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) { return text, nil }}
	return &verb.Verb{Name: "worker " + name, For: verb.Orchestrators, Changes: true, Short: short,
		Fields: []verb.Field{field}, Result: Workers{},
		Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
			var w adminapi.Workers
			if err := c.Node.Get(ctx, adminapi.PathWorkers, &w); err != nil || c.Set.DryRun {
				return Workers{w, true}, err
			}
			change := adminapi.WorkerChange{Name: verb.Get[string](c, "name"), Drain: drain}
			err := c.Node.Post(ctx, adminapi.PathWorker, nil, change, &w)
			return Workers{Workers: w}, err
		}}
}

// Print writes a table.
func (w Workers) Print(p *console.Page) {
	defer p.Flush()
	p.Title("WORKERS")
	var rows [][]string
	for i := range w.Workers.Workers {
		rows = append(rows, workerRow(&w.Workers.Workers[i]))
	}
	if len(rows) == 0 {
		p.Row("None", "no device is ready and no worker has registered")
	} else {
		p.Table([]string{
			"Worker", "Kind", "State", "Sessions", "Encoders", "MB", "MB each", "Real time", "Done", "Failed", "From",
		}, rows)
	}
	for _, one := range w.Workers.Workers {
		if one.Reason != "" {
			p.Row(one.Name, strings.TrimSpace(one.Code+" "+one.Reason))
		}
	}
	if w.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}

// positive returns a number, or a dash for 0.
func positive(n int64) string {
	if n == 0 {
		return "–"
	}
	return strconv.FormatInt(n, 10)
}

// of returns a number and its limit, if there is one.
func of(n, limit int) string {
	if limit <= 0 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d of %d", n, limit)
}

func workerRow(w *adminapi.Worker) []string {
	ratio := "–"
	if w.Ratio > 0 {
		ratio = fmt.Sprintf("%.2f", w.Ratio)
	}
	from := "this machine"
	if w.Remote {
		from = strings.TrimSpace(w.Address + " " + w.Node)
	}
	encoders := positive(int64(w.Encoders))
	if w.EncoderLimit > 0 {
		encoders = of(w.Encoders, w.EncoderLimit)
	}
	return []string{
		w.Name, w.Kind, w.State, of(w.Sessions, w.Limit), encoders, positive(w.Memory >> 20),
		positive(w.SessionMemory >> 20),
		ratio, strconv.FormatInt(w.Done, 10), strconv.FormatInt(w.Failed, 10), from,
	}
}
