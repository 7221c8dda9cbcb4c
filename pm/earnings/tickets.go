package earnings

import (
	"io"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/pm"
)

// Tickets are winning tickets as a list for a spreadsheet.
type Tickets []pm.Winner

// WriteCSV writes them with a header. Amounts are wei. The random number and the
// signature, which make a ticket money, are left out.
func (s Tickets) WriteCSV(w io.Writer) error {
	t := table{head: []string{"ticket", "gateway", "recipient", "account", "credited", "face_value_wei", "round",
		"redeem_from_l1_block", "won",
		"state", "since", "tx", "paid_wei", "gas_wei", "attempts", "reason"}}
	for i := range s {
		t.rows = append(t.rows, ticketCells(&s[i]))
	}
	return t.write(w)
}

func ticketCells(w *pm.Winner) []string {
	tx := ""
	if !w.Tx.IsZero() {
		tx = w.Tx.String()
	}
	return []string{
		w.Hash.String(), w.Ticket.Sender.String(), w.Ticket.Recipient.String(), cell(string(w.Account.Key)),
		strconv.FormatBool(w.Credited),
		w.Ticket.FaceValue.String(), strconv.FormatUint(uint64(w.Ticket.CreationRound), 10),
		strconv.FormatUint(uint64(w.ExpirationBlock), 10),
		w.Won.UTC().Format(time.RFC3339), string(w.State), w.Since.UTC().Format(time.RFC3339), tx, w.Paid.String(),
		w.GasFee.String(),
		strconv.Itoa(w.Attempts), cell(w.Reason),
	}
}
