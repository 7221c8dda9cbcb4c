package earnings

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/pm/paymentlog"
)

// table is a report as rows of text.
type table struct {
	head []string
	rows [][]string
}

func (t *table) write(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(t.head); err != nil {
		return err
	}
	if err := out.WriteAll(t.rows); err != nil {
		return err
	}
	return out.Error()
}

// cell makes foreign text safe for a spreadsheet, which takes text that begins with one of
// these characters for a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func share(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// keyColumns returns the headings of the grouping fields.
func (b By) keyColumns() (out []string) {
	for _, name := range b.Names() {
		if name == "model" {
			out = append(out, "pipeline")
		}
		out = append(out, name)
	}
	return out
}

func (b By) keyCells(r *Row) (out []string) {
	if b&Day != 0 {
		out = append(out, r.Day.String())
	}
	if b&Round != 0 {
		out = append(out, strconv.FormatUint(uint64(r.Round), 10))
	}
	if b&Gateway != 0 {
		out = append(out, r.Sender.String())
	}
	if b&Model != 0 {
		out = append(out, cell(r.Pipeline), cell(r.Model))
	}
	if b&Worker != 0 {
		out = append(out, cell(r.Worker))
	}
	return out
}

// WriteCSV writes the rows with a header. Amounts are wei, rewards smallest units of
// the stake token.
func (in *Income) WriteCSV(w io.Writer) error {
	t := table{head: append(in.By.keyColumns(), "tickets", "received_wei", "jobs", "units", "produced", "billed_wei",
		"won", "won_wei",
		"redeemed_wei", "short_wei", "waiting_wei", "mined_wei", "handed_wei", "expired_wei", "failed_wei", "gas_wei",
		"kept_wei", "given_wei", "reward", "share")}
	for i := range in.Rows {
		r := &in.Rows[i]
		t.rows = append(t.rows, append(in.By.keyCells(r), decimal(r.Tickets), Decimal(r.Received), decimal(r.Jobs),
			r.Units.String(), r.Produced.String(),
			Decimal(r.Billed), decimal(r.Winners), Decimal(r.Won), Decimal(r.Redeemed), Decimal(r.Short()), Decimal(r.Waiting),
			Decimal(r.Mined), Decimal(r.Handed), Decimal(r.Expired),
			Decimal(r.Failed), Decimal(r.Gas), Decimal(r.Kept), Decimal(r.Given), r.Reward.String(), share(r.Share)))
	}
	return t.write(w)
}

// WriteCSV writes the rows with a header. Amounts are wei.
func (s *Workers) WriteCSV(w io.Writer) error {
	t := table{head: []string{"worker", "pipeline", "model", "jobs", "units", "produced", "billed_wei", "share",
		"received_wei", "income_wei"}}
	for i := range s.Rows {
		r := &s.Rows[i]
		t.rows = append(t.rows, []string{cell(r.Worker), cell(r.Pipeline), cell(r.Model), decimal(r.Jobs), r.Units.String(),
			r.Produced.String(),
			Decimal(r.Billed), share(r.Share), Decimal(r.Received), Decimal(r.Income)})
	}
	return t.write(w)
}

// WriteCSV writes the rows with a header. Amounts are wei.
func (s *Spending) WriteCSV(w io.Writer) error {
	t := table{head: []string{"day", "recipient", "pipeline", "model", "payments", "tickets", "value_wei", "open_wei",
		"units", "billed_wei", "cost_wei", "charged_wei"}}
	for i := range s.Rows {
		t.rows = append(t.rows, spendingCells(&s.Rows[i]))
	}
	return t.write(w)
}

func spendingCells(r *paymentlog.Total) []string {
	return []string{r.Day, r.Recipient.String(), cell(r.Pipeline), cell(r.Model), decimal(r.Payments), decimal(r.Tickets),
		Decimal(r.Value), Decimal(r.Open), decimal(r.Units), Decimal(r.Billed), Decimal(r.Cost), r.Charged.String()}
}
