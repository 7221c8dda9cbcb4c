package apikeys

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"time"
)

// Row is one key as commands and HTTP show it. docs/api-keys.md describes the fields; 0 and [] are no limit.
type Row struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state"`
	RowLimits
	RowUse
	Admin   bool   `json:"admin"`
	Expires string `json:"expires,omitempty"`
	Revoked string `json:"revoked,omitempty"`
	Created string `json:"created"`
	// Secret is there only when the key is made.
	Secret string `json:"secret,omitempty"`
}

// RowLimits are a key's limits.
type RowLimits struct {
	Models      []string `json:"models"`
	RPM         int      `json:"rpm"`
	TPM         int64    `json:"tpm"`
	Concurrency int      `json:"concurrency"`
	Budget      int64    `json:"budget"`
	BudgetWei   string   `json:"budget_wei"`
	BudgetUSD   string   `json:"budget_usd"`
	Alert       int      `json:"alert"`
	Period      string   `json:"period"`
}

// RowUse is what a key used in its period.
type RowUse struct {
	Used     int64  `json:"used"`
	Reserved int64  `json:"reserved"`
	Paid     string `json:"paid_wei"`
	Held     string `json:"held_wei"`
	PaidUSD  string `json:"paid_usd"`
	Requests int64  `json:"requests"`
	// Percent is the part of the budget that is used, LastUsed when a request was admitted last.
	Percent  int    `json:"percent"`
	LastUsed string `json:"last_used,omitempty"`
}

// NewRow returns a key and its use at a time.
func NewRow(k Key, u Usage, now time.Time) Row {
	u = u.At(k.Budget, now)
	row := Row{
		ID: k.ID, Name: k.Name, State: "good", Admin: k.Admin,
		RowLimits: RowLimits{Models: k.Models, RPM: k.RPM, TPM: int64(k.TPM), Concurrency: k.Concurrency,
			Budget: int64(k.Budget.Tokens), BudgetWei: k.Budget.Wei.String(), BudgetUSD: k.Budget.USD.String(), Alert: k.Alert,
			Period: string(u.Period)},
		RowUse: RowUse{Used: int64(u.Used), Reserved: int64(u.Reserved), Paid: u.Paid.String(), Held: u.Held.String(),
			PaidUSD: u.PaidUSD.String(), Requests: u.Requests, Percent: (&State{Key: k, Usage: u}).Percent(),
			LastUsed: stamp(u.Last)},
		Expires: stamp(k.Expires), Revoked: stamp(k.Revoked), Created: stamp(k.Created),
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

// stamp prints a time, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// SpendRow is spend as commands and HTTP show it, one object a line in exports: every field is a text or a number, and
// money is a text, because it may be larger than numbers are exact.
type SpendRow struct {
	Day        string `json:"day"`
	KeyID      string `json:"key_id"`
	Key        string `json:"key"`
	Pipeline   string `json:"pipeline"`
	Model      string `json:"model"`
	User       string `json:"user"`
	Tag        string `json:"tag"`
	Requests   int64  `json:"requests"`
	Prompt     int64  `json:"tokens_in"`
	Completion int64  `json:"tokens_out"`
	Units      int64  `json:"units"`
	Paid       string `json:"paid_wei"`
	Lost       string `json:"lost_wei"`
	USD        string `json:"paid_usd"`
}

// Row returns spend as it is shown.
func (s *Spend) Row() SpendRow {
	return SpendRow{Day: s.Day, KeyID: s.ID, Key: s.Name, Pipeline: s.Pipeline, Model: s.Model, User: s.User, Tag: s.Tags,
		Requests: s.Requests, Prompt: int64(s.Prompt), Completion: int64(s.Completion), Units: int64(s.Units),
		Paid: s.Paid.String(), Lost: s.Lost.String(), USD: s.USD.String()}
}

// SpendCSV returns rows with a line of names. A text that a spreadsheet would take for a formula begins with '.
func SpendCSV(list []Spend) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b) // a buffer takes everything
	_ = w.Write([]string{"day", "key_id", "key", "pipeline", "model", "user", "tag", "requests", "tokens_in", "tokens_out",
		"units", "paid_wei", "lost_wei", "paid_usd"})
	for i := range list {
		r := list[i].Row()
		fields := []string{r.Day, r.KeyID, r.Key, r.Pipeline, r.Model, r.User, r.Tag}
		for j, f := range fields {
			if f != "" && strings.ContainsRune("=+-@", rune(f[0])) {
				fields[j] = "'" + f
			}
		}
		for _, n := range []int64{r.Requests, r.Prompt, r.Completion, r.Units} {
			fields = append(fields, strconv.FormatInt(n, 10))
		}
		_ = w.Write(append(fields, r.Paid, r.Lost, r.USD))
	}
	w.Flush()
	return b.Bytes()
}
