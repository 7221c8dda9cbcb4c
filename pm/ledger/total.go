package ledger

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Day is a day of UTC, counted from 1970.
type Day int64

// DayOf returns the day of a time.
func DayOf(t time.Time) Day { return Day(t.Unix() / 86400) }

// String returns the day as "2026-03-01".
func (d Day) String() string { return time.Unix(int64(d)*86400, 0).UTC().Format(time.DateOnly) }

// Key is what a total is about. Tickets and their redemption belong to no worker.
type Key struct {
	Day             Day
	Round           protocol.Round
	Sender          core.Address
	Pipeline, Model string
	Worker          string
}

// Total is the sum of the entries of a key, in exact numbers.
type Total struct {
	Key
	// Tickets were credited, Received is their expected value.
	Tickets  int64
	Received pm.Value
	// Jobs were billed, Billed is the bills' sum. Units and Produced have no bound.
	Jobs            int64
	Units, Produced *big.Int
	Billed          pm.Value
	// Kept was left over in closed accounts, Given was missing from them.
	Kept, Given pm.Value
	// Winners have face values of Won. Of these Redeemed was paid for final tickets, Waiting is
	// not paid (won, queued, submitted), Mined was paid in a block that may still be undone,
	// Handed is with another process and not seen as paid, Expired and Failed are lost. The
	// rest is Short.
	Winners                                                int64
	Won, Redeemed, Waiting, Mined, Handed, Expired, Failed pm.Value
	// Gas is what redeeming cost.
	Gas pm.Value
}

// Short returns the part of the face values that mined and final tickets did not pay, because
// the sender's deposit and reserve did not cover it.
func (t *Total) Short() pm.Value {
	short := t.Won
	for _, v := range []pm.Value{t.Redeemed, t.Waiting, t.Mined, t.Handed, t.Expired, t.Failed} {
		short = short.Sub(v)
	}
	return short
}

// add adds what another total has; the key stays.
func (t *Total) add(o *Total) {
	t.Tickets, t.Jobs, t.Winners = t.Tickets+o.Tickets, t.Jobs+o.Jobs, t.Winners+o.Winners
	t.Units, t.Produced = sum(t.Units, o.Units), sum(t.Produced, o.Produced)
	for i, v := range o.amounts() {
		to := t.amounts()[i]
		*to = to.Add(*v)
	}
}

// amounts returns all amounts in a fixed order.
func (t *Total) amounts() [12]*pm.Value {
	return [12]*pm.Value{&t.Received, &t.Billed, &t.Kept, &t.Given, &t.Won, &t.Redeemed, &t.Waiting, &t.Mined, &t.Handed,
		&t.Expired, &t.Failed, &t.Gas}
}

// sum returns a new number; nil counts as 0.
func sum(a, b *big.Int) *big.Int {
	out := new(big.Int)
	for _, n := range []*big.Int{a, b} {
		if n != nil {
			out.Add(out, n)
		}
	}
	return out
}

// movement is the sum of some entries of one account.
type movement struct {
	account int64
	entries int64
	// value is what they add to the account's balance.
	value pm.Value
	total Total
}

// workOf derives from an account's name what it pays for: names of AI accounts have the
// capability's number before the model, those of live work a prefix, all others are streams. A
// redeemer for others knows no names.
func workOf(name string) (pipeline, model string) {
	if name == "" {
		return "", ""
	}
	if pm.IsLiveKey(core.ManifestID(name)) {
		return pm.LivePipeline, ""
	}
	number, model, ok := strings.Cut(name, "_")
	if n, err := strconv.Atoi(number); ok && err == nil && capability.ID(n).Pipeline() != "" {
		return capability.ID(n).Pipeline(), model
	}
	return "transcoding", ""
}
