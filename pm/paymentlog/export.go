package paymentlog

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Row is a payment as it is exported.
type Row struct {
	ID        int64  `json:"id"`
	At        string `json:"at"`
	Recipient string `json:"recipient"`
	Peer      string `json:"peer"`
	Account   string `json:"account"`
	Pipeline  string `json:"pipeline"`
	Model     string `json:"model,omitempty"`
	RandHash  string `json:"randHash,omitempty"`
	First     uint32 `json:"firstNonce,omitempty"`
	Last      uint32 `json:"lastNonce,omitempty"`
	FaceValue string `json:"faceValue"`
	Value     string `json:"value"`
	Price     string `json:"price"`
	Estimate  int64  `json:"estimate"`
	State     State  `json:"state"`
	Units     int64  `json:"units"`
	Billed    string `json:"billed"`
	Cost      string `json:"cost"`
	Charged   string `json:"charged"`
}

func header() []string {
	return []string{"id", "at", "recipient", "peer", "account", "pipeline", "model", "randHash", "firstNonce",
		"lastNonce",
		"faceValue", "value", "price", "estimate", "state", "units", "billed", "cost", "charged"}
}

// rowOf writes a payment's amounts as exact fractions of wei.
func rowOf(p *Payment) Row {
	l := Row{
		ID: int64(p.ID), At: p.At.UTC().Format(time.RFC3339Nano), Recipient: p.Recipient.String(), Peer: p.Peer,
		Account:  string(p.Account),
		Pipeline: p.Pipeline, Model: p.Model, First: p.First, Last: p.Last, FaceValue: p.FaceValue.String(),
		Value: p.Value().Rat().RatString(), Price: p.Price.String(), Estimate: p.Estimate, State: p.State, Units: p.Units,
		Billed: p.Billed().Rat().RatString(), Cost: p.Cost().Rat().RatString(), Charged: p.Charged.String(),
	}
	if p.Tickets() > 0 {
		l.RandHash = p.RandHash.String()
	}
	return l
}

func (l *Row) fields() []string {
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	return []string{n(l.ID), l.At, l.Recipient, cell(l.Peer), cell(l.Account), cell(l.Pipeline), cell(l.Model),
		l.RandHash, n(int64(l.First)), n(int64(l.Last)),
		l.FaceValue, l.Value, l.Price, n(l.Estimate), string(l.State), n(l.Units), l.Billed, l.Cost,
		l.Charged}
}

// cell makes foreign text safe for a spreadsheet, which takes text that begins with one of
// these characters for a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

// Export writes the payments that are stored one by one: as "csv" with a header, or as "json",
// one object on each line.
func (s *Store) Export(ctx context.Context, w io.Writer, format string) error {
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		return s.Each(ctx, func(p *Payment) error { return enc.Encode(rowOf(p)) })
	case "csv":
		out := csv.NewWriter(w)
		if err := out.Write(header()); err != nil {
			return err
		}
		err := s.Each(ctx, func(p *Payment) error {
			l := rowOf(p)
			return out.Write(l.fields())
		})
		out.Flush()
		if err == nil {
			err = out.Error()
		}
		return err
	}
	return fmt.Errorf("payments are exported as csv or json, not as %q", format)
}
