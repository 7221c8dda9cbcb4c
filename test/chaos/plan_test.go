package chaos

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/devnet/control"
)

// classes are the groups of methods that a fault can be limited to.
var classes = []string{"read", "logs", "send", "receipt"}

// faultKinds are all ways in which an endpoint misbehaves, with what each needs.
var faultKinds = []control.Fault{
	{Kind: control.Stop},
	{Kind: control.Hang},
	{Kind: control.Slow, Duration: control.Duration(2 * time.Second)},
	{Kind: control.HTTP429},
	{Kind: control.HTTP500},
	{Kind: control.HTML502},
	{Kind: control.HalfJSON},
	{Kind: control.Reset},
	{Kind: control.LimitExceeded},
	{Kind: control.WrongChain, ChainID: 1},
	{Kind: control.Lag, Blocks: 8},
	{Kind: control.LogRange, Blocks: 3},
	{Kind: control.EmptyLogs},
	{Kind: control.StaleReceipts},
}

// ailment is a fault of one or two endpoints.
type ailment struct {
	control.Fault
	at []int
}

func (a ailment) String() string {
	return fmt.Sprintf("%s of %s at %v", a.Kind, strings.Join(a.Methods, ","), a.at)
}

// plan is what happens in one round.
type plan struct {
	problems []problem
	ailment  *ailment
	// others: another account initializes the round; otherwise the node has to.
	others bool
}

func (p plan) String() string {
	var out []string
	for _, t := range p.problems {
		out = append(out, t.name)
	}
	if p.ailment != nil {
		out = append(out, p.ailment.String())
	}
	if !p.others {
		out = append(out, "no other account initializes")
	}
	if len(out) == 0 {
		return "calm"
	}
	return strings.Join(out, "; ")
}

// deck deals its GPUs in any order, all before any comes again.
type deck[T any] struct {
	dice  *rand.Rand
	cards []T
	left  []T
}

func (d *deck[T]) draw() T {
	if len(d.left) == 0 {
		d.left = append(d.left, d.cards...)
		d.dice.Shuffle(len(d.left), func(i, j int) { d.left[i], d.left[j] = d.left[j], d.left[i] })
	}
	card := d.left[0]
	d.left = d.left[1:]
	return card
}

// schedule makes plans out of dice.
type schedule struct {
	dice     *rand.Rand
	problems deck[problem]
	ailments deck[control.Fault]
}

func newSchedule(dice *rand.Rand) *schedule {
	var sick []control.Fault
	for _, f := range faultKinds {
		for _, class := range classes {
			f.Methods = []string{class}
			sick = append(sick, f)
		}
	}
	return &schedule{dice: dice, problems: deck[problem]{dice: dice, cards: problems()},
		ailments: deck[control.Fault]{dice: dice, cards: sick}}
}

// next is the plan of a round: one problem, sometimes two, and most often an
// endpoint or two that misbehave from its beginning to its end.
func (s *schedule) next() plan {
	p := plan{problems: []problem{s.problems.draw()}, others: s.dice.IntN(2) == 0}
	if s.dice.IntN(4) == 0 {
		if second := s.problems.draw(); !p.problems[0].excludes(second) {
			p.problems = append(p.problems, second)
		}
	}
	if s.dice.IntN(4) > 0 {
		a := &ailment{Fault: s.ailments.draw()}
		first := s.dice.IntN(endpoints)
		if a.at = []int{first}; s.dice.IntN(2) == 0 {
			a.at = append(a.at, (first+1)%endpoints)
		}
		p.ailment = a
	}
	return p
}

func TestScheduleLeavesNothingOut(t *testing.T) {
	t.Parallel()
	s := newSchedule(rand.New(rand.NewPCG(1, 0)))
	seen, sick := map[string]bool{}, map[string]bool{}
	for range 200 {
		p := s.next()
		for _, t := range p.problems {
			seen[t.name] = true
		}
		if p.ailment != nil {
			sick[string(p.ailment.Kind)+p.ailment.Methods[0]] = true
		}
		if p.ailment != nil && len(p.ailment.at) >= endpoints {
			t.Errorf("no endpoint is left: %s", p)
		}
	}
	if len(seen) != len(problems()) || len(sick) != len(faultKinds)*len(classes) {
		t.Errorf("%d of %d problems and %d of %d faults happen", len(seen), len(problems()), len(sick),
			len(faultKinds)*len(classes))
	}
	if a, b := newSchedule(rand.New(rand.NewPCG(5, 0))), newSchedule(rand.New(rand.NewPCG(5, 0))); fmt.Sprint(a.next(),
		a.next()) != fmt.Sprint(b.next(), b.next()) {
		t.Error("the same seed gives another schedule")
	}
}
