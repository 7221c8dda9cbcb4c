package airouting_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/inference"
)

// needing is a client's query for features.
func needing(client string, f inference.FeatureSet, tokens inference.Tokens) airouting.Query {
	return airouting.Query{Operation: inference.Chat, Client: client, Needs: inference.Needs{Features: f, Tokens: tokens}}
}

// refuses has an orchestrator refuse a request as one that it cannot do, and another one serve it. It reports
// whether that was believed.
func refuses(t interface{ Fatalf(string, ...any) }, table *airouting.Table, now time.Time, uri string,
	q airouting.Query, stated inference.Tokens) bool {
	for _, s := range table.Statuses(now) {
		if s.Offer.URI != uri {
			q.Tried = append(q.Tried, s.Offer.URI)
		}
	}
	l, v := table.Pick(now, q)
	if l == nil {
		t.Fatalf("%s is not picked: %d", uri, v)
		return false
	}
	l.Refused(now)
	l.Done(now, airouting.Refused)
	named := inference.Needs{Features: q.Needs.Features & inference.Parameters}
	if named.Features == 0 {
		named.Tokens = q.Needs.Tokens
	}
	return l.Lacks(now, named, stated)
}

// first counts who gets 40 requests first.
func first(t *testing.T, table *airouting.Table, now time.Time, q airouting.Query) string {
	t.Helper()
	got := make(map[string]bool)
	for range 40 {
		l := pick(t, table, now, q)
		got[l.URI()] = true
		l.Done(now, airouting.Abandoned)
	}
	var names []string
	for _, s := range table.Statuses(now) {
		if got[s.Offer.URI] {
			names = append(names, s.Offer.URI)
		}
	}
	return strings.Join(names, " ")
}

func able(uri string, has, lacks inference.FeatureSet, context inference.Tokens) airouting.Offer {
	return airouting.Offer{URI: uri, Warm: true, Own: true, Capacity: 100, Context: context,
		Features: inference.Features{Has: has, Lacks: lacks}}
}

// What offers state decides before any request is refused. Silence is no objection, and an orchestrator's word that it
// can do something takes nothing from those that say nothing.
func TestStatedFeatures(t *testing.T) {
	t.Parallel()
	table := tableOf(able("says", inference.Tools, 0, 8192), able("silent", 0, 0, 0),
		able("cannot", 0, inference.Tools|inference.Vision, 2048))
	embeds := able("embeds", 0, 0, 0)
	embeds.Features = embeds.Features.WithOperations([]inference.Operation{inference.Embedding})
	table.Put(embeds)
	const chat = inference.FeatureSet(1)
	for _, tt := range []struct {
		q    airouting.Query
		want string
	}{
		{needing("", chat, 100), "says silent cannot"},
		{needing("", chat|inference.Tools, 100), "says silent"},
		{needing("", chat, 4000), "says silent"},
		{needing("", chat, 10_000), "silent"},
		{needing("", inference.OperationFeature(inference.Embedding), 0), "says silent cannot embeds"},
	} {
		if got := first(t, table, t0, tt.q); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.q.Needs.Words(), got, tt.want)
		}
	}
	q := needing("", chat|inference.Tools, 10_000)
	q.Preferences = &airouting.Preferences{KeepParameters: true}
	if got := first(t, table, t0, q); got != "says" {
		t.Errorf("with require_parameters: %s", got)
	}
	want := "says 1 may_lack_feature context; silent 0 drops_parameters tools; cannot 0 drops_parameters tools context; " +
		"embeds 0 drops_parameters chat tools"
	if got := explained(table.Explain(t0, q)); got != want {
		t.Errorf("explained as %s\nwant %s", got, want)
	}
	q.Preferences = nil
	want = "silent 1 loaded ; says 2 may_lack_feature context; cannot 0 lacks_feature tools context; " +
		"embeds 0 lacks_operation chat"
	if got := explained(table.Explain(t0, q)); got != want {
		t.Errorf("explained as %s\nwant %s", got, want)
	}
}

func explained(choices []airouting.Choice) string {
	var parts []string
	for _, c := range choices {
		parts = append(parts, fmt.Sprintf("%s %d %s %s", c.Status.Offer.URI, c.Rank, c.Reason,
			strings.Join(c.Missing.Words(), " ")))
	}
	return strings.Join(parts, "; ")
}

// Where all say that they lack it there is nothing to ask, and the verdict says so.
func TestAllLackAFeature(t *testing.T) {
	t.Parallel()
	table := tableOf(able("a", 0, inference.Tools|inference.Vision, 0), able("b", 0, inference.Tools, 0))
	q := needing("", inference.Tools|inference.Vision, 0)
	if _, v := table.Pick(t0, q); v != airouting.Lacking || table.Lacking(&q) != inference.Tools {
		t.Errorf("verdict %d, %q", v, table.Lacking(&q).Words())
	}
	chats := able("a", 0, 0, 0)
	chats.Features = chats.Features.WithOperations([]inference.Operation{inference.Chat})
	if _, v := tableOf(chats).Pick(t0, needing("", inference.OperationFeature(inference.Embedding), 0)); v !=
		airouting.Unfit {
		t.Errorf("embeddings of a chat model: verdict %d", v)
	}
}

// A refusal that another orchestrator does not share is remembered for its client at once, for all when a second
// client met it, for an hour, and not after a new offer. Requests without that need are not affected.
func TestLearnedLack(t *testing.T) {
	t.Parallel()
	table := tableOf(able("a", 0, 0, 0), able("b", 0, 0, 0))
	tools := func(client string) airouting.Query { return needing(client, inference.Tools, 0) }
	if !refuses(t, table, t0, "a", tools("x"), 0) {
		t.Fatal("not believed")
	}
	for _, tt := range []struct {
		q    airouting.Query
		want string
	}{{tools("x"), "b"}, {tools("y"), "a b"}, {needing("x", inference.Vision, 0), "a b"}, {needing("x", 0, 50), "a b"}} {
		if got := first(t, table, t0, tt.q); got != tt.want {
			t.Errorf("%s for %q: %s, want %s", tt.q.Client, tt.q.Needs.Words(), got, tt.want)
		}
	}
	if got := explained(table.Explain(t0, tools("x"))); got != "b 1 loaded ; a 2 may_lack_feature tools" {
		t.Errorf("explained as %s", got)
	}
	for range 5 {
		refuses(t, table, t0, "a", tools("x"), 0)
	}
	if got := first(t, table, t0, tools("y")); got != "a b" {
		t.Errorf("one client alone convinced the others: %s", got)
	}
	refuses(t, table, t0.Add(time.Minute), "a", tools("y"), 0)
	if got := first(t, table, t0.Add(time.Minute), tools("z")); got != "b" {
		t.Errorf("after two clients: %s", got)
	}
	if got := first(t, table, t0.Add(62*time.Minute), tools("z")); got != "a b" {
		t.Errorf("after an hour: %s", got)
	}
	refuses(t, table, t0.Add(62*time.Minute), "a", tools("y"), 0)
	if got := first(t, table, t0.Add(62*time.Minute), tools("z")); got != "a b" {
		t.Errorf("what ended counts again: %s", got)
	}
	table.Put(able("a", inference.Vision, 0, 0))
	if got := first(t, table, t0.Add(62*time.Minute), tools("y")); got != "a b" {
		t.Errorf("after a new offer: %s", got)
	}
}

// An orchestrator that served such a request within the hour, or says that it has the feature, refused for another
// reason: an accomplice that serves what should be refused takes nothing from it.
func TestLackOfAnAbleOrchestrator(t *testing.T) {
	t.Parallel()
	q := needing("x", inference.Tools, 0)
	table := tableOf(able("a", 0, 0, 0), able("b", 0, 0, 0))
	served := q
	served.Tried = []string{"b"}
	serve(t, table, t0, served, ms)
	if refuses(t, table, t0.Add(time.Minute), "a", q, 0) {
		t.Error("it served such a request a minute ago")
	}
	if !refuses(t, table, t0.Add(61*time.Minute), "a", q, 0) {
		t.Error("it served such a request an hour ago")
	}
	if refuses(t, tableOf(able("a", inference.Tools, 0, 0), able("b", 0, 0, 0)), t0, "a", q, 0) {
		t.Error("it says that it has it")
	}
	// Serving again, because there is no other, ends it.
	serve(t, table, t0.Add(62*time.Minute), served, ms)
	served.Tried = []string{"a"} // so that both have a known latency
	serve(t, table, t0.Add(62*time.Minute), served, ms)
	if got := first(t, table, t0.Add(62*time.Minute), q); got != "a b" {
		t.Errorf("after serving: %s", got)
	}
}

// Requests as long as the refused one, or longer than the context that the refusal states, go elsewhere; shorter ones
// do not, however few bytes of a request are many tokens.
func TestLearnedContext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		refused, stated, short, long inference.Tokens
	}{
		{9000, 0, 8999, 9000},
		{9000, 8192, 8192, 8193},
		{5000, 8192, 4999, 5000}, // the estimate was too low
		{50, 8192, 2047, 2048},   // far too low
	} {
		table := tableOf(able("a", 0, 0, 0), able("b", 0, 0, 0))
		refuses(t, table, t0, "a", needing("x", 0, tt.refused), tt.stated)
		for tokens, want := range map[inference.Tokens]string{tt.short: "a b", tt.long: "b"} {
			if got := first(t, table, t0, needing("x", 0, tokens)); got != want {
				t.Errorf("%+v: %d tokens go to %s, want %s", tt, tokens, got, want)
			}
		}
		served := needing("x", 0, tt.long)
		for _, other := range []string{"b", "a"} { // both, so that both have a known latency
			served.Tried = []string{other}
			serve(t, table, t0, served, ms)
		}
		if got := first(t, table, t0, needing("x", 0, tt.long)); got != "a b" {
			t.Errorf("%+v: after it served one: %s", tt, got)
		}
		if refuses(t, table, t0, "a", needing("y", 0, tt.long), tt.long-1) {
			t.Errorf("%+v: it served one as long", tt)
		}
	}
}

// A second opinion is another operator's where there is one, and one that lacks the same by its own word need not be
// asked: it agrees.
func TestSecondOpinionOfAnotherOperator(t *testing.T) {
	t.Parallel()
	owned := func(uri string, n byte) airouting.Offer {
		o := able(uri, 0, 0, 0)
		o.Owner, o.Registered = core.Address{19: n}, true
		return o
	}
	q := needing("x", inference.Tools, 0)
	table := tableOf(owned("a1", 1), owned("a2", 1), owned("b", 2))
	l := leaseAt(t, table, q, "a1")
	q.SecondOpinion, q.Tried = true, []string{"a1"}
	q.Refusal = airouting.Refusal{By: l.Operator(), Named: q.Needs}
	if got := first(t, table, t0, q); got != "b" {
		t.Errorf("asked %s", got)
	}
	table.Remove("b")
	if got := first(t, table, t0, q); got != "a2" {
		t.Errorf("without others: %s", got)
	}
	short := able("short", 0, 0, 1000)
	table = tableOf(able("a", 0, 0, 0), short)
	q = needing("x", 0, 2000)
	q.SecondOpinion, q.Tried, q.Refusal = true, []string{"a"}, airouting.Refusal{By: "a", Named: q.Needs}
	if l, v := table.Pick(t0, q); l != nil || v != airouting.Tried {
		t.Errorf("one that is too short by its own word gets the request: %d", v)
	}
	q.Refusal.Named = inference.Needs{Features: inference.Tools}
	if got := first(t, table, t0, q); got != "short" {
		t.Errorf("about another refusal: %s", got)
	}
}

// leaseAt leases one orchestrator for a query.
func leaseAt(t *testing.T, table *airouting.Table, q airouting.Query, uri string) *airouting.Lease {
	t.Helper()
	for range 1000 {
		l := pick(t, table, t0, q)
		l.Done(t0, airouting.Abandoned)
		if l.URI() == uri {
			return l
		}
	}
	t.Fatalf("%s was not picked", uri)
	return nil
}

// A refusal that was understood does not hold against other requests of its operation.
func TestUnderstoodRefusalIsTakenBack(t *testing.T) {
	t.Parallel()
	table := tableOf(able("a", 0, 0, 0), able("b", 0, 0, 0))
	refuses(t, table, t0, "a", needing("x", inference.Tools, 0), 0)
	if got := first(t, table, t0, needing("x", 0, 10)); got != "a b" {
		t.Errorf("plain chats go to %s", got)
	}
}

// Whatever is offered, refused and served: what states a lack is never picked, a lack that is only known is picked
// where there is no other, an explanation says the same as the choice, and a client that caused no refusal is only
// affected where two others did.
func TestFeatureProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := airouting.NewTable(airouting.Options{Rand: source(rapid.Uint64().Draw(t, "seed")), Name: "m"})
		sets := rapid.SampledFrom([]inference.FeatureSet{0, inference.Tools, inference.Vision,
			inference.Tools | inference.JSONSchema})
		lengths := rapid.SampledFrom([]inference.Tokens{0, 10, 5000})
		for _, uri := range []string{"a", "b", "c", "d"} {
			lacks := sets.Draw(t, "lacks")
			o := able(uri, sets.Draw(t, "has")&^lacks, lacks, lengths.Draw(t, "context"))
			o.Own, o.Warm = rapid.Bool().Draw(t, "own"), rapid.Bool().Draw(t, "warm")
			if !o.Own {
				o.Features, o.Context = inference.Features{}, 0
			}
			table.Put(o)
		}
		now, refusers := t0, make(map[string]bool)
		for range rapid.IntRange(0, 6).Draw(t, "jobs before") {
			q := needing(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "client"), sets.Draw(t, "needs"),
				lengths.Draw(t, "tokens"))
			l, _ := table.Pick(now, q)
			if l == nil {
				continue
			}
			refused := rapid.Bool().Draw(t, "refused")
			l.Done(now, map[bool]airouting.Outcome{true: airouting.Refused, false: airouting.Served}[refused])
			if named := (inference.Needs{Features: q.Needs.Features & inference.Tools}); refused && l.Lacks(now, named, 0) {
				refusers[q.Client] = true
			}
		}
		q := needing(rapid.SampledFrom([]string{"x", "z"}).Draw(t, "asker"), sets.Draw(t, "asked"),
			lengths.Draw(t, "length"))
		q.Kind = airouting.Kind(rapid.IntRange(0, 1).Draw(t, "kind"))
		if rapid.Bool().Draw(t, "keep") {
			q.Preferences = &airouting.Preferences{KeepParameters: true}
		}
		choices := table.Explain(now, q)
		l, v := table.Pick(now, q)
		fits := false
		for _, c := range choices {
			fits = fits || c.Rank > 0 && c.Missing == (inference.Needs{})
			if lacks := c.Status.Offer.Features.Lacks & q.Needs.Features; lacks != 0 && (c.Rank > 0 ||
				c.Missing.Features&lacks != lacks) {
				t.Fatalf("%s states a lack: %s", c.Status.Offer.URI, explained(choices))
			}
			learnedOnly := c.Missing.Features &^ c.Status.Offer.Features.Lacks
			if q.Client == "z" && len(refusers) < 2 && learnedOnly != 0 && c.Reason != airouting.DropsParameters {
				t.Fatalf("one client's refusals count for another: %s", explained(choices))
			}
		}
		for _, c := range choices {
			switch {
			case l == nil && c.Rank > 0:
				t.Fatalf("nothing is picked (%d) of %s", v, explained(choices))
			case l != nil && c.Status.Offer.URI == l.URI() && (c.Rank != 1 ||
				q.Kind == airouting.AnyKind && fits && c.Missing != (inference.Needs{})):
				t.Fatalf("%s is picked of %s", l.URI(), explained(choices))
			}
		}
	})
}

// However many orchestrators refuse what others serve, the memory of it is bounded, and the oldest is given up.
func TestLearnedIsBounded(t *testing.T) {
	t.Parallel()
	table := tableOf()
	for i := range 300 {
		table.Put(able(name(i), 0, 0, 0))
	}
	q := needing("x", inference.Tools, 0)
	for i := range 300 {
		refuses(t, table, t0, name(i), q, 0)
	}
	known := 0
	for _, c := range table.Explain(t0, q) {
		if c.Missing.Features != 0 {
			known++
		}
	}
	if known != 256 {
		t.Errorf("%d are remembered", known)
	}
	for i := range 300 {
		table.Remove(name(i))
	}
	if table.Put(able(name(299), 0, 0, 0)); explained(table.Explain(t0, q)) != name(299)+" 1 loaded " {
		t.Errorf("one that left and came back: %s", explained(table.Explain(t0, q)))
	}
}

// What one operator's orchestrators say of themselves confirms no refusal of its own.
func TestConfirms(t *testing.T) {
	t.Parallel()
	q := needing("x", inference.Tools, 0)
	q.Refusal = airouting.Refusal{By: "a", Named: q.Needs}
	for _, tt := range []struct {
		other airouting.Offer
		want  bool
	}{
		{able("b", 0, inference.Tools, 0), true}, {able("b", inference.Tools, 0, 0), false}, {able("b", 0, 0, 0), false},
		{able("b", 0, inference.Vision, 0), false},
	} {
		if got := tableOf(able("a", 0, inference.Tools, 0), tt.other).Confirms(t0, &q); got != tt.want {
			t.Errorf("%+v: %v", tt.other.Features, got)
		}
	}
}
