package command

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
)

func newKeyRows(list []apikeys.Key, usage []apikeys.Usage, now time.Time) []apikeys.Row {
	used := make(map[string]apikeys.Usage, len(usage))
	for _, u := range usage {
		used[u.ID] = u
	}
	rows := make([]apikeys.Row, 0, len(list))
	for _, k := range list {
		rows = append(rows, apikeys.NewRow(k, used[k.ID], now))
	}
	return rows
}

// writeKeyTable writes the keys for people.
func writeKeyTable(w io.Writer, rows []apikeys.Row) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(w, "no keys; tutti key create -name NAME makes one")
		return err
	}
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tabs, "ID\tNAME\tSTATE\tMODELS\tRPM\tTPM\tCONCURRENCY\tUSED\tBUDGET\tEXPIRES")
	for _, r := range rows {
		models := strings.Join(r.Models, ",")
		if models == "" {
			models = "all"
		}
		budget := budgetText(&r)
		used := strconv.FormatInt(r.Used, 10)
		if r.Reserved > 0 {
			used += fmt.Sprintf(" (+%d)", r.Reserved)
		}
		fmt.Fprintln(tabs, strings.Join([]string{r.ID, r.Name, r.State, models, limit(int64(r.RPM)), limit(r.TPM),
			limit(int64(r.Concurrency)), used, budget, day(r.Expires)}, "\t"))
	}
	return tabs.Flush()
}

// budgetText returns a key's budget for people.
func budgetText(r *apikeys.Row) string {
	var parts []string
	if r.Budget > 0 {
		parts = append(parts, limit(r.Budget))
	}
	if r.BudgetWei != "0" {
		parts = append(parts, r.Paid+" of "+r.BudgetWei+" wei")
	}
	if r.BudgetUSD != "0" {
		parts = append(parts, r.PaidUSD+" of "+r.BudgetUSD+" USD")
	}
	switch {
	case len(parts) == 0:
		return "-"
	case r.Period == string(apikeys.Total):
		return strings.Join(parts, ", ") + " in total"
	}
	return strings.Join(parts, ", ") + " per " + r.Period
}

// limit returns a number, "-" for no limit.
func limit(n int64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

// day returns a time's day, "never" for none.
func day(stamp string) string {
	if stamp == "" {
		return "never"
	}
	d, _, _ := strings.Cut(stamp, "T")
	return d
}
