package ledger

import "math/big"

// summaryState is what a summary has read of the ledger.
type summaryState struct {
	// begun: it was read at least once. large: the ledger exceeds the summary's limits.
	begun, large bool
	// commits is the last commit that was read, to the last entry, and floor the oldest
	// PostgreSQL transaction that was not visible.
	commits, to, floor int64
	// totals are sums of entries and archived totals, won those of winners.
	totals, won map[Key]*Total
	winners     map[int64]winnerAmounts
}

// summaryDelta is what one refresh read: everything if full is set, else what is new.
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

// apply adds what a refresh read.
func (g *summaryState) apply(n *summaryDelta) {
	if n.full {
		*g = summaryState{begun: true, large: n.large, totals: make(map[Key]*Total), won: make(map[Key]*Total),
			winners: make(map[int64]winnerAmounts)}
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

// addWinner adds a winner, or replaces its previous state.
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
	p.Key = g.won[p.Key].Key // shares the strings of the map's key
	g.winners[p.id] = p
}

// each calls f for all sums; the same key may come twice.
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

// negated returns a total that cancels the winner's own.
func (t Total) negated() Total {
	t.Winners = -t.Winners
	for _, v := range t.amounts() {
		*v = v.Neg()
	}
	return t
}
