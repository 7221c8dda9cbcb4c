package apikeys

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// SpendKey identifies a sum of spend. A field that a query did not ask for is empty.
type SpendKey struct {
	// Day is in UTC, "2027-01-31".
	Day string
	// ID and Name are the key's, both "" for requests without one.
	ID, Name        string
	Pipeline, Model string
	// User is what the client calls its own user. Tags are the client's labels, sorted and separated by commas.
	User, Tags string
}

// Spend is what requests used and cost. Paid includes Lost, which went to attempts without an answer. USD is what Paid
// was in dollars when it was paid.
type Spend struct {
	SpendKey
	Requests           int64
	Prompt, Completion inference.Tokens
	Units              inference.Units
	Paid, Lost         core.Wei
	USD                USD
}

// Add adds another sum.
func (s *Spend) Add(o *Spend) {
	s.Requests += o.Requests
	s.Prompt, s.Completion, s.Units = s.Prompt+o.Prompt, s.Completion+o.Completion, s.Units+o.Units
	s.Paid, s.Lost, s.USD = s.Paid.Add(o.Paid), s.Lost.Add(o.Lost), s.USD.Add(o.USD)
}

// Bounds of labels, which clients write, and of spend that is not saved yet.
const (
	maxLabel = 64
	maxTags  = 8
	// maxPending bounds the rows of all keys. Beyond it a further row names neither user, tags nor model.
	maxPending = 1 << 14
)

// OtherLabels stands for the users and models of a key and day beyond the limits below.
const OtherLabels = "(other)"

// MaxLabelsPerDay bounds the combinations of model, user and tags that a key has on one day, and MaxModelsPerDay the
// models beyond these. Clients choose the names, so both need a bound.
const (
	MaxLabelsPerDay = 2048
	MaxModelsPerDay = 256
)

// Fold returns the row for spend that has none yet, given that its API key has n rows of the day. Beyond the limits
// above the row is OtherLabels.
func (k SpendKey) Fold(n int) SpendKey {
	if n >= MaxLabelsPerDay && k.User+k.Tags != "" {
		k.User, k.Tags = OtherLabels, ""
	}
	if n >= MaxLabelsPerDay+MaxModelsPerDay {
		k.Model = OtherLabels
	}
	return k
}

// Label returns a user or tag as it is kept: without control characters and commas, and not too long.
func Label(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == ',' || r == '\uFFFD' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.TrimSpace(s)
	if len(s) > maxLabel {
		s = strings.TrimSpace(strings.ToValidUTF8(s[:maxLabel], ""))
	}
	return s
}

// Tags returns labels as SpendKey has them: each once, the first 8, sorted.
func Tags(list []string) string {
	var out []string
	for _, t := range list {
		if t = Label(t); t != "" && !slices.Contains(out, t) && len(out) < maxTags {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

// SpendDay returns a time's day as SpendKey has it.
func SpendDay(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Pending is spend that is not saved yet. It is safe for concurrent use.
type Pending struct {
	mu   sync.Mutex
	sums map[SpendKey]*Spend
	// rows counts the sums by day and key.
	rows map[SpendKey]int
}

// Add adds what a request cost. With too many labels or models it adds to OtherLabels, so no cost is lost.
func (p *Pending) Add(s *Spend) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sums == nil {
		p.sums, p.rows = make(map[SpendKey]*Spend), make(map[SpendKey]int)
	}
	k, of := s.SpendKey, SpendKey{Day: s.Day, ID: s.ID}
	if p.sums[k] == nil {
		n := p.rows[of]
		if len(p.sums) >= maxPending {
			n = MaxLabelsPerDay + MaxModelsPerDay
		}
		k = k.Fold(n)
	}
	sum := p.sums[k]
	if sum == nil {
		sum = &Spend{SpendKey: k}
		p.sums[k] = sum
		p.rows[of]++
	}
	sum.Add(s)
}

// Take returns the sums, sorted, and forgets them.
func (p *Pending) Take() []Spend {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]Spend, 0, len(p.sums))
	for _, s := range p.sums {
		out = append(out, *s)
	}
	p.sums, p.rows = nil, nil
	slices.SortFunc(out, func(a, b Spend) int { return compareSpend(&a.SpendKey, &b.SpendKey) })
	return out
}

func compareSpend(a, b *SpendKey) int {
	return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Pipeline, b.Pipeline), cmp.Compare(a.Model, b.Model), cmp.Compare(a.User, b.User),
		cmp.Compare(a.Tags, b.Tags))
}

// SpendQuery selects spend, and the fields to sum by.
type SpendQuery struct {
	// From and To bound the days, both included; "" is no bound. ID selects one key, where One is set.
	From, To string
	ID       string
	One      bool
	By       []SpendField
	// Most bounds the sums in the answer; 0 is no bound. A query with more is refused.
	Most int
}

// SpendField is a field to sum by.
type SpendField string

// The fields.
const (
	ByDay   SpendField = "day"
	ByKey   SpendField = "key"
	ByModel SpendField = "model"
	ByUser  SpendField = "user"
	ByTag   SpendField = "tag"
)

// SpendFields are all of them.
func SpendFields() []SpendField { return []SpendField{ByDay, ByKey, ByModel, ByUser, ByTag} }

// ParseSpendFields reads fields separated by commas; "" is day, key and model.
func ParseSpendFields(s string) ([]SpendField, error) {
	if s == "" {
		return []SpendField{ByDay, ByKey, ByModel}, nil
	}
	var out []SpendField
	for f := range strings.SplitSeq(s, ",") {
		field := SpendField(strings.TrimSpace(f))
		if !slices.Contains(SpendFields(), field) {
			return nil, fmt.Errorf("%.32q is none of day, key, model, user, tag", f)
		}
		out = append(out, field)
	}
	return out, nil
}

// ParseDay checks a day; "" is none.
func ParseDay(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return "", fmt.Errorf("%.32q is not a day such as 2027-01-31", s)
	}
	return SpendDay(t), nil
}

// Sums sums rows up as a query asks. By tag, a request counts under each of its tags, so such sums may be more than
// what was paid.
type Sums struct {
	q    SpendQuery
	sums map[SpendKey]*Spend
}

// NewSums makes sums of nothing.
func NewSums(q SpendQuery) *Sums { return &Sums{q, make(map[SpendKey]*Spend)} }

// Add adds a row, and returns how many sums there are.
func (s *Sums) Add(row *Spend) int {
	q := &s.q
	if q.From != "" && row.Day < q.From || q.To != "" && row.Day > q.To || q.One && row.ID != q.ID {
		return len(s.sums)
	}
	tags := []string{""}
	if slices.Contains(q.By, ByTag) {
		tags = strings.Split(row.Tags, ",")
	}
	for _, tag := range tags {
		k := q.group(&row.SpendKey, tag)
		if s.sums[k] == nil {
			s.sums[k] = &Spend{SpendKey: k}
		}
		s.sums[k].Add(row)
	}
	return len(s.sums)
}

// List returns the sums, sorted.
func (s *Sums) List() []Spend {
	out := make([]Spend, 0, len(s.sums))
	for _, sum := range s.sums {
		out = append(out, *sum)
	}
	slices.SortFunc(out, func(a, b Spend) int { return compareSpend(&a.SpendKey, &b.SpendKey) })
	return out
}

func (q *SpendQuery) group(k *SpendKey, tag string) (out SpendKey) {
	for _, f := range q.By {
		switch f {
		case ByDay:
			out.Day = k.Day
		case ByKey:
			out.ID, out.Name = k.ID, k.Name
		case ByModel:
			out.Pipeline, out.Model = k.Pipeline, k.Model
		case ByUser:
			out.User = k.User
		case ByTag:
			out.Tags = tag
		}
	}
	return out
}
