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

// keyRow is one key as `tutti key list -json` writes it. docs/api-keys.md
// describes the fields; 0 and [] are no limit.
type keyRow struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	State       string   `json:"state"`
	Models      []string `json:"models"`
	RPM         int      `json:"rpm"`
	TPM         int64    `json:"tpm"`
	Concurrency int      `json:"concurrency"`
	Budget      int64    `json:"budget"`
	Period      string   `json:"period"`
	Used        int64    `json:"used"`
	Reserved    int64    `json:"reserved"`
	Requests    int64    `json:"requests"`
	Expires     string   `json:"expires,omitempty"`
	Revoked     string   `json:"revoked,omitempty"`
	Created     string   `json:"created"`
	// Secret is there only when the key is made.
	Secret string `json:"secret,omitempty"`
}

func newKeyRow(k apikeys.Key, u apikeys.Usage, now time.Time) keyRow {
	u = u.At(k.Budget, now)
	row := keyRow{
		ID: k.ID, Name: k.Name, State: "good", Models: k.Models, RPM: k.RPM, TPM: int64(k.TPM), Concurrency: k.Concurrency,
		Budget: int64(k.Budget.Tokens), Period: string(u.Period), Used: int64(u.Used), Reserved: int64(u.Reserved),
		Requests: u.Requests,
		Expires:  Stamp(k.Expires), Revoked: Stamp(k.Revoked), Created: Stamp(k.Created),
	}
	if row.Models == nil {
		row.Models = []string{}
	}
	switch {
	case !k.Revoked.IsZero():
		row.State = "revoked"
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		row.State = "expired"
	}
	return row
}

func newKeyRows(list []apikeys.Key, usage []apikeys.Usage, now time.Time) []keyRow {
	used := make(map[string]apikeys.Usage, len(usage))
	for _, u := range usage {
		used[u.ID] = u
	}
	rows := make([]keyRow, 0, len(list))
	for _, k := range list {
		rows = append(rows, newKeyRow(k, used[k.ID], now))
	}
	return rows
}

// writeKeyTable writes the keys for people.
func writeKeyTable(w io.Writer, rows []keyRow) error {
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
		budget := limit(r.Budget)
		if r.Budget > 0 {
			budget += " per " + r.Period
			if r.Period == string(apikeys.Total) {
				budget = limit(r.Budget) + " in total"
			}
		}
		used := strconv.FormatInt(r.Used, 10)
		if r.Reserved > 0 {
			used += fmt.Sprintf(" (+%d)", r.Reserved)
		}
		fmt.Fprintln(tabs, strings.Join([]string{r.ID, r.Name, r.State, models, limit(int64(r.RPM)), limit(r.TPM),
			limit(int64(r.Concurrency)), used, budget, day(r.Expires)}, "\t"))
	}
	return tabs.Flush()
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
