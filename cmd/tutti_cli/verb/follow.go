package verb

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// A Follower watches one transaction from the request that sends it on. It knows
// the transaction by its number: hashes change when it is sent again, and clocks
// differ between machines.
type Follower struct {
	c *Call
	// verb is the transaction's; after is the highest number from before it.
	verb  string
	after uint64
	// until is when the wait is over.
	until time.Time
	// tx is what was last seen, nil while nothing was.
	tx *adminapi.Transaction
	// looks counts the looks that it was not mined at, waiting is what was reported of
	// why.
	looks   int
	waiting string
	// away: the node does not answer, and that was reported.
	away bool
}

// Send makes a request that sends a transaction of a verb, and shows the
// transaction as soon as the node knows it: some requests are answered only when
// it is mined. Without an answer it says what is known of it.
func (c *Call) Send(ctx context.Context, verb string, ask func(context.Context) error) (*Follower, error) {
	f := &Follower{c: c, verb: adminapi.Kebab(verb), until: c.World.Now().Add(c.Set.Timeout)}
	var all adminapi.Transactions
	if err := c.Node.Get(ctx, adminapi.PathTransactions, &all); err != nil {
		return nil, err
	}
	for _, t := range all.Transactions {
		f.after = max(f.after, t.ID)
	}
	bounded, cancel := context.WithTimeout(ctx, c.Set.Timeout)
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- ask(bounded) }()
	ticker := time.NewTicker(c.World.Poll)
	defer ticker.Stop()
	for {
		select {
		case err := <-answer:
			return f, f.outcome(bounded, err)
		case <-ticker.C:
			f.look(bounded)
		}
	}
}

// outcome turns a missing answer, and one that came before the transaction was
// mined, into what the node's transactions say.
func (f *Follower) outcome(ctx context.Context, err error) error {
	if err == nil || !errors.Is(err, fault.OutcomeUnknown) && node.Code(err) != string(fault.TransactionPending) {
		return err
	}
	f.seek(ctx)
	switch {
	case f.tx == nil:
		return fault.New(fault.OutcomeUnknown, "send", "the node did not answer; the transaction may have been sent, and "+
			"tutti_cli transactions shows whether it was")
	case ctx.Err() != nil:
		return timedOut(f.tx)
	}
	return nil
}

// seek looks for a transaction whose answer did not come until the node shows it,
// answers without it, or the time is over. Then it looks once more, because an
// operator who interrupts needs to know what was sent.
func (f *Follower) seek(ctx context.Context) {
	ticker := time.NewTicker(f.c.World.Poll)
	defer ticker.Stop()
	for ctx.Err() == nil {
		if f.read(ctx) {
			return
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
	f.read(context.WithoutCancel(ctx))
}

func timedOut(t *adminapi.Transaction) error {
	return fault.New(fault.WaitTimedOut, "follow the transaction",
		"transaction "+t.Hash.String()+" goes on; it is "+string(t.State)+" so far")
}

// rank orders how far a transaction came.
func rank() map[protocol.TxState]int {
	return map[protocol.TxState]int{protocol.TxSubmitted: 1, protocol.TxMined: 2, protocol.TxFinal: 3}
}

// Found reports whether there is a transaction to follow.
func (f *Follower) Found() bool { return f.tx != nil }

// Follow waits until the transaction is as far as --wait says.
func (f *Follower) Follow(ctx context.Context) (*adminapi.Transaction, error) {
	if f.tx == nil {
		return nil, fault.New(fault.NodeAnswerUnreadable, "send", "the node's answer names no transaction")
	}
	bounded, cancel := context.WithTimeout(ctx, f.until.Sub(f.c.World.Now()))
	defer cancel()
	ticker := time.NewTicker(f.c.World.Poll)
	defer ticker.Stop()
	for {
		if err := failure(f.tx); err != nil {
			return f.tx, err
		}
		if rank()[f.tx.State] >= rank()[protocol.TxState(f.c.Set.Wait)] {
			return f.tx, nil
		}
		select {
		case <-bounded.Done():
			return f.tx, timedOut(f.tx)
		case <-ticker.C:
		}
		f.look(bounded)
	}
}

// look sees how the transaction stands and, while that is nowhere, what holds it
// back.
func (f *Follower) look(ctx context.Context) {
	f.read(ctx)
	if f.tx != nil && f.tx.State != protocol.TxSubmitted {
		return
	}
	if f.looks++; f.looks%looksBeforeWhy == 0 {
		f.why(ctx)
	}
}

// looksBeforeWhy is how many reads of a transaction come before a request for the reason that
// holds it back, and again after as many.
const looksBeforeWhy = 5

// why reports the node's conditions that hold transactions back.
func (f *Follower) why(ctx context.Context) {
	var all adminapi.Conditions
	if err := f.c.Node.Get(ctx, adminapi.PathConditions, &all); err != nil {
		return
	}
	waiting := ""
	for _, c := range all.Conditions {
		if c.Code == string(fault.GasPriceAboveMax) || c.Code == string(fault.GasMoneyMissing) {
			waiting = c.Code + ": " + c.Detail
		}
	}
	if waiting != "" && waiting != f.waiting {
		f.c.Report("%s", f.c.ReportStyle.Warn("Waiting: "+waiting+"."))
	}
	f.waiting = waiting
}

// read reads the transaction again, and reports whether the node answered. Where it
// did not, or does not know the transaction any more, that stays as it was: only
// time ends the wait.
func (f *Follower) read(ctx context.Context) bool {
	var all adminapi.Transactions
	err := f.c.Node.Get(ctx, adminapi.PathTransactions, &all)
	if ctx.Err() == nil {
		f.recordAnswer(!errors.Is(err, fault.NodeUnreachable))
	}
	if err != nil {
		return false
	}
	for i := range all.Transactions {
		if t := &all.Transactions[i]; f.mine(t) {
			f.Saw(*t)
			break
		}
	}
	return true
}

// recordAnswer reports once when the node falls silent, and when it is back.
func (f *Follower) recordAnswer(answered bool) {
	switch {
	case !answered && !f.away && f.c.World.Now().Before(f.until):
		f.c.Report("%s", f.c.ReportStyle.Warn("The node does not answer; trying until "+f.until.Format("15:04")+"."))
	case answered && f.away:
		f.c.Report("The node answers again.")
	}
	f.away = !answered
}

// mine reports whether it is the transaction that is followed, or while that is
// not known, one that can be it.
func (f *Follower) mine(t *adminapi.Transaction) bool {
	if f.tx != nil {
		return t.ID == f.tx.ID
	}
	return t.ID > f.after && adminapi.Kebab(t.Verb) == f.verb && !t.Hash.IsZero()
}

// Saw takes in how the transaction stands, and reports a hash that is new.
func (f *Follower) Saw(t adminapi.Transaction) {
	switch {
	case f.tx == nil:
		f.c.Report("Sent: %s", t.Hash)
	case f.tx.Hash != t.Hash:
		f.c.Report("Sent again with a higher fee: %s", t.Hash)
	}
	f.tx = &t
}
