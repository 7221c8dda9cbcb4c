package earnings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/pm/ledger"
)

// By selects the fields by which a report's rows are grouped; combine them with |.
type By uint8

// The grouping fields. Model is a pipeline and its model.
const (
	Day By = 1 << iota
	Round
	Gateway
	Model
	Worker
)

// grouping is one grouping field.
type grouping struct {
	by   By
	name string
	// ledger is the same for the ledger's totals.
	ledger ledger.By
}

// groupings returns all of them, in the order in which rows are sorted.
func groupings() []grouping {
	return []grouping{
		{Day, "day", ledger.ByDay},
		{Round, "round", ledger.ByRound},
		{Gateway, "gateway", ledger.BySender},
		{Model, "model", ledger.ByPipeline | ledger.ByModel},
		{Worker, "worker", ledger.ByWorker},
	}
}

var errGrouping = errors.New("rows are grouped by day, round, gateway, model or worker")

// ParseBy reads names with commas between, "day,model"; nothing groups by nothing.
func ParseBy(text string) (by By, err error) {
	if text == "" {
		return 0, nil
	}
	for _, name := range strings.Split(text, ",") {
		one := byOf(name)
		if one == 0 {
			return 0, fmt.Errorf("%w, not by %q", errGrouping, name)
		}
		if by&one != 0 {
			return 0, fmt.Errorf("%w, each once: %s is named twice", errGrouping, name)
		}
		by |= one
	}
	return by, nil
}

func byOf(name string) By {
	for _, g := range groupings() {
		if g.name == name {
			return g.by
		}
	}
	return 0
}

// Names returns what ParseBy reads, in the order in which rows are sorted.
func (b By) Names() []string {
	out := []string{}
	for _, g := range groupings() {
		if b&g.by != 0 {
			out = append(out, g.name)
		}
	}
	return out
}

// Query requests totals from the ledger, grouped as the rows are.
func (b By) Query() ledger.Query {
	var q ledger.Query
	for _, g := range groupings() {
		if b&g.by != 0 {
			q.By |= g.ledger
		}
	}
	return q
}

// of keeps the fields of a key by which the rows are grouped.
func (b By) of(k ledger.Key) ledger.Key { return b.Query().By.Of(k) }

// rewards reports whether a round's reward belongs to one row: it is no gateway's,
// no model's and no worker's.
func (b By) rewards() bool { return b&^(Day|Round) == 0 }
