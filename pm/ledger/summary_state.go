package ledger

import "math/big"

// gathered is what a summary has seen of the books.
type summaryState struct {
	// begun says that there is something; large that it was too much.
	begun, large bool
	// commits is the books' commit that was seen last, to the last entry that was
	// added, and floor where PostgreSQL's transactions begin that were not seen.
	commits, to, floor int64
	// totals are of entries and of what was rolled up, won of winners.
	totals, won map[Key]*Total
	winners     map[int64]winnerAmounts
}

// news is what one look found: everything anew, or what came since the look before.
type summaryDelta struct {
	now     current
	full    bool
	large   bool
	to      int64
	floor   int64
	rolled  []Total
	moves   []movement
	winners []winnerAmounts
}

// apply takes over what a look found.
func (g *summaryState) apply(n *summaryDelta) {
	if n.full {
		*g = summaryState{begun: true, large: n.large, totals: make(map[Key]*Total), won: make(map[Key]*Total), winners: make(map[int64]winnerAmounts)}
	}
	g.commits, g.to, g.floor = n.now.commits, n.to, n.floor
	for i := range n.rolled {
		addTo(g.totals, &n.rolled[i])
	}
	for i := range n.moves {
		addTo(g.totals, &n.moves[i].total)
	}
	for _, p := range n.winners {
		g.addWinner(p)
	}
	if g.large || len(g.totals)+len(g.won) > summaryKeys || len(g.winners) > summaryWinners {
		g.large, g.totals, g.won, g.winners = true, nil, nil, nil
	}
}

// win adds a winner, or replaces it by how it stands now.
func (g *summaryState) addWinner(p winnerAmounts) {
	if old, ok := g.winners[p.id]; ok {
		was := old.total().negated()
		addTo(g.won, &was)
		if g.won[old.Key].Winners == 0 {
			delete(g.won, old.Key)
		}
	}
	t := p.total()
	addTo(g.won, &t)
	p.Key = g.won[p.Key].Key // whose names are there once
	g.winners[p.id] = p
}

// each gives all sums to f; the same key may come twice.
func (g *summaryState) each(f func(*Total)) {
	for _, of := range []map[Key]*Total{g.totals, g.won} {
		for _, t := range of {
			f(t)
		}
	}
}

// addTo adds a total to the one of its key.
func addTo(sums map[Key]*Total, t *Total) {
	to := sums[t.Key]
	if to == nil {
		to = &Total{Key: t.Key, Units: new(big.Int), Produced: new(big.Int)}
		sums[t.Key] = to
	}
	to.add(t)
}

// negated is a winner's total that takes away what the winner's adds.
func (t Total) negated() Total {
	t.Winners = -t.Winners
	for _, v := range t.amounts() {
		*v = v.Neg()
	}
	return t
}
