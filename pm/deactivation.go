package pm

import "github.com/tuttinode/tutti/core/protocol"

// closeBefore is how many layer-1 blocks before an orchestrator leaves the active set its
// parameters end: two minutes, in which what they won is redeemed. In short rounds it is less.
const closeBefore protocol.L1Block = 10

// Leaving is the end of an orchestrator's time in the active set. The contract pays tickets
// to members alone, so that what is not redeemed before End is lost. From Close on no ticket
// is taken, and the winners are redeemed whatever their parameters say. It is zero for an
// orchestrator that stays.
type Leaving struct {
	Close, End protocol.L1Block
}

// LeavingOf reads from the chain when the watched orchestrator leaves: it was evicted, or
// unbonded all of its stake.
func LeavingOf(v *protocol.View) Leaving {
	now, last := v.Round.Number, v.Self.DeactivationRound
	if !v.Self.Active || last == protocol.Never || last <= now {
		return Leaving{}
	}
	end := v.Round.Start + protocol.L1Block(last-now)*v.Round.Length
	return Leaving{Close: end - min(end, closeBefore, v.Round.Length/6), End: end}
}

// Known reports whether the orchestrator leaves.
func (l Leaving) Known() bool { return l.End != 0 }

// Closed reports whether tickets are not taken any more at a height.
func (l Leaving) Closed(l1 protocol.L1Block) bool { return l.Known() && l1 >= l.Close }
