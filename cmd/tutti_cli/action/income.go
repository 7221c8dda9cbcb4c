package action

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

type (
	// Income is `income`.
	Income struct{ adminapi.Income }
	// WorkerShares is `income workers`.
	WorkerShares struct{ adminapi.WorkerShares }
)

// csvField asks for a list for spreadsheets instead.
func csvField() verb.Field {
	return verb.Field{Name: "csv", Switch: true, Help: "write CSV with amounts in wei, for a spreadsheet"}
}

// report returns a verb's work where its answer may be asked for in CSV.
func report[T any](ctx context.Context, c *verb.Call, path string, q url.Values,
	result func(T) verb.Result) (verb.Result, error) {
	if verb.Get[bool](c, "csv") {
		if c.Set.JSON {
			return nil, verb.Mistake("--csv and --json exclude one another")
		}
		return readCSV(ctx, c, path, q)
	}
	var answer T
	if err := c.Node.Get(ctx, with(path, q), &answer); err != nil {
		return nil, err
	}
	return result(answer), nil
}

func incomeVerbs() verb.Table {
	by := verb.Field{Name: "by", Meta: "WORDS",
		Help: "rows by day, round, gateway, model, worker; several with commas: day,model", Parse: parseBy}
	return verb.Table{
		{Name: "income", Chain: true,
			Short:  "What the orchestrator earned: tickets received, work billed, won, redeemed, lost.",
			Fields: []verb.Field{by, csvField()}, Result: Income{},
			Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
				q := url.Values{}
				if by := verb.Get[string](c, "by"); by != "" {
					q.Set(adminapi.QueryBy, by)
				}
				return report(ctx, c, adminapi.PathIncome, q, func(a adminapi.Income) verb.Result { return Income{a} })
			}},
		{Name: "income workers", Chain: true,
			Short: "Which worker did which part of the paid work, and its share of the income.",
			Long: "The network pays the orchestrator alone; a pool's operator can pay the workers by this. Income is what " +
				"redeemed tickets paid less the gas, " +
				"shared by the value of the finished work.",
			Fields: []verb.Field{csvField()}, Result: WorkerShares{},
			Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
				return report(ctx, c, adminapi.PathIncomeWorkers, url.Values{},
					func(a adminapi.WorkerShares) verb.Result { return WorkerShares{a} })
			}},
	}
}

// parseBy checks the words that rows are grouped by.
func parseBy(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
	for _, word := range strings.Split(text, ",") {
		if !slices.Contains([]string{"day", "round", "gateway", "model", "worker"}, word) {
			return nil, fmt.Errorf("rows are by day, round, gateway, model or worker, not by %q", word)
		}
	}
	return text, nil
}

// ether writes wei that may have decimal places and a sign as ETH; what is less than
// a wei is left out.
func ether(text string) string {
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}
	whole, _, _ := strings.Cut(text, ".")
	w, err := core.ParseWei(whole)
	if err != nil {
		return sign + text + " wei"
	}
	return sign + verb.FormatEther(w)
}

func sharePercent(f float64) string { return fmt.Sprintf("%.1f %%", 100*f) }

// Print writes the rows, or the sums where there is one row of everything.
func (a Income) Print(p *console.Page) {
	defer p.Flush()
	p.Title("INCOME")
	if len(a.By) > 0 {
		a.table(p)
		p.Title("IN ALL")
	}
	t := a.Total
	p.Row("Received", fmt.Sprintf("%s in %d tickets, expected value", ether(t.Received), t.Tickets))
	p.Row("Billed", fmt.Sprintf("%s for %d jobs", ether(t.Billed), t.Jobs))
	p.Row("Won", fmt.Sprintf("%s in %d tickets, face value", verb.FormatEther(t.WonValue), t.Won))
	p.Row("Redeemed", verb.FormatEther(t.Redeemed)+", final")
	p.Row("Mined", verb.FormatEther(t.Mined)+", paid in a block that may still be undone")
	p.Row("Waiting", verb.FormatEther(t.Waiting)+", won, queued or submitted")
	if !t.Handed.IsZero() {
		p.Row("Handed over", verb.FormatEther(t.Handed)+" to another process's redeemer, not seen as paid yet")
	}
	if !t.Short.IsZero() {
		p.Row("Paid short", lost(p, t.Short)+", not covered by the gateways' deposits and reserves")
	}
	p.Row("Expired", lost(p, t.Expired))
	p.Row("Failed", lost(p, t.Failed))
	p.Row("Gas", verb.FormatEther(t.Gas))
	p.Row("Reward", rewardOf(t.Reward))
}

// rewardOf returns the stake tokens of a row, or a dash where rewards are no part of it.
func rewardOf(w *core.LPT) string {
	if w == nil {
		return "–"
	}
	return verb.FormatStake(*w)
}

func lost(p *console.Page, w core.Wei) string {
	if w.IsZero() {
		return verb.FormatEther(w)
	}
	return p.Style.Bad(verb.FormatEther(w))
}

func (a Income) table(p *console.Page) {
	if len(a.Rows) == 0 {
		p.Line("There is none yet.")
		return
	}
	head := []string{}
	for _, by := range a.By {
		if by == "model" {
			head = append(head, "PIPELINE")
		}
		head = append(head, strings.ToUpper(by))
	}
	head = append(head, "TICKETS", "RECEIVED", "JOBS", "UNITS", "BILLED", "SHARE", "WON", "REDEEMED", "MINED", "WAITING",
		"HANDED", "SHORT", "LOST", "GAS", "REWARD")
	var rows [][]string
	for i := range a.Rows {
		r := &a.Rows[i]
		rows = append(rows, append(a.about(r), fmt.Sprint(r.Tickets), ether(r.Received), fmt.Sprint(r.Jobs),
			fmt.Sprint(r.Units), ether(r.Billed),
			sharePercent(r.Share), verb.FormatEther(r.WonValue), verb.FormatEther(r.Redeemed), verb.FormatEther(r.Mined),
			verb.FormatEther(r.Waiting),
			verb.FormatEther(r.Handed), lost(p, r.Short), lost(p, r.Expired.Add(r.Failed)), verb.FormatEther(r.Gas),
			rewardOf(r.Reward)))
	}
	p.Table(head, rows)
}

// about returns what a row is about, in the order of By.
func (a Income) about(r *adminapi.IncomeRow) (out []string) {
	for _, by := range a.By {
		switch by {
		case "day":
			out = append(out, r.Day)
		case "round":
			out = append(out, textOf(r.Round))
		case "gateway":
			out = append(out, textOf(r.Gateway))
		case "model":
			out = append(out, dash(r.Pipeline), dash(r.Model))
		case "worker":
			out = append(out, dash(r.Worker))
		}
	}
	return out
}

func textOf[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// Print writes the shares.
func (a WorkerShares) Print(p *console.Page) {
	defer p.Flush()
	p.Title("WORKERS")
	if len(a.Workers) == 0 {
		p.Line("No paid work was done yet.")
		return
	}
	var rows [][]string
	for _, w := range append(a.Workers, a.Total) {
		rows = append(rows, []string{dash(w.Worker), dash(w.Pipeline), dash(w.Model), fmt.Sprint(w.Jobs),
			fmt.Sprint(w.Units), fmt.Sprint(w.Produced),
			ether(w.Billed), sharePercent(w.Share), ether(w.Received), ether(w.Income)})
	}
	rows[len(rows)-1][0] = "in all"
	p.Table([]string{"WORKER", "PIPELINE", "MODEL", "JOBS", "UNITS", "PRODUCED", "BILLED", "SHARE", "OF RECEIVED",
		"OF INCOME"}, rows)
}
