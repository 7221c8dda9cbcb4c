package protocol

// lostAfter is how often the chain has to miss what a final call did: endpoints may be behind.
const lostAfter = 3

// lostCall is a final call, and how often the chain did not show what it did. A deep reorganization or an endpoint's
// false receipt loses such a call.
type lostCall struct {
	tx   TxHash
	seen int
}

// count records that the chain does not show what a call did. Only a final one is lost: until then the actor follows
// it.
func (l *lostCall) count(tx Transaction) {
	switch {
	case tx.State != TxFinal:
	case tx.Hash == l.tx:
		l.seen++
	default:
		*l = lostCall{tx: tx.Hash, seen: 1}
	}
}

// once returns the Once text of a call. After a lost call it is another text: under the first one the actor would
// always find the lost call. It is for calls that the contract takes once, whatever becomes of the two.
func (l *lostCall) once(text string) string {
	if l.seen >= lostAfter {
		return text + " after " + l.tx.String()
	}
	return text
}
