package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/apikeystore"
)

// spend writes what requests used and cost.
func (t *keyTool) spend(ctx context.Context, s *apikeystore.Store, f *KeyFlags) error {
	q, err := f.spendQuery(ctx, s)
	if err != nil {
		return err
	}
	list, err := s.Spend(ctx, q)
	if err != nil {
		return err
	}
	switch f.spending.format {
	case "jsonl":
		out := json.NewEncoder(t.stdout)
		out.SetEscapeHTML(false)
		for i := range list {
			if err := out.Encode(list[i].Row()); err != nil {
				return err
			}
		}
		return nil
	case "csv":
		_, err := t.stdout.Write(apikeys.SpendCSV(list))
		return err
	}
	return t.spendTable(list)
}

// spendQuery reads the flags.
func (f *KeyFlags) spendQuery(ctx context.Context, s *apikeystore.Store) (q apikeys.SpendQuery, err error) {
	if !slices.Contains([]string{"table", "jsonl", "csv"}, f.spending.format) {
		return q, fmt.Errorf("-format is table, jsonl or csv, not %q: %w", f.spending.format, ErrKeyUsage)
	}
	for _, day := range []struct {
		to   *string
		text string
	}{{&q.From, f.spending.from}, {&q.To, f.spending.to}} {
		if *day.to, err = apikeys.ParseDay(day.text); err != nil {
			return q, fmt.Errorf("%v: %w", err, ErrKeyUsage)
		}
	}
	if q.By, err = apikeys.ParseSpendFields(f.spending.by); err != nil {
		return q, fmt.Errorf("%v: %w", err, ErrKeyUsage)
	}
	if f.which == "" {
		return q, nil
	}
	keys, _, err := s.Load(ctx)
	if err != nil {
		return q, err
	}
	i := slices.IndexFunc(keys, func(k apikeys.Key) bool { return k.ID == f.which })
	if i < 0 { // of keys with one name the last one made
		for j := range keys {
			if keys[j].Name == f.which {
				i = j
			}
		}
	}
	if i < 0 {
		return q, fault.New(fault.KeyNotFound, "find key", fmt.Sprintf("no key has the name or ID %q", f.which))
	}
	q.ID, q.One = keys[i].ID, true
	return q, nil
}

// spendTable writes spend for people.
func (t *keyTool) spendTable(list []apikeys.Spend) error {
	tabs := tabwriter.NewWriter(t.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tabs, "DAY\tKEY\tMODEL\tUSER\tTAG\tREQUESTS\tTOKENS IN\tTOKENS OUT\tPAID (WEI)\tLOST (WEI)\tPAID (USD)")
	for i := range list {
		r := list[i].Row()
		fmt.Fprintln(tabs, strings.Join([]string{orDash(r.Day), orDash(r.Key), orDash(r.Model), orDash(r.User), orDash(r.Tag),
			strconv.FormatInt(r.Requests, 10), strconv.FormatInt(r.Prompt, 10), strconv.FormatInt(r.Completion, 10), r.Paid,
			r.Lost, r.USD}, "\t"))
	}
	return tabs.Flush()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
