package ledger

import (
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Format is how an export is written.
type Format string

// The formats: a table with a heading, or one JSON object per line. Amounts are
// decimal numbers or fractions, exact and as text.
const (
	CSV  Format = "csv"
	JSON Format = "json"
)

// pageRows is how many rows an export reads at once. It writes between reads, so that a slow
// client blocks nothing.
const pageRows = 1000

// row is one row of an export: values in the order of its columns.
type row []any

// tableWriter writes rows in a format.
type tableWriter struct {
	columns []string
	csv     *csv.Writer
	json    *json.Encoder
}

func newTableWriter(w io.Writer, f Format, columns []string) (*tableWriter, error) {
	s := &tableWriter{columns: columns}
	switch f {
	case CSV:
		s.csv = csv.NewWriter(w)
		return s, s.csv.Write(columns)
	case JSON:
		s.json = json.NewEncoder(w)
		return s, nil
	}
	return nil, fmt.Errorf("an export is %s or %s, not %q", CSV, JSON, f)
}

func (s *tableWriter) write(l row) error {
	if s.json != nil {
		object := make(map[string]any, len(l))
		for i, v := range l {
			if v != "" {
				object[s.columns[i]] = v
			}
		}
		return s.json.Encode(object)
	}
	record := make([]string, len(l))
	for i, v := range l {
		record[i] = cell(v)
	}
	return s.csv.Write(record)
}

// cell formats a value for a spreadsheet, which takes text that begins with one of these
// characters for a formula. Peers choose the names of accounts, sessions, models and workers.
func cell(v any) string {
	text := fmt.Sprint(v)
	if _, chosen := v.(string); chosen && text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

func (s *tableWriter) flush() error {
	if s.csv == nil {
		return nil
	}
	s.csv.Flush()
	return s.csv.Error()
}

// export writes page after page until there is nothing more. page gets the number of the last
// row before.
func export(ctx context.Context, w io.Writer, f Format, columns []string,
	page func(ctx context.Context, after int64) ([]row, int64, error)) error {
	const op = "export the ledger"
	s, err := newTableWriter(w, f, columns)
	if err != nil {
		return fault.Wrap(fault.LedgerFailed, op, err)
	}
	for after := int64(0); ; {
		lines, last, err := page(ctx, after)
		if err != nil {
			return fault.Wrap(fault.LedgerFailed, op, err)
		}
		for _, l := range lines {
			if err := s.write(l); err != nil {
				return err
			}
		}
		if len(lines) < pageRows {
			return s.flush()
		}
		after = last
	}
}

func entryColumns() []string {
	return []string{
		"entry", "time", "round", "kind", "sender", "account", "session", "from", "to", "amount",
		"set", "faceValue", "winProb", "tickets", "nonces", "expirationBlock",
		"pipeline", "model", "worker", "price", "units", "produced",
	}
}

// Export writes every entry that is not archived: what it moved from where to where, and what
// it was about.
func (r *Reader) Export(ctx context.Context, w io.Writer, f Format) error {
	return export(ctx, w, f, entryColumns(), func(ctx context.Context, after int64) (out []row, last int64, err error) {
		err = each(ctx, r.db, func(rows *sql.Rows) error {
			var l row
			l, last, err = entryRow(rows)
			out = append(out, l)
			return err
		}, `SELECT e.id, e.at, e.round, e.kind, a.sender, a.name, coalesce(e.session, ''), e.rand_hash, coalesce(e.face, '0'),
			e.prob, coalesce(e.tickets, 0), e.nonces, coalesce(e.expiration, 0),
			coalesce(e.pipeline, ''), coalesce(e.model, ''), coalesce(e.worker, ''), coalesce(e.per_unit, 0), coalesce(e.pixels,
				0), coalesce(e.units, 0),
			coalesce(e.produced, 0), coalesce(e.amount, '0')
			FROM ledger_entry e JOIN ledger_account a ON a.id = e.account WHERE e.id > ? ORDER BY e.id LIMIT ?`, after, pageRows)
		return out, last, err
	})
}

// The kinds of entries.
const (
	kindCredit  = 1
	kindDebit   = 2
	kindClosing = 3
)

func entryRow(rows *sql.Rows) (row, int64, error) {
	var id, at, kind int64
	var sender core.Address
	var account string
	var packed []byte
	var c pm.Credit
	var d pm.Debit
	var left pm.Value
	err := rows.Scan(&id, &at, &c.Round, &kind, into(sender[:]), &account, &c.Session, intoOptional(c.RandHash[:]),
		wei{&c.FaceValue}, intoOptional(c.WinProb[:]),
		new(int64), &packed, &c.ExpirationBlock, &d.Pipeline, &d.Model, &d.Worker, &d.Price.PerUnit, &d.Price.PixelsPerUnit,
		&d.Units, &d.Produced, value{&left})
	if err != nil {
		return nil, id, err
	}
	if c.Nonces, err = unpackNonces(packed); err != nil {
		return nil, id, fmt.Errorf("entry %d: %w", id, err)
	}
	l := row{id, timeOf(at).Format(time.RFC3339Nano), uint64(c.Round), "", sender.String(), account, string(c.Session)}
	switch kind {
	case kindCredit:
		l[3] = "credit"
		return append(l, "tickets", "balance", amountText(c.Value()), c.RandHash.String(), c.FaceValue.String(),
			protocol.Hash(c.WinProb).String(),
			len(c.Nonces), nonceText(c.Nonces), uint64(c.ExpirationBlock), "", "", "", "", "", ""), id, nil
	case kindDebit:
		l[3] = "debit"
		var produced any = ""
		if d.Produced >= 0 {
			produced = d.Produced
		}
		return append(l, "balance", "work", amountText(d.Value()), "", "", "", "", "", "", d.Pipeline, d.Model, d.Worker,
			d.Price.String(), d.Units, produced), id, nil
	}
	l[3] = "closing"
	from, to := "balance", "kept"
	if left.Sign() < 0 {
		from, to, left = "given up", "balance", left.Neg()
	}
	return append(l, from, to, amountText(left), "", "", "", "", "", "", "", "", "", "", "", ""), id, nil
}

// nonceText lists nonces with blanks between them.
func nonceText(nonces []uint32) string {
	var text []byte
	for i, n := range nonces {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendUint(text, uint64(n), 10)
	}
	return string(text)
}

func ticketColumns() []string {
	return []string{
		"ticket", "sender", "recipient", "account", "credited", "faceValue", "winProb", "nonce", "set", "round",
		"expirationBlock", "won",
		"state", "since", "tx", "paid", "gasFee", "attempts", "reason",
	}
}

// ExportTickets writes every winning ticket that is not archived. The random number and the
// signature, which make it money, are left out.
func (r *Reader) ExportTickets(ctx context.Context, w io.Writer, f Format) error {
	return export(ctx, w, f, ticketColumns(), func(ctx context.Context, after int64) (out []row, last int64, err error) {
		err = each(ctx, r.db, func(rows *sql.Rows) error {
			var w pm.Winner
			w, last, err = scanWinner(rows)
			out = append(out, ticketRow(&w))
			return err
		}, `SELECT `+winnerColumns+` FROM ledger_winner WHERE id > ? ORDER BY id LIMIT ?`, after, pageRows)
		return out, last, err
	})
}

func ticketRow(w *pm.Winner) row {
	t := &w.Ticket
	tx := ""
	if !w.Tx.IsZero() {
		tx = w.Tx.String()
	}
	return row{
		w.Hash.String(), t.Sender.String(), t.Recipient.String(), string(w.Account.Key), w.Credited, t.FaceValue.String(),
		protocol.Hash(t.WinProb).String(),
		t.SenderNonce, t.RecipientRandHash.String(), uint64(t.CreationRound), uint64(w.ExpirationBlock),
		w.Won.Format(time.RFC3339Nano),
		string(w.State), w.Since.Format(time.RFC3339Nano), tx, w.Paid.String(), w.GasFee.String(), w.Attempts, w.Reason,
	}
}
